package state_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The last twenty runs are there, however many came before them.
func TestTheLastRuns(t *testing.T) {
	states := []schema.State{schema.StateOK, schema.StateError, schema.StateFailure, schema.StateTimeout, schema.StateSkipped, schema.StateCancelled}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		var r state.Runs
		all := ""
		for i := range 100 {
			which := random.IntN(len(states))
			if round < len(states) {
				which = round // the least and the greatest numbers are of one state alone
			}
			r.Add(states[which])
			all += string("oeftsc"[which])
			for _, most := range []int{0, 1, 7, state.MostRuns} {
				if got, want := r.Text(most), all[max(0, len(all)-most):]; got != want {
					t.Fatalf("the last %d of %d runs are %q, want %q", most, i+1, got, want)
				}
			}
		}
	}
	var none state.Runs
	if none.Add(""); none.Text(20) != "" {
		t.Errorf("no state is a run: %q", none.Text(20))
	}
}

// The number of shared members fits into a byte.
func TestTheMembersOfAPlanFitIntoAByte(t *testing.T) {
	if n := reflect.TypeFor[schema.Plan]().NumField(); n > 255 {
		t.Errorf("a plan has %d members", n)
	}
}
