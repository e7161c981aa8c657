package state

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Busy is the state of a plan's earlier occurrences when another falls due.
type Busy uint8

const (
	Idle      Busy = iota
	Waits          // an earlier occurrence is undelivered, or waits for its retry or its turn
	Executing      // an earlier occurrence is with a worker
)

// Full reports that another occurrence of p would be one too many. Those that were opened and not
// dispatched count too, because their time has come or will.
func (p *Plan) Full(t *schema.Terms) bool {
	if t.MaxConcurrency == 0 || len(p.Open) == 0 {
		return false
	}
	if p.Weight() >= MaxOpen {
		return true
	}
	under := int64(0)
	for _, o := range p.Open {
		under += int64(len(o.Live))
		if o.Attempt == 0 {
			under++
		}
	}
	return under >= t.MaxConcurrency
}

// Busy computes the state of p's earlier occurrences.
func (p *Plan) Busy() Busy {
	l := Idle
	for _, o := range p.Open {
		if o.Delivered() {
			return Executing
		}
		l = Waits
	}
	return l
}

// Delivered reports that a worker may have an execution of o.
func (o *Occurrence) Delivered() bool {
	for _, x := range o.Live {
		if x.Retry == 0 {
			return true
		}
	}
	return false
}

// IsOut reports that o has an execution that is on its way, with a worker, or that may have been
// published.
func (o *Occurrence) IsOut() bool {
	return slices.ContainsFunc(o.Live, func(x *Execution) bool { return !x.Undelivered() })
}

// IsOut reports that all open occurrences of p are out.
func (p *Plan) IsOut() bool {
	return !slices.ContainsFunc(p.Open, func(o *Occurrence) bool { return !o.IsOut() })
}
