package machine

// redeliver makes some of the executions due whose worker has appeared.
func (t *turn) redeliver() {
	for range tickSlice {
		h, ok := t.Undelivered.Next()
		if !ok {
			return
		}
		p := t.Handles.Of(h)
		t.At(p)
		t.Undelivered.Leave(h)
		for _, o := range p.Open {
			for _, x := range o.Live {
				if x.Undelivered() {
					x.Retry = t.Now
				}
			}
		}
		t.Changed(p)
	}
}
