package front_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// keep stores a result as the scheduler would, and waits until it is stored.
func (d *harness) keep(enc wire.Encoding, r schema.Result) {
	d.t.Helper()
	body, err := wire.Marshal(enc, r)
	if err != nil {
		d.t.Fatal(err)
	}
	d.keepRaw(r.PlanID, body)
}

func (d *harness) keepRaw(planID string, body []byte) {
	d.t.Helper()
	ack, err := d.nc.Request(storage.Kept(d.space, d.space.Result("s", planID)), body, nats.DefaultTimeout)
	if err != nil || !strings.Contains(string(ack.Data), `"seq"`) {
		d.t.Fatalf("keep a result: %s, %v", ack.Data, err)
	}
}

// result is run n of a plan that the partition accepted as its incarnation-th.
func result(planID string, incarnation, n int64, state schema.State) schema.Result {
	return schema.Result{
		PlanID: planID, Station: "s", N: n, State: state,
		Key: fmt.Sprintf("s/%s/%d/%d", planID, incarnation, n),
	}
}

// runIDs lists runs as "<incarnation>.<n> <state>".
func runIDs(runs []wire.Value) []string {
	ids := []string{}
	for _, v := range runs {
		var r schema.Result
		if err := wire.DecodeLoose(v, &r); err != nil {
			panic(err)
		}
		ids = append(ids, fmt.Sprintf("%s.%d %s", strings.Split(r.Key, "/")[2], r.N, r.State))
	}
	return ids
}

// Runs are those under way and those that have ended, newest first, in the reader's encoding
// whichever the plan's was.
func TestRuns(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		running := result("p", 9, 2, schema.StateRunning)
		l := answering([]schema.Result{running}, nil)
		d := openOn(t, ns, l)
		first := result("p", 9, 1, schema.StateOK)
		first.Content = value(t, `{"sum":3}`)
		d.keep(wire.MsgPack, first)
		d.keepRaw("p", []byte("no result at all"))
		d.want("plans.runs", `{"station":"s","plan_id":"p"}`,
			`{"runs":[{"plan_id":"p","station":"s","occurrence":0,"attempt":0,"n":2,"key":"s/p/9/2","state":"running","real_repet":0,"skip_num":0,"final":false},`+
				`{"plan_id":"p","station":"s","occurrence":0,"attempt":0,"n":1,"key":"s/p/9/1","state":"ok","content":{"sum":3},"real_repet":0,"skip_num":0,"final":false}],"looked_at":2,"complete":true}`)
		if got, want := l.commands()[0], (command.OpenRuns{Name: schema.PlanName{Station: "s", PlanID: "p"}}); got != want {
			t.Errorf("asked for %v", got)
		}
		d.want("plans.runs", `{"station":"s","plan_id":"q","state":"ok"}`, `{"runs":[],"looked_at":1,"complete":true}`)
	})
}

// A run that ended between the two reads is listed once, with its end.
func TestRunsPreferResult(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result{result("p", 1, 3, schema.StateRunning)}, nil))
		d.keep(wire.JSON, result("p", 1, 3, schema.StateOK))
		for filter, want := range map[string][]string{``: {"1.3 ok"}, `,"state":"running"`: {}, `,"state":"ok"`: {"1.3 ok"}} {
			var p schema.RunPage
			d.page(wire.JSON, "plans.runs", `{"station":"s","plan_id":"p"`+filter+`}`, &p)
			if diff := gocmp.Diff(want, runIDs(p.Runs)); diff != "" || p.Next != "" {
				t.Errorf("%s: next %q (-want +got):\n%s", filter, p.Next, diff)
			}
		}
	})
}

// Pages in order hold every run once, the newest first, also when executions ended
// in another order than they began and when an id was used again.
func TestRunsProperty(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var under []schema.Result
		l := &leader{script: func(int, command.Command) (any, error) { return under, nil }}
		d := openOn(t, ns, l)
		plans := 0
		rapid.Check(inBubble{t}, func(rt *rapid.T) {
			plans++
			id := fmt.Sprintf("p%d", plans)
			var want []string
			var ended, open []schema.Result
			newest := rapid.Int64Range(1, 3).Draw(rt, "incarnations")
			for incarnation := int64(1); incarnation <= newest; incarnation++ {
				for n := int64(1); n <= rapid.Int64Range(0, 8).Draw(rt, "runs"); n++ {
					state := rapid.SampledFrom([]schema.State{schema.StateOK, schema.StateError, schema.StateRunning}).Draw(rt, "state")
					switch r := result(id, incarnation, n, state); {
					case state != schema.StateRunning:
						ended = append(ended, r)
					case incarnation == newest:
						open = append(open, r)
					}
				}
			}
			under = open
			for _, i := range rapid.Permutation(ended).Draw(rt, "order of ends") {
				d.keep(rapid.SampledFrom(encodings).Draw(rt, "encoding"), i)
			}
			state := rapid.SampledFrom([]schema.State{"", schema.StateOK, schema.StateRunning}).Draw(rt, "filter")
			all := append(ended, open...)
			slices.SortFunc(all, func(a, b schema.Result) int {
				return cmp.Or(strings.Compare(strings.Split(b.Key, "/")[2], strings.Split(a.Key, "/")[2]), cmp.Compare(b.N, a.N))
			})
			for _, r := range all {
				if state == "" || r.State == state {
					want = append(want, fmt.Sprintf("%s.%d %s", strings.Split(r.Key, "/")[2], r.N, r.State))
				}
			}
			limit := rapid.IntRange(1, 6).Draw(rt, "limit")
			var got []string
			for cursor, pages := "", 0; cursor != "" || pages == 0; pages++ {
				var p schema.RunPage
				d.page(wire.JSON, "plans.runs", fmt.Sprintf(`{"station":"s","plan_id":%q,"state":%q,"limit":%d,"cursor":%q}`, id, state, limit, cursor), &p)
				got = append(got, runIDs(p.Runs)...)
				cursor = p.Next
				if pages > 100 || cursor != "" && len(p.Runs) < limit {
					rt.Fatalf("page %d has %d of %d runs, next %q", pages, len(p.Runs), limit, cursor)
				}
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				rt.Fatalf("(-want +got):\n%s", diff)
			}
		})
	})
}

// A page stops at 512 KiB; the next one goes on behind it.
func TestRunsPageIsBounded(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result(nil), nil))
		var want []string
		for n := int64(1); n <= 20; n++ {
			r := result("p", 1, n, schema.StateOK)
			r.Content = value(t, `["`+strings.Repeat("x", 60<<10)+`"]`)
			d.keep(wire.JSON, r)
			want = append([]string{fmt.Sprintf("1.%d ok", n)}, want...)
		}
		for _, enc := range encodings {
			var got []string
			pages := 0
			for cursor := ""; cursor != "" || pages == 0; pages++ {
				var p schema.RunPage
				if size := d.page(enc, "plans.runs", fmt.Sprintf(`{"station":"s","plan_id":"p","cursor":%q}`, cursor), &p); size > 520<<10 {
					t.Errorf("an answer of %d bytes", size)
				}
				got = append(got, runIDs(p.Runs)...)
				cursor = p.Next
			}
			if diff := gocmp.Diff(want, got); diff != "" || pages != 3 {
				t.Errorf("%d pages (-want +got):\n%s", pages, diff)
			}
		}
	})
}

func TestRunsRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result(nil), nil))
		for _, c := range []struct{ rest, field, hint string }{
			{`"limit":0`, "limit", "1 to 1000"}, {`"limit":"all"`, "limit", "whole number"},
			{`"state":"done"`, "state", "cancelled"}, {`"cursor":"cGE"`, "cursor", "leave it out"}, {`"cursor":"cjEvYg"`, "cursor", "leave it out"},
		} {
			d.refuse("plans.runs", `{"station":"s","plan_id":"p",`+c.rest+`}`, schema.CodeInvalidPlan, c.field, c.hint)
		}
	})
}

// One run is found under way or ended, and the error explains why there is none.
func TestRun(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: func(_ int, c command.Command) (any, error) {
			if name := c.(command.OpenRuns).Name; name.PlanID == "gone" {
				return []schema.Result(nil), nil
			}
			return []schema.Result{result("p", 9, 12, schema.StateRunning), result("p", 9, 11, schema.StateRunning)}, nil
		}})
		for n, state := range map[int64]schema.State{10: schema.StateError, 11: schema.StateOK} {
			d.keep(wire.MsgPack, result("p", 9, n, state))
		}
		d.keep(wire.JSON, result("p", 5, 10, schema.StateSkipped)) // of another plan that had the name
		d.keep(wire.JSON, result("p", 5, 13, schema.StateOK))
		d.keep(wire.JSON, result("gone", 1, 2, schema.StateOK))
		for body, want := range map[string]string{
			`{"station":"s","plan_id":"p","n":12}`:   "9.12 running",
			`{"station":"s","plan_id":"p","n":11}`:   "9.11 ok", // it ended while we looked
			`{"station":"s","plan_id":"p","n":10}`:   "9.10 error",
			`{"station":"s","plan_id":"p","n":13}`:   "5.13 ok",
			`{"station":"s","plan_id":"gone","n":2}`: "1.2 ok",
		} {
			for _, enc := range encodings {
				var got schema.RunView
				d.page(enc, "plans.run", body, &got)
				if id := runIDs([]wire.Value{got.Run})[0]; id != want {
					t.Errorf("%s: %s, want %s", body, id, want)
				}
			}
		}
		d.refuse("plans.run", `{"station":"s","plan_id":"p","n":14}`, schema.CodeNotFound, "n", "no run 14 of s/p yet: its newest is 12")
		d.refuse("plans.run", `{"station":"s","plan_id":"gone","n":1}`, schema.CodeNotFound, "n", "no run 1 of s/gone any more: its newest is 2")
	})
}

// A plan that never existed has no runs, and none can be found.
func TestRunOfNothing(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result(nil), nil))
		d.refuse("plans.run", `{"station":"s","plan_id":"q","n":1}`, schema.CodeNotFound, "n", "nothing of such a plan")
		d = open(t, answering(nil, &schema.Error{Code: schema.CodeUnavailable, Message: "no leader"}))
		d.refuse("plans.run", `{"station":"s","plan_id":"q","n":1}`, schema.CodeUnavailable, "", "no leader")
	})
}
