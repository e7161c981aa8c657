package manifest

import (
	"errors"
	"fmt"
)

// ErrOfAnotherSet is returned for plans that an apply of another set has made, because they
// would belong to this set from then on, and its prunes could remove them.
var ErrOfAnotherSet = errors.New("it is of another set")

// An otherSetError is ErrOfAnotherSet with the name of the set.
type otherSetError struct{ set string }

func (e *otherSetError) Error() string { return fmt.Sprintf("%v, %s", ErrOfAnotherSet, e.set) }
func (e *otherSetError) Unwrap() error { return ErrOfAnotherSet }

// OtherSets returns the sets that plans in the refusals of err are of, each with their number.
func OtherSets(err error) map[string]int {
	sets := map[string]int{}
	var add func(error)
	add = func(err error) {
		switch e := err.(type) { //nolint:errorlint // the tree is gone through here
		case *otherSetError:
			sets[e.set]++
		case interface{ Unwrap() []error }:
			for _, one := range e.Unwrap() {
				add(one)
			}
		case interface{ Unwrap() error }:
			add(e.Unwrap())
		}
	}
	add(err)
	return sets
}
