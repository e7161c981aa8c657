package machine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// admitted is an occurrence's admission as the table has it, with the reason.
func admitted(q admission.Question) string {
	do, why := admission.Admit(&q)
	name := map[admission.Action]string{
		admission.Start: "start", admission.Wait: "wait", admission.Replace: "replace", admission.Cancel: "cancel", admission.Skip: "skip",
	}[do]
	if do == admission.Skip {
		name += ":" + string(why)
	}
	return name
}

// TestAdmit checks every cell of the table of reasons that keep an occurrence back. The columns
// are the plan's states, which are idle, waits and executing.
func TestAdmit(t *testing.T) {
	type policy struct {
		overlap schema.WhenBusy
		asked   bool
	}
	mild, skips := policy{schema.BusySkip, false}, policy{schema.BusySkip, true}
	queue, cancels := policy{schema.BusyQueue, true}, policy{schema.BusyCancelPrev, true}
	parallel, allow := policy{schema.BusyParallel, true}, policy{schema.BusyAllow, true}

	for _, c := range []struct {
		when   admission.Question // the overlap and the load aside
		by     policy
		expect string
	}{
		{admission.Question{}, mild, "start replace wait"},
		{admission.Question{}, skips, "start replace skip:overlap"},
		{admission.Question{}, queue, "start wait wait"},
		{admission.Question{}, cancels, "start cancel cancel"},
		{admission.Question{}, parallel, "start start start"},
		{admission.Question{}, allow, "start start start"},

		// An occurrence that overlap puts off or skips is not judged by failure; one that is
		// skipped for a failure takes no slot.
		{admission.Question{Failed: true, Failure: schema.FailedSkip}, mild, "skip:failure skip:failure wait"},
		{admission.Question{Failed: true, Failure: schema.FailedSkip}, skips, "skip:failure skip:failure skip:overlap"},
		{admission.Question{Failed: true, Failure: schema.FailedSkip}, queue, "skip:failure wait wait"},
		{admission.Question{Failed: true, Failure: schema.FailedSkip}, cancels, "skip:failure skip:failure skip:failure"},
		{admission.Question{Failed: true, Failure: schema.FailedSkip}, parallel, "skip:failure skip:failure skip:failure"},
		{admission.Question{Failed: true, Failure: schema.FailedSkip}, allow, "skip:failure skip:failure skip:failure"},
		{admission.Question{Failure: schema.FailedSkip}, allow, "start start start"},
		{admission.Question{Failed: true, Failure: schema.FailedRunNew}, allow, "start start start"},
		{admission.Question{Failed: true, Failure: schema.FailedRetry}, allow, "start start start"},

		// The plan's own limit counts where occurrences may run beside each other.
		{admission.Question{Full: true, Concurrency: schema.FullQueue}, allow, "wait wait wait"},
		{admission.Question{Full: true, Concurrency: schema.FullSkip}, allow, "skip:concurrency skip:concurrency skip:concurrency"},
		{admission.Question{Full: true, Concurrency: schema.FullParallel}, allow, "start start start"},
		{admission.Question{Full: true, Concurrency: schema.FullQueue}, parallel, "start start start"},
		{admission.Question{Full: true, Concurrency: schema.FullSkip}, parallel, "start start start"},
		{admission.Question{Full: true, Concurrency: schema.FullSkip}, mild, "skip:concurrency replace wait"},
		{admission.Question{Full: true, Concurrency: schema.FullSkip}, skips, "skip:concurrency replace skip:overlap"},
		{admission.Question{Full: true, Concurrency: schema.FullSkip}, queue, "skip:concurrency wait wait"},
		{admission.Question{Full: true, Concurrency: schema.FullSkip}, cancels, "skip:concurrency cancel cancel"},
		{admission.Question{Full: true, Concurrency: schema.FullSkip, Failed: true, Failure: schema.FailedSkip}, allow, "skip:failure skip:failure skip:failure"},

		// A station that is full is so to every policy.
		{admission.Question{Station: admission.Full}, mild, "skip:concurrency skip:concurrency wait"},
		{admission.Question{Station: admission.Full}, skips, "skip:concurrency skip:concurrency skip:overlap"},
		{admission.Question{Station: admission.Full}, queue, "skip:concurrency wait wait"},
		{admission.Question{Station: admission.Full}, cancels, "skip:concurrency cancel cancel"},
		{admission.Question{Station: admission.Full}, parallel, "skip:concurrency skip:concurrency skip:concurrency"},
		{admission.Question{Station: admission.Full}, allow, "skip:concurrency skip:concurrency skip:concurrency"},
		{admission.Question{Station: admission.Full, Failed: true, Failure: schema.FailedSkip}, allow, "skip:failure skip:failure skip:failure"},
		{admission.Question{Station: admission.InLine}, mild, "wait replace wait"},
		{admission.Question{Station: admission.InLine}, skips, "wait replace skip:overlap"},
		{admission.Question{Station: admission.InLine}, queue, "wait wait wait"},
		{admission.Question{Station: admission.InLine}, cancels, "wait cancel cancel"},
		{admission.Question{Station: admission.InLine}, parallel, "wait wait wait"},
		{admission.Question{Station: admission.InLine}, allow, "wait wait wait"},
		{admission.Question{Station: admission.InLine, Full: true, Concurrency: schema.FullSkip}, allow, "skip:concurrency skip:concurrency skip:concurrency"},
	} {
		q := c.when
		q.Overlap, q.Asked = c.by.overlap, c.by.asked
		var got []string
		for l := state.Idle; l <= state.Executing; l++ {
			q.Load = l
			got = append(got, admitted(q))
		}
		if s := strings.Join(got, " "); s != c.expect {
			t.Errorf("%+v: %s, want %s", q, s, c.expect)
		}
	}
}

// TestPortion divides a station's limit into parts of one at least, which are no more than it
// together.
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
			got = append(got, partition.Portion(c.limit, i, c.count))
		}
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%d among %d: %s, want %s", c.limit, c.count, s, c.want)
		}
	}
}

// TestLoad checks the computed state of a plan's earlier occurrences.
func TestLoad(t *testing.T) {
	waiting, out, unserved := &state.Occurrence{}, &state.Occurrence{Live: []*state.Execution{{}}}, &state.Occurrence{Live: []*state.Execution{{Misses: 1, Retry: 1}}}
	for _, c := range []struct {
		open []*state.Occurrence
		want state.Busy
	}{
		{nil, state.Idle},
		{[]*state.Occurrence{waiting}, state.Waits},
		{[]*state.Occurrence{unserved}, state.Waits}, // no worker has it
		{[]*state.Occurrence{out}, state.Executing},
		{[]*state.Occurrence{waiting, out}, state.Executing},
	} {
		p := &state.Plan{Record: state.Record{Open: c.open}}
		if got := p.Busy(); got != c.want {
			t.Errorf("%d open: load %d, want %d", len(c.open), got, c.want)
		}
	}
}
