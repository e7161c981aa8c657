package command

import (
	"reflect"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Verb is a command of type C, which is answered with an A.
type Verb[C schema.Command, A any] struct{ *Kind }

// A Kind is what is known of a verb, whatever the types of its command and its answer.
type Kind struct {
	// Name is what it is called between nodes. Nodes of two builds forward to each other,
	// so a name stays.
	Name            string
	Command, Answer reflect.Type
	Manner
}

// A Manner says what holds for a verb wherever it goes: any of the bits below.
type Manner uint8

const (
	// Reads: it changes nothing, so that of one without an answer nothing is in doubt.
	Reads Manner = 1 << iota
	// Begins: it has something begin, or makes a plan of which something will.
	Begins
	// Hands: its answer is work, which is for nobody else.
	Hands
	// AfterResults: it is answered when all results are stored that were decided before.
	AfterResults
	// ByWorkers: a worker says it, of plans that others have made.
	ByWorkers
)

// Is reports that all bits of want are set.
func (m Manner) Is(want Manner) bool { return m&want == want }

// Of returns what is known of c, which has no date; see [schema.Bare]. Nil: c is no command
// of a leader.
func Of(c schema.Command) *Kind { return kinds[reflect.TypeOf(c)] }

// Is reports that c, which has no date, is a command of that manner.
func Is(c schema.Command, want Manner) bool {
	k := Of(c)
	return k != nil && k.Is(want)
}

// All returns the verbs, in the order in which they are listed.
func All() []*Kind { return all }

var (
	all   []*Kind
	kinds = map[reflect.Type]*Kind{}
)

// verb lists a verb.
func verb[C schema.Command, A any](name string, manner Manner) Verb[C, A] {
	k := &Kind{Name: name, Command: reflect.TypeFor[C](), Answer: reflect.TypeFor[A](), Manner: manner}
	all = append(all, k)
	kinds[k.Command] = k
	return Verb[C, A]{k}
}
