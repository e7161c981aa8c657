package verb

import (
	"reflect"

	"github.com/stationmaster-io/stationmaster/internal/command"
)

// A Verb is a command of type C, which is answered with an A.
type Verb[C command.Command, A any] struct{ *Kind }

// A Kind is the part of a verb that does not depend on the types of its command and answer.
type Kind struct {
	// Name is the verb's name between nodes. It never changes, because nodes of two builds
	// forward to each other.
	Name            string
	Command, Answer reflect.Type
	Manner
}

// A Manner has the properties of a verb: any of the bits below.
type Manner uint8

const (
	// Reads: it changes no state, so that the outcome of one without an answer is not in
	// doubt.
	Reads Manner = 1 << iota
	// Begins: it starts an execution, or creates a plan that will.
	Begins
	// Hands: its answer leases executions, so that it must not be given to another.
	Hands
	// AfterResults: it is answered when all results are stored that were decided before.
	AfterResults
	// ByWorkers: workers send it, about plans of others.
	ByWorkers
	// Adds: it stores more than there was, a plan or an item.
	Adds
)

// Is reports that all bits of want are set.
func (m Manner) Is(want Manner) bool { return m&want == want }

// Of returns the kind of c, which has no deadline; see [command.Bare]. Nil: c is no command of
// a leader.
func Of(c command.Command) *Kind { return kinds[reflect.TypeOf(c)] }

// Is reports that c, which has no deadline, is a command of that manner.
func Is(c command.Command, want Manner) bool {
	k := Of(c)
	return k != nil && k.Is(want)
}

// All returns the verbs, in order.
func All() []*Kind { return all }

var (
	all   []*Kind
	kinds = map[reflect.Type]*Kind{}
)

// list adds a verb to the list.
func list[C command.Command, A any](name string, manner Manner) Verb[C, A] {
	k := &Kind{Name: name, Command: reflect.TypeFor[C](), Answer: reflect.TypeFor[A](), Manner: manner}
	all = append(all, k)
	kinds[k.Command] = k
	return Verb[C, A]{k}
}
