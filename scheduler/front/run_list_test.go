package front_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ran is a result of a station's plan that ended at a moment.
func ran(station, planID string, n int64, state schema.State, end time.Time) schema.Result {
	return schema.Result{
		Station: station, PlanID: planID, N: n, State: state, EndTime: end,
		Key: fmt.Sprintf("%s/%s/7/%d", station, planID, n),
	}
}

// listed lists runs, page by page, as "station/id.n state".
func (d *harness) listed(ask map[string]any) (rows []string, pages int) {
	d.t.Helper()
	for cursor := ""; ; {
		request := map[string]any{"cursor": cursor}
		for k, v := range ask {
			request[k] = v
		}
		body, err := wire.Marshal(wire.JSON, request)
		if err != nil {
			d.t.Fatal(err)
		}
		var page schema.RunPage
		d.page(wire.JSON, "plans.runs", string(body), &page)
		for _, v := range page.Runs {
			var r schema.Result
			if err := wire.DecodeLoose(v, &r); err != nil {
				d.t.Fatal(err)
			}
			rows = append(rows, fmt.Sprintf("%s/%s.%d %s", r.Station, r.PlanID, r.N, r.State))
		}
		if pages++; page.Next == "" {
			return rows, pages
		}
		if page.Next == cursor {
			d.t.Fatal("a page came no further")
		}
		cursor = page.Next
	}
}

// Runs of all plans are listed by state, station, labels and time, the newest first, also of
// plans that are gone.
func TestRunsOfAllPlans(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result(nil), nil))
		// Results are stored when they end, so these have just ended.
		began := time.Now().UTC().Truncate(time.Second).Add(-5 * time.Minute)
		at := func(m int) time.Time { return began.Add(time.Duration(m) * time.Minute) }
		blue := ran("a", "1", 2, schema.StateError, at(2))
		blue.Labels = map[string]string{"team": "blue", "tier": "1"}
		blue.Command = "Nightly report"
		first := ran("a", "1", 1, schema.StateOK, at(1))
		first.WorkerID, first.ExecTime, first.Content = "w1", at(1).Add(-5*time.Second), wire.MapOf(wire.JSON, []byte(`"rows":3`), 1)
		timeout := ran("a.b", "1", 1, schema.StateTimeout, at(3))
		timeout.WorkerID, timeout.Final = "w1", true
		missed := ran("a.b.c", "2", 1, schema.StateSkipped, at(3))
		missed.Reason, missed.Final = schema.ReasonMissed, true
		d.keepOf(wire.JSON, first)
		d.keepOf(wire.MsgPack, blue)
		d.keepOf(wire.JSON, timeout)
		d.keepOf(wire.JSON, missed)
		gaveWay := ran("cron", "3", 1, schema.StateSkipped, at(3)) // when it had failed
		gaveWay.Reason, gaveWay.Error = schema.ReasonOverlap, wire.Text(wire.JSON, "no disk")
		d.keepOf(wire.JSON, gaveWay)
		d.keepRaw("p", []byte("no result at all"))
		d.keepOf(wire.MsgPack, ran("ab", "1", 9, schema.StateFailure, at(4)))
		if page, _ := d.ask(wire.JSON, "plans.runs", `{"state":"ok"}`); !strings.Contains(page, `"plan_id":"1"`) || strings.Contains(page, "next") {
			t.Error(page)
		}
		for _, c := range []struct {
			ask  map[string]any
			want []string
		}{
			{nil, []string{"ab/1.9 failure", "cron/3.1 skipped", "a.b.c/2.1 skipped", "a.b/1.1 timeout", "a/1.2 error", "a/1.1 ok"}},
			{map[string]any{"failed": true}, []string{"ab/1.9 failure", "cron/3.1 skipped", "a.b/1.1 timeout", "a/1.2 error"}},
			{map[string]any{"failed": false, "state": "skipped"}, []string{"cron/3.1 skipped", "a.b.c/2.1 skipped"}},
			{map[string]any{"station": "a"}, []string{"a/1.2 error", "a/1.1 ok"}},
			{map[string]any{"station": "a.>"}, []string{"a.b.c/2.1 skipped", "a.b/1.1 timeout"}},
			{map[string]any{"station": "a.b.>"}, []string{"a.b.c/2.1 skipped"}},
			{map[string]any{"station": "a", "failed": true, "plan_id": "1"}, []string{"a/1.2 error"}},
			{map[string]any{"station": "a", "plan_id": "1", "from": at(2)}, []string{"a/1.2 error"}},
			{map[string]any{"station": "a", "plan_id": "1", "to": at(2)}, []string{"a/1.1 ok"}},
			{map[string]any{"station": "c"}, nil},
			{map[string]any{"labels": map[string]any{"team": "blue"}}, []string{"a/1.2 error"}},
			{map[string]any{"labels": map[string]any{"team": "blue", "tier": "2"}}, nil},
			{map[string]any{"from": at(2), "to": at(4)}, []string{"cron/3.1 skipped", "a.b.c/2.1 skipped", "a.b/1.1 timeout", "a/1.2 error"}},
			{map[string]any{"from": at(4)}, []string{"ab/1.9 failure"}},
			{map[string]any{"to": at(2)}, []string{"a/1.1 ok"}},
			{map[string]any{"from": at(60)}, nil},
			{map[string]any{"until": at(2)}, []string{"a/1.1 ok"}},
			{map[string]any{"reason": "overlap"}, []string{"cron/3.1 skipped"}},
			{map[string]any{"trouble": true}, []string{"ab/1.9 failure", "a.b.c/2.1 skipped", "a.b/1.1 timeout"}},
			{map[string]any{"trouble": true, "station": "a.>", "state": "timeout"}, []string{"a.b/1.1 timeout"}},
			{map[string]any{"worker_id": "w1"}, []string{"a.b/1.1 timeout", "a/1.1 ok"}},
			{map[string]any{"worker_id": "w"}, nil},
			{map[string]any{"text": "DISK"}, []string{"cron/3.1 skipped"}},
			{map[string]any{"text": "nightly"}, []string{"a/1.2 error"}},
			{map[string]any{"text": "rows"}, []string{"a/1.1 ok"}}, // in a content that is no text
			{map[string]any{"longer_than_ms": 4999}, []string{"a/1.1 ok"}},
			{map[string]any{"longer_than_ms": 5000}, nil},
		} {
			for _, limit := range []int{1, 2, 100} {
				ask := map[string]any{"limit": limit}
				for k, v := range c.ask {
					ask[k] = v
				}
				if got, _ := d.listed(ask); !slices.Equal(got, c.want) {
					t.Errorf("%v: %v, want %v", ask, got, c.want)
				}
			}
		}
	})
}

// Leaders store the results that they have decided before the newest are read, but not again
// for later pages.
func TestRunsOfAllPlansAwaitResults(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering([]schema.Result(nil), nil)
		d := openOn(t, ns, l, func(c *front.Config) { c.Space = schema.Space{Partitions: 3} })
		for n := range int64(2) {
			d.keepOf(wire.JSON, ran("a", "1", n+1, schema.StateOK, time.Now()))
		}
		if _, pages := d.listed(map[string]any{"limit": 1}); pages != 2 {
			t.Errorf("%d pages", pages)
		}
		if asked := l.commands(); len(asked) != 3 {
			t.Errorf("asked %v", asked)
		}
	})
}

// A list with a start time is not read further back than that, as a result shows that
// claims to have ended after it was stored.
func TestRunsOfAllPlansReadNoFurther(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result(nil), nil))
		from := time.Now().Add(time.Hour)
		d.keepOf(wire.JSON, ran("a", "1", 1, schema.StateOK, from.Add(time.Minute)))
		time.Sleep(2 * time.Hour) // in a bubble
		d.keepOf(wire.JSON, ran("a", "1", 2, schema.StateOK, from.Add(time.Minute)))
		if got, _ := d.listed(map[string]any{"from": from}); !slices.Equal(got, []string{"a/1.2 ok"}) {
			t.Errorf("listed %v", got)
		}
	})
}

// Pages in order hold every stored run once, the newest first, whichever runs are stored
// meanwhile.
func TestRunsOfAllPlansProperty(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result(nil), nil))
		round := 0
		rapid.Check(inBubble{t}, func(rt *rapid.T) {
			round++
			station := fmt.Sprintf("s%d", round)
			state := rapid.SampledFrom([]schema.State{schema.StateOK, schema.StateError, schema.StateTimeout})
			count := int64(0)
			var want []string
			add := func() {
				count++
				r := ran(rapid.SampledFrom([]string{station, station + ".x", "other"}).Draw(rt, "station"), "p", count, state.Draw(rt, "state"), time.Now())
				d.keepOf(rapid.SampledFrom(encodings).Draw(rt, "encoding"), r)
				if r.Station == station && r.State != schema.StateOK {
					want = append([]string{fmt.Sprintf("%s/p.%d %s", station, count, r.State)}, want...)
				}
			}
			for range rapid.IntRange(0, 12).Draw(rt, "kept") {
				add()
			}
			wanted := slices.Clone(want)
			limit := rapid.IntRange(1, 5).Draw(rt, "limit")
			var got []string
			for cursor, pages := "", 0; cursor != "" || pages == 0; pages++ {
				var p schema.RunPage
				d.page(wire.JSON, "plans.runs", fmt.Sprintf(`{"station":%q,"failed":true,"limit":%d,"cursor":%q}`, station, limit, cursor), &p)
				for _, v := range p.Runs {
					n, _ := v.Field("n").Int()
					state, _ := v.Field("state").Text()
					got = append(got, fmt.Sprintf("%s/p.%d %s", station, n, state))
				}
				cursor = p.Next
				add()
			}
			if diff := gocmp.Diff(wanted, got); diff != "" {
				rt.Fatalf("(-want +got):\n%s", diff)
			}
		})
	})
}

// A page stops at 512 KiB, and the next one goes on behind it.
func TestRunsOfAllPlansStopAtBytes(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result(nil), nil))
		var want []string
		for n := int64(1); n <= 20; n++ {
			r := ran("a", "p", n, schema.StateFailure, time.Now())
			r.Error = wire.Text(wire.JSON, strings.Repeat("x", 60<<10))
			d.keepOf(wire.JSON, r)
			want = append([]string{fmt.Sprintf("a/p.%d failure", n)}, want...)
		}
		got, pages := d.listed(map[string]any{"failed": true})
		if diff := gocmp.Diff(want, got); diff != "" || pages != 3 {
			t.Errorf("%d pages (-want +got):\n%s", pages, diff)
		}
	})
}

func TestRunsOfAllPlansRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering([]schema.Result(nil), nil))
		for _, c := range []struct{ body, field, hint string }{
			{`{"limit":0}`, "limit", "1 to 1000"},
			{`{"cursor":"cGE"}`, "cursor", "leave it out"},
			{`{"state":"done"}`, "state", "cancelled"},
			{`{"state":"running"}`, "state", "plans.list"},
			{`{"state":"error","failed":true}`, "failed", "one of the two"},
			{`{"station":"a b"}`, "station", "ends in .>"},
			{`{"station":">"}`, "station", "ends in .>"},
			{`{"plan_id":"p"}`, "station", "station"},
			{`{"from":"2026-03-01T00:00:00Z","to":"2026-03-01T00:00:00Z"}`, "to", "not after from"},
			{`{"from":"yesterday"}`, "from", ""},
			{`{"to":"2026-03-01T00:00:00Z","until":"2026-03-01T00:00:00Z"}`, "until", "one of the two"},
			{`{"reason":"overlp"}`, "reason", "did you mean \"overlap\"?"},
			{`{"longer_than_ms":-1}`, "longer_than_ms", ""},
		} {
			d.refuse("plans.runs", c.body, schema.CodeInvalidPlan, c.field, c.hint)
		}
	})
}

// A plan that is imported again under keep or update, or restored, is not made when its results
// show that it came to its end, and is made when it has changed, or goes on.
func TestPlanThatRanIsNotImportedAgain(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: func(partition int, c command.Command) (any, error) {
			switch c := c.(type) {
			case command.CreatePlan:
				return created(partition, c)
			case command.RestorePlan:
				return schema.Created{PlanID: c.Definition.Plan.PlanID, Created: true}, nil
			case command.GetPlan:
				if c.Name.PlanID == "again" {
					return command.PlanView{PlanView: schema.PlanView{State: schema.PlanState{Status: schema.StatusQueued}}}, nil
				}
			}
			return nil, &schema.Error{Code: schema.CodeNotFound, Message: "never put"}
		}})
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		keep := func(id string, change func(*schema.Result)) {
			r := ran("s", id, 1, schema.StateOK, time.Now())
			r.Command, r.Messages, r.Final, r.PlanTime = "c", []wire.Value{wire.Text(wire.JSON, "m")}, true, at
			change(&r)
			d.keepOf(wire.MsgPack, r)
		}
		keep("ran", func(*schema.Result) {})
		keep("failed", func(r *schema.Result) { r.State = schema.StateFailure })
		keep("open", func(r *schema.Result) { r.Final = false })
		keep("skipped", func(r *schema.Result) { r.State = schema.StateSkipped })
		keep("other", func(r *schema.Result) { r.Command = "another" })
		keep("timed", func(*schema.Result) {})
		keep("again", func(*schema.Result) {})
		keep("twice", func(r *schema.Result) { r.RealRepet, r.SkipNum = 1, 1 })
		keep("unrun", func(r *schema.Result) { r.State, r.RealRepet, r.SkipNum = schema.StateSkipped, 1, 1 })
		for id, want := range map[string]string{
			`"ran"`: "kept", `"failed"`: "kept", `"open"`: "created", `"skipped"`: "created", `"other"`: "created", `"never"`: "created",
			`"timed","plan_type":"time","plan_time":"2026-03-01T12:00:00Z"`: "kept",
			`"timed","plan_type":"time","plan_time":"2099-03-01T12:00:00Z"`: "created",
			`"ran","plan_type":"second","plan_value":1,"plan_repet":2`:      "created",
			`"twice","plan_type":"second","plan_value":1,"plan_repet":2`:    "kept",
			`"twice","plan_type":"second","plan_value":1,"plan_repet":3`:    "created",
			`"again"`: "created", // another plan of that name is there
		} {
			plan := `{"station":"s","command":"c","messages":["m"],"plan_id":` + id + `}`
			made, kept := `{"created":1,"updated":0,"kept":0}`, `{"created":0,"updated":0,"kept":1,"finished":[0]}`
			restored := `{"plans":[{"plan":` + plan + `,"record":{"revision":1,"accepted":"2026-03-01T11:00:00Z"}}]`
			if want == "created" {
				kept = made
			}
			d.want("plans.import", `{"on_conflict":"keep","plans":[`+plan+`]}`, kept)
			d.want("plans.import", `{"on_conflict":"update","plans":[`+plan+`]}`, kept)
			d.want("plans.import", `{"plans":[`+plan+`]}`, made)
			d.want("plans.restore", restored+`,"on_conflict":"keep"}`, kept)
			if want == "kept" {
				answer, _ := d.ask(wire.JSON, "plans.restore", restored+"}")
				if text := answer; !strings.Contains(text, `"code":"conflict"`) || !strings.Contains(text, "it came to its end here since") {
					t.Errorf("%s is restored: %s", id, text)
				}
			}
		}
		// One of which nothing has run since its record is restored, and not made anew.
		const unrun = `{"station":"s","command":"c","messages":["m"],"plan_id":"unrun","plan_type":"second","plan_value":1,"plan_repet":2}`
		const record = `{"revision":1,"accepted":"2026-03-01T11:00:00Z"`
		d.want("plans.import", `{"on_conflict":"keep","plans":[`+unrun+`]}`, `{"created":0,"updated":0,"kept":1,"finished":[0]}`)
		d.want("plans.restore", `{"on_conflict":"keep","plans":[{"plan":`+unrun+`,"record":`+record+`}}]}`, `{"created":0,"updated":0,"kept":1,"finished":[0]}`)
		d.want("plans.restore", `{"plans":[{"plan":`+unrun+`,"record":`+record+`,"real_repet":1}}]}`, `{"created":1,"updated":0,"kept":0}`)
	})
}
