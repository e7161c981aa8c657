package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var (
	name = schema.PlanName{Station: "hello", PlanID: "P1"}
	noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
)

func TestCreateInBothEncodings(t *testing.T) {
	ns := brokertest.Server(t)
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		t.Run(enc.String(), func(t *testing.T) {
			s := newServices(t, ns)
			s.on("acme.plans.create", func(_ int, request wire.Value) any {
				id, _ := request.Field("plan_id").Text()
				return schema.Created{PlanID: id, Station: "hello", State: schema.StatusQueued, PlanTime: noon, Created: true, Revision: 7}
			})
			c := newClient(t, ns, client.Options{Prefix: "acme", Encoding: enc})
			plan := &schema.Plan{Station: "hello", Command: "greet", Schedule: schema.Schedule{PlanType: schema.TypeNone}}
			got, err := c.Plans().Create(t.Context(), *plan)
			if err != nil {
				t.Fatal(err)
			}
			if schema.CheckID(got.PlanID) != nil || !got.PlanTime.Equal(noon) || !got.Created || got.Revision != 7 {
				t.Errorf("created %+v", got)
			}
			if plan.PlanID != "" {
				t.Error("the caller's plan was changed")
			}
			want := []ask{{"acme.plans.create", enc, map[string]any{
				"plan_id": got.PlanID, "station": "hello", "command": "greet", "plan_type": "none",
			}}}
			if diff := cmp.Diff(want, s.asked, cmp.AllowUnexported(ask{})); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// A text that is not UTF-8 would arrive as another, so it is not sent.
func TestATextThatIsNotUTF8IsRefused(t *testing.T) {
	const bad = "caf\xe9"
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		c := newClient(t, ns, client.Options{Encoding: enc})
		refused := func(err error, code schema.Code, field string) {
			t.Helper()
			if wrong, is := errors.AsType[*schema.Error](err); !is || wrong.Code != code || wrong.Field != field {
				t.Errorf("%v: %v; want %s of %s", enc, err, code, field)
			}
		}
		_, err := c.Plans().Create(t.Context(), schema.Plan{Station: "hello", Command: "greet", Labels: map[string]string{"team": bad}})
		refused(err, schema.CodeInvalidPlan, "labels.team")
		_, err = c.PlanNamed(name).Update(t.Context(), client.Update{Set: schema.Plan{Description: bad}})
		refused(err, schema.CodeInvalidPlan, "description")
		_, err = c.Plans().Preview(t.Context(), schema.Plan{Description: bad}, noon, 1)
		refused(err, schema.CodeInvalidPlan, "description")
		_, err = c.Stations().Put(t.Context(), schema.Station{Station: "hello", Description: bad})
		refused(err, schema.CodeInvalidRequest, "description")
	}
	if len(s.asked) > 0 {
		t.Errorf("asked %v", s.asked)
	}
}

func TestErrorsOfServices(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	refusal := &schema.Error{Code: schema.CodeInvalidPlan, Message: "must be at least 1", Field: "plan_value"}
	s.on("plans.create", func(int, wire.Value) any { return refusal })
	s.on("plans.get", func(int, wire.Value) any { return "no map" })
	c, hasty := newClient(t, ns, client.Options{}), newClient(t, ns, client.Options{Timeout: 50 * time.Millisecond})
	ctx := t.Context()

	_, err := c.Plans().Create(ctx, schema.Plan{})
	if got, ok := errors.AsType[*schema.Error](err); !ok || *got != *refusal {
		t.Errorf("create: %v", err)
	}
	if _, err := c.PlanNamed(name).Get(ctx); err == nil || !strings.Contains(err.Error(), "plans.get: read the answer") {
		t.Errorf("get: %v", err)
	}

	// No responder; and a service that is no scheduler's, whose error is in headers.
	_, err = c.PlanNamed(name).End(ctx)
	if !errors.Is(err, client.ErrUnavailable) || !errors.Is(err, nats.ErrNoResponders) ||
		!strings.Contains(err.Error(), "is stationmaster running") {
		t.Errorf("close: %v", err)
	}
	if _, err := s.nc.Subscribe("plans.remove", func(msg *nats.Msg) {
		out := nats.NewMsg(msg.Reply)
		out.Header.Set(schema.HeaderServiceErrorCode, "404")
		out.Header.Set(schema.HeaderServiceError, "gone")
		_ = msg.RespondMsg(out)
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	_, err = c.PlanNamed(name).Remove(ctx)
	if got, ok := errors.AsType[*schema.Error](err); !ok || *got != (schema.Error{Code: schema.CodeNotFound, Message: "gone"}) {
		t.Errorf("remove: %v", err)
	}

	// No response, and a caller who gives up first.
	s.on("stations.get", func(int, wire.Value) any { return nil })
	_, err = hasty.Stations().Get(ctx, "hello")
	if !errors.Is(err, client.ErrUnavailable) || !strings.Contains(err.Error(), "may have been done") {
		t.Errorf("get station: %v", err)
	}
	own := errors.New("enough")
	impatient, cancel := context.WithCancelCause(ctx)
	cancel(own)
	_, err = c.Stations().Get(impatient, "hello")
	if !errors.Is(err, own) || errors.Is(err, client.ErrUnavailable) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCreateIsRepeated(t *testing.T) {
	unavailable := &schema.Error{Code: schema.CodeUnavailable, Message: "no leader"}
	tests := []struct {
		name      string
		plan      schema.Plan
		failures  int
		conflicts []any // on_conflict of each request
	}{
		{"an id that was made here, under keep", schema.Plan{}, 3, []any{nil, "keep", "keep", "keep"}},
		{"a given one with keep", schema.Plan{PlanID: "P1", OnConflict: "keep"}, 2, []any{"keep", "keep", "keep"}},
		{"a given one with update", schema.Plan{PlanID: "P1", OnConflict: "update"}, 1, []any{"update", "update"}},
		{"a given one is not", schema.Plan{PlanID: "P1"}, 1, []any{nil}},
		{"not for ever", schema.Plan{}, 9, []any{nil, "keep", "keep", "keep"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				s := newServices(t, ns)
				s.on("plans.create", func(try int, request wire.Value) any {
					if try < tt.failures {
						return unavailable
					}
					return schema.Created{Created: false} // an earlier try had landed
				})
				c := newClient(t, ns, client.Options{Repeats: 3})
				created, err := c.Plans().Create(t.Context(), tt.plan)
				if fails := len(tt.conflicts) <= tt.failures; fails != errors.Is(err, client.ErrUnavailable) {
					t.Errorf("create: %v", err)
				} else if err == nil && created.Created != (tt.plan.PlanID == "") {
					t.Errorf("created %+v", created)
				}
				var conflicts, ids []any
				for _, r := range s.requests() {
					conflicts = append(conflicts, r["on_conflict"])
					ids = append(ids, r["plan_id"])
				}
				if diff := cmp.Diff(tt.conflicts, conflicts); diff != "" {
					t.Errorf("on_conflict (-want +got):\n%s", diff)
				}
				for _, id := range ids {
					if id == nil || id != ids[0] {
						t.Errorf("ids %v", ids)
					}
				}
			})
		})
	}
}

func TestRepeatsEndWithTheContext(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newClient(t, ns, client.Options{Repeats: 1000})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.PlanNamed(name).Get(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 10*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestPages(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.list", func(_ int, request wire.Value) any {
		switch cursor, _ := request.Field("cursor").Text(); cursor {
		case "":
			return map[string]any{"plans": []any{planView(1), planView(2)}, "next": "a"}
		case "a": // a page may be empty, while there is more
			return map[string]any{"plans": []any{}, "next": "b"}
		default:
			return map[string]any{"plans": []any{planView(3)}}
		}
	})
	c := newClient(t, ns, client.Options{})
	var got []int64
	for plan, err := range c.Plans().All(t.Context(), schema.ListPlans{Station: "hello"}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, plan.State.N)
	}
	if diff := cmp.Diff([]int64{1, 2, 3}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range c.Plans().All(t.Context(), schema.ListPlans{}) {
		break // no page beyond the one in use is requested
	}
	if n := len(s.requests()); n != 4 {
		t.Errorf("%d requests", n)
	}
	for _, r := range s.requests()[:3] {
		if r["station"] != "hello" {
			t.Errorf("a page without its filter: %v", r)
		}
	}

	s.on("stations.list", func(try int, _ wire.Value) any {
		if try == 0 {
			return map[string]any{"stations": []any{map[string]any{"station": "a", "kind": "pub"}}, "next": "a"}
		}
		return &schema.Error{Code: schema.CodeInternal, Message: "broken"}
	})
	var stations []string
	for station, err := range c.Stations().All(t.Context()) {
		if err != nil {
			stations = append(stations, "error")
			continue
		}
		stations = append(stations, station.Station+" "+string(station.Kind))
	}
	if diff := cmp.Diff([]string{"a pub", "error"}, stations); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func planView(n int) any {
	return map[string]any{"plan": map[string]any{"station": "hello"}, "state": map[string]any{"status": "queued", "n": n, "news": 1}}
}

func TestRuns(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.runs", func(int, wire.Value) any {
		return map[string]any{"runs": []any{
			map[string]any{"n": 2, "state": "running"},
			map[string]any{"n": 1, "state": "ok", "content": map[string]any{"a": 1}, "end_time": noon},
		}}
	})
	c := newClient(t, ns, client.Options{Encoding: wire.MsgPack})
	var got []string
	for run, err := range c.Runs().All(t.Context(), schema.ListRuns{Station: "hello", PlanID: "P1"}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s %v %v", run.N, run.State, run.Content.Any(), run.EndTime.Equal(noon)))
	}
	if diff := cmp.Diff([]string{"2 running <nil> false", "1 ok map[a:1] true"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPreview(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.preview", func(int, wire.Value) any {
		return schema.Previewed{Occurrences: []schema.PreviewedOccurrence{{Occurrence: 1, PlanTime: noon}}}
	})
	c := newClient(t, ns, client.Options{})
	got, err := c.Plans().Preview(t.Context(), schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeCron, Cron: "0 12 * * *"}}, noon, 1)
	if err != nil || len(got) != 1 || !got[0].PlanTime.Equal(noon) {
		t.Errorf("%v, %v", got, err)
	}
	want := map[string]any{
		"plan": map[string]any{"plan_type": "cron", "cron": "0 12 * * *"}, "from": "2026-05-01T12:00:00Z", "count": int64(1),
	}
	if diff := cmp.Diff(want, s.requests()[0]); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestUpcoming(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.upcoming", func(int, wire.Value) any {
		return schema.Previewed{Occurrences: []schema.PreviewedOccurrence{}, Words: "Every day", Reason: schema.ReasonPaused}
	})
	got, err := newClient(t, ns, client.Options{}).Plan("hello", "P1").Upcoming(t.Context(), schema.Upcoming{Until: noon, Shown: schema.Shown{Lang: schema.LangChinese}})
	if err != nil || got.Reason != schema.ReasonPaused || got.Words != "Every day" {
		t.Errorf("%v, %v", got, err)
	}
	want := map[string]any{"station": "hello", "plan_id": "P1", "until": "2026-05-01T12:00:00Z", "lang": "zh"}
	if diff := cmp.Diff(want, s.requests()[0]); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestExplain(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.explain", func(int, wire.Value) any {
		return schema.Explanation{Verdict: schema.VerdictSkipped, Sentence: "Occurrence 3 did not run.", Next: &schema.Next{PlanTime: noon, Occurrence: 4}}
	})
	got, err := newClient(t, ns, client.Options{}).Plan("hello", "P1").Explain(t.Context(), schema.Explain{At: noon, Lang: schema.LangChinese})
	if err != nil || got.Verdict != schema.VerdictSkipped || got.Next == nil || got.Next.Occurrence != 4 {
		t.Errorf("%v, %v", got, err)
	}
	want := map[string]any{"station": "hello", "plan_id": "P1", "at": "2026-05-01T12:00:00Z", "lang": "zh"}
	if diff := cmp.Diff(want, s.requests()[0]); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestImportInParts(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.import", func(try int, request wire.Value) any {
		answer := schema.Imported{Created: int64(request.Field("plans").Len()) - 1}
		answer.Errors = []schema.ImportError{{Index: 3, Error: &schema.Error{Code: schema.CodeInvalidPlan, Message: "bad"}}}
		return answer
	})
	c := newClient(t, ns, client.Options{})
	plans := make([]schema.Plan, 1500)
	for i := range plans {
		plans[i] = schema.Plan{Station: "hello"}
	}
	// The last ones are so large that no two fit into one request.
	for i := 1490; i < len(plans); i++ {
		plans[i] = schema.Plan{Station: "hello", Messages: []wire.Value{wire.Text(wire.JSON, strings.Repeat("x", 400<<10))}}
	}
	got, err := c.Plans().Import(t.Context(), plans, schema.ConflictKeep)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, r := range s.requests() {
		sizes = append(sizes, len(r["plans"].([]any)))
		if r["on_conflict"] != "keep" {
			t.Errorf("on_conflict %v", r["on_conflict"])
		}
	}
	if diff := cmp.Diff([]int{1000, 491, 1, 1, 1, 1, 1, 1, 1, 1, 1}, sizes); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if got.Created != 1500-11 || len(got.Errors) != 11 || got.Errors[1].Index != 1003 || got.Errors[2].Index != 1494 {
		t.Errorf("imported %+v", got)
	}
}
