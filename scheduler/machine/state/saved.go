package state

// A Saved is a copy of a plan at the beginning of a turn: all fields that an event may change,
// by value, with the contents of the lists that are changed in place. Fields that are only ever
// replaced (marks, a suspension, terms, votes, the sizes of items) need no copy. Its memory is
// reused.
type Saved struct {
	plan *Plan
	was  Plan

	underWay int64 // of its station
	plans    int

	inbox       Inbox
	open        []*Occurrence
	occurrences []Occurrence
	live        []*Execution // of one occurrence after the other, like the lists below
	executions  []Execution
	ballots     []Ballot
	ended       []int64
	several     []Several
	again       []Slot
}

// Plan is the plan that was saved.
func (s *Saved) Plan() *Plan { return s.plan }

// Save copies p.
func (s *Saved) Save(p *Plan) {
	s.plan, s.was = p, *p
	s.underWay, s.plans = p.Station.UnderWay, p.Station.Plans
	if p.Inbox != nil {
		s.inbox = *p.Inbox
	}
	s.open = append(s.open[:0], p.Open...)
	s.occurrences, s.live, s.executions, s.ballots = s.occurrences[:0], s.live[:0], s.executions[:0], s.ballots[:0]
	s.ended, s.several, s.again = s.ended[:0], s.several[:0], s.again[:0]
	for _, o := range p.Open {
		s.occurrences = append(s.occurrences, *o)
		s.live = append(s.live, o.Live...)
		for _, x := range o.Live {
			s.executions = append(s.executions, *x)
			if x.Ballot != nil {
				s.ballots = append(s.ballots, *x.Ballot)
			}
		}
		s.ended = append(s.ended, o.Ended...)
		if o.Several != nil {
			s.several = append(s.several, *o.Several)
			s.again = append(s.again, o.Several.Again...)
		}
	}
}

// Restore sets the plan back to the copy, and renews its offers.
func (s *Saved) Restore() {
	p := s.plan
	*p = s.was
	p.Station.UnderWay, p.Station.Plans = s.underWay, s.plans
	if p.Inbox != nil {
		*p.Inbox = s.inbox
	}
	copy(p.Open, s.open)
	from := *s // each list is used up from its beginning
	for i, o := range s.open {
		*o = s.occurrences[i]
		from.restoreLive(o)
		from.ended = from.ended[copy(o.Ended, from.ended):]
		if o.Several != nil {
			*o.Several = from.several[0]
			from.several = from.several[1:]
			from.again = from.again[copy(o.Several.Again, from.again):]
		}
		if o.Offer != nil {
			p.Station.Claimable.Enter(o.Offer)
		}
	}
}

// restoreLive sets the executions of o back, and takes them off the lists of s.
func (s *Saved) restoreLive(o *Occurrence) {
	n := copy(o.Live, s.live)
	for i, x := range s.live[:n] {
		*x = s.executions[i]
		if x.Ballot != nil {
			*x.Ballot = s.ballots[0]
			s.ballots = s.ballots[1:]
		}
	}
	s.live, s.executions = s.live[n:], s.executions[n:]
}
