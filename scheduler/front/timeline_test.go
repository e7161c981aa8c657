package front_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// sees is a timeline in words: its lanes with the ends of bars in times five seconds from a moment, or with counts.
func sees(tl *schema.Timeline, began time.Time) string {
	var lanes []string
	clock := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return fmt.Sprint(t.Sub(began).Seconds() / 5)
	}
	for _, l := range tl.Lanes {
		text := l.Name + ":"
		for _, b := range l.Bars {
			text += fmt.Sprintf(" %d.%d %s-%s %s", b.N, b.Attempt, clock(b.Start), clock(b.End), b.State)
		}
		for i, b := range l.Buckets {
			if b.Count > 0 {
				text += fmt.Sprintf(" %d:%d/%d", i, b.Count, b.Bad)
			}
		}
		lanes = append(lanes, text)
	}
	return strings.Join(lanes, "; ")
}

// A timeline has the runs that its time meets: those that ended in it or later, and what is open by its
// leaders. A run that ends meanwhile is there once.
func TestTimeline(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		began := time.Now().UTC().Truncate(time.Second).Add(-5 * time.Minute)
		at := func(m int) time.Time { return began.Add(time.Duration(m) * 5 * time.Second) }
		open := func(plan string, n int64, start int, state schema.State) command.OpenRun {
			out := command.OpenRun{TimelineBar: schema.TimelineBar{Station: "a", PlanID: plan, N: n, Attempt: 1, Due: at(start), Start: at(start), State: state}, WorkerID: "w2"}
			if state == schema.StateWaiting {
				out.Attempt, out.Start, out.WorkerID = 0, time.Time{}, ""
			}
			return out
		}
		l := &leader{script: func(partition int, c command.Command) (any, error) {
			ask, is := c.(command.ListOpen)
			switch {
			case !is || !ask.Before.Equal(at(20)) && ask.Before.Before(at(60)):
				return nil, &schema.Error{Code: schema.CodeInternal, Message: fmt.Sprintf("asked for %+v", c)}
			case ask.Station == "b.>" || partition == 0 && ask.After > 7:
				return command.OpenSlice{}, nil
			case partition == 1:
				return command.OpenSlice{Open: []command.OpenRun{open("q", 0, 5, schema.StateWaiting)}}, nil
			case ask.After == 0:
				return command.OpenSlice{Open: []command.OpenRun{open("p", 9, 5, schema.StateRunning)}, Last: 7, More: true}, nil
			default:
				return command.OpenSlice{Open: []command.OpenRun{open("p", 4, 12, schema.StateRunning)}, Last: 8}, nil
			}
		}}
		d := openOn(t, ns, l, func(c *front.Config) { c.Space, c.Now = schema.Space{Partitions: 2}, time.Now })
		keep := func(station, plan string, n int64, state schema.State, start, end int) {
			r := ran(station, plan, n, state, at(end))
			if r.PlanTime, r.Attempt = at(max(start, 0)), 1; start >= 0 {
				r.ExecTime, r.WorkerID = at(start), "w1"
			} else {
				r.Reason = schema.ReasonMissed
			}
			d.keepOf([]wire.Encoding{wire.JSON, wire.MsgPack}[n%2], r)
		}
		keep("a", "p", 1, schema.StateOK, 1, 9)        // before
		keep("a", "p", 2, schema.StateTimeout, 2, 10)  // reaches into it
		keep("a", "p", 3, schema.StateSkipped, -1, 11) // without a length
		keep("b.c", "x", 1, schema.StateError, 15, 16)
		d.keepRaw("p", []byte("no result at all"))
		keep("a", "p", 4, schema.StateOK, 12, 13) // it was open a moment ago
		keep("a", "p", 5, schema.StateOK, 20, 21) // begins behind it
		keep("b.c", "x", 2, schema.StateOK, 19, 55)
		ask := func(more string) (got schema.Timeline) {
			t.Helper()
			d.page(wire.JSON, "plans.timeline", fmt.Sprintf(`{"from":%q,"until":%q%s}`, at(10).Format(time.RFC3339), at(20).Format(time.RFC3339), more), &got)
			if !got.From.Equal(at(10)) || !got.Until.Equal(at(20)) || got.Complete != nil {
				t.Errorf("%+v", got)
			}
			return got
		}
		const p = "a/p: 2.1 2-10 timeout 9.1 5- running 3.1 -11 skipped 4.1 12-13 ok"
		for more, want := range map[string]string{
			``:                                   p + "; a/q: 0.0 - waiting; b.c/x: 1.1 15-16 error 2.1 19-55 ok",
			`,"station":"b.>"`:                   "b.c/x: 1.1 15-16 error 2.1 19-55 ok",
			`,"lanes":"station","station":"b.>"`: "b.c: 1.1 15-16 error 2.1 19-55 ok",
			`,"lanes":"worker"`:                  ": 0.0 - waiting 3.1 -11 skipped; w1: 2.1 2-10 timeout 4.1 12-13 ok 1.1 15-16 error 2.1 19-55 ok; w2: 9.1 5- running",
			`,"max":6`:                           "a/p: 0:2/1 5:1/1 10:1/0; a/q: 0:1/0; b.c/x: 25:1/1 45:1/0",
			`,"max":7`:                           p + "; a/q: 0.0 - waiting; b.c/x: 1.1 15-16 error 2.1 19-55 ok",
		} {
			got := ask(more)
			if sees := sees(&got, began); sees != want {
				t.Errorf("%s:\ngot  %s\nwant %s", more, sees, want)
			}
			if counted := more == `,"max":6`; counted != (got.StepMS == 1000) || counted && len(got.Lanes[0].Buckets) != 50 {
				t.Errorf("%s: buckets of %d ms", more, got.StepMS)
			}
		}
		var now schema.Timeline // the last hour
		d.page(wire.MsgPack, "plans.timeline", `{"lanes":"station"}`, &now)
		if got := sees(&now, began); !strings.HasSuffix(got, "; b.c: 1.1 15-16 error 2.1 19-55 ok") || strings.Count(got, "a: ") != 1 {
			t.Errorf("the last hour: %s", got)
		}
	})
}

// Lanes that are too many to be shown are one lane.
func TestATimelineOfManyLanes(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		now := time.Now().UTC().Truncate(time.Second)
		script := func(_ int, c command.Command) (any, error) {
			var out command.OpenSlice
			for i := range 2500 {
				for range 1 + i/2490 {
					n := int64(len(out.Open) + 1)
					out.Open = append(out.Open, command.OpenRun{TimelineBar: schema.TimelineBar{Station: "s", PlanID: fmt.Sprintf("p%04d", i), N: n, Start: now.Add(-time.Minute), State: schema.StateRunning}})
				}
			}
			return out, nil
		}
		d := openOn(t, ns, &leader{script: script}, func(c *front.Config) { c.Now = time.Now })
		var got schema.Timeline
		d.page(wire.JSON, "plans.timeline", `{}`, &got)
		total := int64(0)
		for _, l := range got.Lanes {
			for _, b := range l.Buckets {
				total += b.Count
			}
		}
		last := got.Lanes[len(got.Lanes)-1]
		if total != 2510 || len(got.Lanes) != 151 || last.Name != schema.OtherLanes || got.Complete != nil {
			t.Errorf("%d runs in %d lanes, the last is %q", total, len(got.Lanes), last.Name)
		}
	})
}

// threeRuns have ended, and the leader takes its time to answer that none is open.
func threeRuns(t *testing.T, ns *server.Server, took time.Duration) *harness {
	slow := func(int, command.Command) (any, error) {
		time.Sleep(took)
		return command.OpenSlice{}, nil
	}
	d := openOn(t, ns, &leader{script: slow}, func(c *front.Config) { c.Now = time.Now })
	for n := range int64(3) {
		r := ran("a", "p", n+1, schema.StateOK, time.Now())
		r.ExecTime = time.Now()
		d.keepOf(wire.JSON, r)
	}
	return d
}

// A timeline that takes too long to read says that it is not complete.
func TestATimelineThatIsNotComplete(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := threeRuns(t, ns, 3*time.Second)
		var got schema.Timeline
		d.page(wire.JSON, "plans.timeline", `{}`, &got)
		if got.Complete == nil || *got.Complete || len(got.Lanes) != 1 || got.Lanes[0].Bars[0].N != 3 {
			t.Errorf("%+v", got)
		}
	})
}

// A timeline that was shown before counts the same runs and those since, while results come in and the
// stream drops the oldest of a plan. Runs whose results are gone stay counted, and have no bar.
func TestATimelineIsReadOnce(t *testing.T) {
	d := open(t, answering(command.OpenSlice{}, nil), func(c *front.Config) { c.Now = time.Now })
	shown := func(most int) (bars, runs, bad int64) {
		var got schema.Timeline
		d.page(wire.JSON, "plans.timeline", fmt.Sprintf(`{"max":%d}`, most), &got)
		for _, l := range got.Lanes {
			bars += int64(len(l.Bars))
			for _, b := range l.Buckets {
				runs, bad = runs+b.Count, bad+b.Bad
			}
		}
		if got.Complete != nil {
			t.Error("not complete")
		}
		return bars, runs, bad
	}
	for round := range int64(5) {
		for n := range int64(300) {
			r := ran(fmt.Sprint("s", n%3), fmt.Sprint(n%7), round*300+n+1, schema.StateOK, time.Now())
			if r.ExecTime = time.Now().Add(-time.Second); n%10 == 0 {
				r.State = schema.StateError
			}
			d.keepOf([]wire.Encoding{wire.JSON, wire.MsgPack}[n%2], r)
		}
		if _, runs, bad := shown(100); runs != (round+1)*300 || bad != runs/10 {
			t.Errorf("round %d: %d runs, %d of them bad", round, runs, bad)
		}
		if bars, _, _ := shown(2000); bars != (round+1)*300 {
			t.Errorf("round %d: %d bars", round, bars)
		}
	}
	d.forget("s1.3")
	bars, _, _ := shown(2000)
	if _, runs, _ := shown(100); runs != 1500 || bars >= 1500 || bars < 1400 {
		t.Errorf("%d runs and %d bars after some were dropped", runs, bars)
	}
}

// A client that wants something at once gets the newest runs.
func TestATimelineWithinAMoment(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := threeRuns(t, ns, 20*time.Millisecond)
		for i, want := range []int{1, 3, 3} { // what was read is known afterwards, however short the time is
			var got schema.Timeline
			d.page(wire.JSON, "plans.timeline", fmt.Sprintf(`{"within_ms":%d}`, []int{10, 30, 10}[i]), &got)
			if missing := got.Complete != nil && !*got.Complete; missing != (want < 3) || len(got.Lanes) != 1 || len(got.Lanes[0].Bars) != want || got.Lanes[0].Bars[want-1].N != 3 {
				t.Errorf("answer %d: %+v", i+1, got)
			}
		}
		d.refuse("plans.timeline", `{"within_ms":2001}`, schema.CodeInvalidPlan, "within_ms", "")
	})
}

// A timeline refuses times that are not one behind the other, or too far apart, and unknown words.
func TestATimelineRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: obliging})
		for body, field := range map[string]string{
			`{"lanes":"tenant"}`: "lanes", `{"max":0}`: "max", `{"max":2001}`: "max", `{"station":"a b"}`: "station", `{"from":"now"}`: "from",
			`{"from":"2026-03-01T12:00:01Z"}`: "until", `{"from":"2026-03-01T10:00:00Z","until":"2026-03-01T10:00:00Z"}`: "until",
			`{"from":"2026-02-28T10:00:00Z","until":"2026-03-01T10:00:00.001Z"}`: "until",
		} {
			d.refuse("plans.timeline", body, schema.CodeInvalidPlan, field, "")
		}
		var got schema.Timeline
		d.page(wire.JSON, "plans.timeline", `{"from":"2026-02-28T10:00:00Z","until":"2026-03-01T10:00:00Z"}`, &got)
		if len(got.Lanes) != 0 || got.Lanes == nil {
			t.Errorf("%+v", got)
		}
	})
}
