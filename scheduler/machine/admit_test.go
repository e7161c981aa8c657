package machine

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// TestAdmit is the table of DESIGN section 7, overlap.
func TestAdmit(t *testing.T) {
	names := [...]string{"start", "wait", "replace", "cancel", "skip"}
	for _, c := range []struct {
		overlap schema.WhenBusy
		asked   bool
		want    [3]verdict // idle, waits, executing
	}{
		{schema.BusySkip, false, [3]verdict{start, replace, wait}},
		{schema.BusySkip, true, [3]verdict{start, replace, skip}},
		{schema.BusyQueue, true, [3]verdict{start, wait, wait}},
		{schema.BusyCancelPrev, true, [3]verdict{start, cancel, cancel}},
		{schema.BusyParallel, true, [3]verdict{start, start, start}},
		{schema.BusyAllow, true, [3]verdict{start, start, start}},
	} {
		for l, want := range c.want {
			if got := admit(load(l), c.overlap, c.asked); got != want {
				t.Errorf("%s (asked for: %t) under load %d: %s, want %s", c.overlap, c.asked, l, names[got], names[want])
			}
		}
	}
}

// TestLoad tells what a plan is busy with.
func TestLoad(t *testing.T) {
	waiting, out, unserved := &occurrence{}, &occurrence{live: []*execution{{}}}, &occurrence{live: []*execution{{misses: 1, retry: 1}}}
	for _, c := range []struct {
		open []*occurrence
		want load
	}{
		{nil, idle},
		{[]*occurrence{waiting}, waits},
		{[]*occurrence{unserved}, waits}, // nobody has it
		{[]*occurrence{out}, executing},
		{[]*occurrence{waiting, out}, executing},
	} {
		p := &plan{state: state{open: c.open}}
		if got := p.load(); got != c.want {
			t.Errorf("%d open: load %d, want %d", len(c.open), got, c.want)
		}
	}
}
