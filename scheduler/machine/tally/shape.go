package tally

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Shape is the status, the type and the wait as which one plan counts. The zero value
// is that of a plan that does not count.
type Shape uint16

// The places of a shape's parts, in bits.
const (
	part      = 1<<4 - 1
	typeFrom  = 4
	waitFrom  = 8
	callsFrom = 12
)

// The words that a shape can have. A part has the index of its word plus one; 0: none.
var (
	statuses = [...]schema.Status{
		schema.StatusQueued, schema.StatusExecuting, schema.StatusRetrying, schema.StatusPaused, schema.StatusPending, schema.StatusPlanError,
	}
	types = [...]schema.PlanType{
		schema.TypeNone, schema.TypeTime, schema.TypeSecond, schema.TypeMinute, schema.TypeHour, schema.TypeDay, schema.TypeWeek,
		schema.TypeMonth, schema.TypeCron,
	}
	waits = [...]schema.WaitFor{
		schema.WaitWorker, schema.WaitClaim, schema.WaitRoom, schema.WaitTurn, schema.WaitRetry, schema.WaitJitter, schema.WaitLock,
		schema.WaitPerson, schema.WaitResume,
	}
)

// ShapeOf is the shape of a plan with a status, a type as [TypeOf] has it, and the cause of its wait;
// empty: it does not wait. Calls: it delivers callbacks.
func ShapeOf(status schema.Status, typ uint8, wait schema.WaitFor, calls bool) Shape {
	s := Shape(at(statuses[:], status)) | Shape(typ)<<typeFrom
	if wait != "" {
		s |= Shape(at(waits[:], wait)) << waitFrom
	}
	if calls {
		s |= 1 << callsFrom
	}
	return s
}

// TypeOf is the number of a plan's type.
func TypeOf(t schema.PlanType) uint8 {
	if t == "" {
		t = schema.TypeNone
	}
	return uint8(at(types[:], t)) //nolint:gosec // there are nine
}

// at is the index of a word plus one; 0: it is not there.
func at[W comparable](words []W, w W) int {
	for i := range words {
		if words[i] == w {
			return i + 1
		}
	}
	return 0
}

func (s Shape) status() int { return int(s & part) }
func (s Shape) typ() int    { return int(s >> typeFrom & part) }
func (s Shape) wait() int   { return int(s >> waitFrom & part) }

// Status is the status of the plan; empty: it does not count.
func (s Shape) Status() schema.Status { return word(statuses[:], s.status()) }

// Standing is the shape without its wait.
func (s Shape) Standing() Shape { return s &^ (part << waitFrom) }

// Wait is the cause of the wait; empty: the plan does not wait.
func (s Shape) Wait() schema.WaitFor { return word(waits[:], s.wait()) }

// Calls reports that the plan delivers callbacks.
func (s Shape) Calls() bool { return s>>callsFrom != 0 }

// String is for messages of tests.
func (s Shape) String() string {
	return fmt.Sprintf("%s %s %s", s.Status(), word(types[:], s.typ()), s.Wait())
}

func word[W ~string](words []W, at int) (w W) {
	if at > 0 {
		w = words[at-1]
	}
	return w
}

// A Waiting counts plans by the cause of their wait.
type Waiting [len(waits)]int32

func (w *Waiting) move(from, to Shape) {
	if i := from.wait(); i > 0 {
		w[i-1]--
	}
	if i := to.wait(); i > 0 {
		w[i-1]++
	}
}

// Of is the number of plans that wait for one cause.
func (w *Waiting) Of(cause schema.WaitFor) int64 {
	if i := at(waits[:], cause); i > 0 {
		return int64(w[i-1])
	}
	return 0
}

// Shown are the causes for which plans wait, each with their number.
func (w *Waiting) Shown() map[schema.WaitFor]int64 {
	return byWord(waits[:], w[:])
}

// Plans counts plans by status and by type.
type Plans struct {
	Status [len(statuses)]int32
	Type   [len(types)]int32
}

func (p *Plans) add(s Shape, n int32) {
	if i := s.status(); i > 0 {
		p.Status[i-1] += n
		if i := s.typ(); i > 0 {
			p.Type[i-1] += n
		}
	}
}

// Have reports that plans have one of these statuses; no status: any.
func (p *Plans) Have(wanted []string) bool {
	for _, w := range wanted {
		if i := at(statuses[:], schema.Status(w)); i > 0 && p.Status[i-1] > 0 {
			return true
		}
	}
	return len(wanted) == 0
}

// ByStatus are the statuses that plans have, each with their number.
func (p *Plans) ByStatus() map[schema.Status]int64 {
	return byWord(statuses[:], p.Status[:])
}

// ByType are the types that plans have, each with their number.
func (p *Plans) ByType() map[schema.PlanType]int64 {
	return byWord(types[:], p.Type[:])
}

// byWord are the counts that are not zero, each under its word.
func byWord[W ~string, N int32 | uint32](words []W, counts []N) map[W]int64 {
	all := map[W]int64{}
	for i, n := range counts {
		if n != 0 {
			all[words[i]] = int64(n)
		}
	}
	return all
}
