package machine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

var verdictNames = [...]string{
	start: "start", wait: "wait", replace: "replace", cancel: "cancel",
	skipBusy: "skip:overlap", skipFailed: "skip:failure", skipFull: "skip:concurrency",
}

// TestAdmit is the table of what keeps an occurrence: every cell. The columns are what the
// plan is busy with: idle, waits, executing.
func TestAdmit(t *testing.T) {
	type policy struct {
		overlap schema.WhenBusy
		asked   bool
	}
	mild, skips := policy{schema.BusySkip, false}, policy{schema.BusySkip, true}
	queue, cancels := policy{schema.BusyQueue, true}, policy{schema.BusyCancelPrev, true}
	parallel, allow := policy{schema.BusyParallel, true}, policy{schema.BusyAllow, true}

	for _, c := range []struct {
		when   question // the overlap and the load aside
		by     policy
		expect string
	}{
		{question{}, mild, "start replace wait"},
		{question{}, skips, "start replace skip:overlap"},
		{question{}, queue, "start wait wait"},
		{question{}, cancels, "start cancel cancel"},
		{question{}, parallel, "start start start"},
		{question{}, allow, "start start start"},

		// What overlap puts off or skips, failure is not asked about; what is skipped for
		// a failure takes nobody's place.
		{question{failed: true, failure: schema.FailedSkip}, mild, "skip:failure skip:failure wait"},
		{question{failed: true, failure: schema.FailedSkip}, skips, "skip:failure skip:failure skip:overlap"},
		{question{failed: true, failure: schema.FailedSkip}, queue, "skip:failure wait wait"},
		{question{failed: true, failure: schema.FailedSkip}, cancels, "skip:failure skip:failure skip:failure"},
		{question{failed: true, failure: schema.FailedSkip}, parallel, "skip:failure skip:failure skip:failure"},
		{question{failed: true, failure: schema.FailedSkip}, allow, "skip:failure skip:failure skip:failure"},
		{question{failure: schema.FailedSkip}, allow, "start start start"},
		{question{failed: true, failure: schema.FailedRunNew}, allow, "start start start"},
		{question{failed: true, failure: schema.FailedRetry}, allow, "start start start"},

		// The plan's own limit counts where occurrences may run beside each other.
		{question{full: true, concurrency: schema.FullQueue}, allow, "wait wait wait"},
		{question{full: true, concurrency: schema.FullSkip}, allow, "skip:concurrency skip:concurrency skip:concurrency"},
		{question{full: true, concurrency: schema.FullParallel}, allow, "start start start"},
		{question{full: true, concurrency: schema.FullQueue}, parallel, "start start start"},
		{question{full: true, concurrency: schema.FullSkip}, parallel, "start start start"},
		{question{full: true, concurrency: schema.FullSkip}, mild, "skip:concurrency replace wait"},
		{question{full: true, concurrency: schema.FullSkip}, skips, "skip:concurrency replace skip:overlap"},
		{question{full: true, concurrency: schema.FullSkip}, queue, "skip:concurrency wait wait"},
		{question{full: true, concurrency: schema.FullSkip}, cancels, "skip:concurrency cancel cancel"},
		{question{full: true, concurrency: schema.FullSkip, failed: true, failure: schema.FailedSkip}, allow, "skip:failure skip:failure skip:failure"},

		// A station that is full is so to every policy.
		{question{station: refused}, mild, "skip:concurrency skip:concurrency wait"},
		{question{station: refused}, skips, "skip:concurrency skip:concurrency skip:overlap"},
		{question{station: refused}, queue, "skip:concurrency wait wait"},
		{question{station: refused}, cancels, "skip:concurrency cancel cancel"},
		{question{station: refused}, parallel, "skip:concurrency skip:concurrency skip:concurrency"},
		{question{station: refused}, allow, "skip:concurrency skip:concurrency skip:concurrency"},
		{question{station: refused, failed: true, failure: schema.FailedSkip}, allow, "skip:failure skip:failure skip:failure"},
		{question{station: inLine}, mild, "wait replace wait"},
		{question{station: inLine}, skips, "wait replace skip:overlap"},
		{question{station: inLine}, queue, "wait wait wait"},
		{question{station: inLine}, cancels, "wait cancel cancel"},
		{question{station: inLine}, parallel, "wait wait wait"},
		{question{station: inLine}, allow, "wait wait wait"},
		{question{station: inLine, full: true, concurrency: schema.FullSkip}, allow, "skip:concurrency skip:concurrency skip:concurrency"},
	} {
		q := c.when
		q.overlap, q.asked = c.by.overlap, c.by.asked
		var got []string
		for l := state.Idle; l <= state.Executing; l++ {
			q.load = l
			got = append(got, verdictNames[admit(q)])
		}
		if s := strings.Join(got, " "); s != c.expect {
			t.Errorf("%+v: %s, want %s", q, s, c.expect)
		}
	}
}

// TestPortion divides a station's limit: no more than it together, and one at least.
func TestPortion(t *testing.T) {
	for _, c := range []struct {
		limit, count int64
		want         string
	}{
		{0, 3, "[0 0 0]"}, {-1, 2, "[0 0]"}, {1, 1, "[1]"}, {7, 1, "[7]"}, {7, 3, "[3 2 2]"}, {8, 3, "[3 3 2]"}, {9, 3, "[3 3 3]"},
		{2, 4, "[1 1 1 1]"}, // each partition's plans have to run at all
	} {
		var got []int64
		for i := range c.count {
			got = append(got, portion(c.limit, i, c.count))
		}
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%d among %d: %s, want %s", c.limit, c.count, s, c.want)
		}
	}
}

// TestLoad tells what a plan is busy with.
func TestLoad(t *testing.T) {
	waiting, out, unserved := &state.Occurrence{}, &state.Occurrence{Live: []*state.Execution{{}}}, &state.Occurrence{Live: []*state.Execution{{Misses: 1, Retry: 1}}}
	for _, c := range []struct {
		open []*state.Occurrence
		want state.Busy
	}{
		{nil, state.Idle},
		{[]*state.Occurrence{waiting}, state.Waits},
		{[]*state.Occurrence{unserved}, state.Waits}, // nobody has it
		{[]*state.Occurrence{out}, state.Executing},
		{[]*state.Occurrence{waiting, out}, state.Executing},
	} {
		p := &state.Plan{Record: state.Record{Open: c.open}}
		if got := p.Busy(); got != c.want {
			t.Errorf("%d open: load %d, want %d", len(c.open), got, c.want)
		}
	}
}
