package machine

// A turn is one event at one moment, with the batch that takes what it leads to.
type turn struct {
	*Machine
	now moment
	b   *Batch
}

func (m *Machine) turn(now moment, b *Batch) *turn { return &turn{m, now, b} }
