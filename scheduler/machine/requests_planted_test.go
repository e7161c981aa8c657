package machine

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A planted is a mistake that is made on purpose after each step, and what is then found.
type planted struct {
	name, found string
	plant       func(*Machine)
}

var plantedMistakes = []planted{
	{"a list of workers holds a name twice", "nil pointer", namedTwice},
	{"plans at work are not looked at when their station is put", "", func(m *Machine) { m.revisits = nil }},
	{"deadlines are forgotten", "could go on", func(m *Machine) {
		for _, p := range m.plans {
			if p.executing() {
				m.timetable.set(p, 0)
			}
		}
	}},
}

// namedTwice has the plans of m keep their worker_ids as they were sent, which once stopped
// every leader.
func namedTwice(m *Machine) {
	for _, p := range m.plans {
		if len(p.options().workers) == 0 || p.away {
			continue
		}
		p.opts.workers = nil
		for _, id := range wire.Trust(p.enc, p.raw).Field("worker_ids").List() {
			text, _ := id.Text()
			p.opts.workers = append(p.opts.workers, text)
		}
	}
}

// TestWhatIsPlantedIsFoundByRequests checks that mistakes which were made once are found
// by sequences, in some thousands of them at most, which take the fuzzer some seconds.
func TestWhatIsPlantedIsFoundByRequests(t *testing.T) {
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
