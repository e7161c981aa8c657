package machine

// A handle stands for a plan in the queues, which need to know nothing else of it. A plan has
// it from when it enters the table until it leaves, and another one may have it then. Zero is
// none.
type handle uint32

// handles are those that are given, and by whom to find a plan.
type handles struct {
	plans []*plan // by handle; nil: nobody has it
	free  []handle
}

// give returns a handle for p: the one that was given back last, or a new one.
func (hs *handles) give(p *plan) handle {
	if last := len(hs.free) - 1; last >= 0 {
		h := hs.free[last]
		hs.free = hs.free[:last]
		hs.plans[h] = p
		return h
	}
	if len(hs.plans) == 0 {
		hs.plans = append(hs.plans, nil) // zero is none
	}
	hs.plans = append(hs.plans, p)
	return handle(len(hs.plans) - 1)
}

// takeBack has nobody called h any more.
func (hs *handles) takeBack(h handle) {
	hs.plans[h] = nil
	hs.free = append(hs.free, h)
}

func (hs *handles) plan(h handle) *plan { return hs.plans[h] }
