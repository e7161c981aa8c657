package machine

import (
	"encoding/binary"
	"maps"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A planted is a mistake that is made on purpose after each step, and the violation that it
// causes.
type planted struct {
	name, found string
	plant       func(*Machine)
}

var plantedMistakes = []planted{
	{"a list of workers holds a name twice", "nil pointer", namedTwice},
	{"plans at work are not looked at when their station is put", "", func(m *Machine) { m.revisits = nil }},
	{"deadlines are forgotten", "could go on", func(m *Machine) {
		for _, p := range m.part.Plans {
			if p.Executing() {
				m.part.TimerQueue.Set(p.Handle, 0)
			}
		}
	}},
	{"a plan that has left still counts for its tenant", "counted wrong", neverLess()},
	{"a leader that begins counts nothing", "counted wrong", countsNothing()},
	{"a plan beyond the quota is taken", "and may have", func(m *Machine) { m.part.Quota.Most++ }},
}

// countsNothing has each leader but the first begin as if there were no plans.
func countsNothing() func(*Machine) {
	var of *Machine
	return func(m *Machine) {
		if m.part.Epoch > 1 && m != of {
			of = m
			clear(m.part.Quota.Plans)
		}
	}
}

// neverLess has the count of a tenant's plans grow only.
func neverLess() func(*Machine) {
	var of *Machine
	var most map[schema.Tenant]int64
	return func(m *Machine) {
		if of != m {
			of, most = m, map[schema.Tenant]int64{}
		}
		for t, n := range most {
			m.part.Quota.Plans[t] = max(m.part.Quota.Plans[t], n)
		}
		maps.Copy(most, m.part.Quota.Plans)
	}
}

// namedTwice has the plans of m keep their worker_ids as they were sent, which once stopped
// every leader.
func namedTwice(m *Machine) {
	for _, p := range m.part.Plans {
		if len(p.Options().Workers) == 0 || p.Evicted {
			continue
		}
		p.Opts.Workers = nil
		for _, id := range wire.Trust(p.Enc, p.Raw).Field("worker_ids").List() {
			text, _ := id.Text()
			p.Opts.Workers = append(p.Opts.Workers, text)
		}
	}
}

// TestPlantedMistakesAreFoundByRequests checks that mistakes which were made once are found
// by sequences, in some thousands of them at most, which take the fuzzer some seconds.
func TestPlantedMistakesAreFoundByRequests(t *testing.T) {
	for _, mistake := range plantedMistakes {
		t.Run(mistake.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3000) {
				err := runSequence(binary.LittleEndian.AppendUint64(nil, seed), mistake.plant)
				if err != nil && strings.Contains(err.Error(), mistake.found) {
					t.Logf("sequence %d: %.120s", seed, err)
					return
				}
			}
			t.Error("not found")
		})
	}
}
