package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Each verb sends the plan's name with the verb's own fields, and returns the answer.
func TestManage(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	standing := schema.Standing{PlanID: "P1", Station: "hello", State: schema.StatusPaused, PlanTime: noon, Revision: 3}
	c := newClient(t, ns, client.Options{Encoding: wire.MsgPack})
	ctx := t.Context()
	calls := []struct {
		verb string
		more map[string]any
		call func() (*schema.Standing, error)
	}{
		{"pause", nil, func() (*schema.Standing, error) { return c.PlanNamed(name).Pause(ctx) }},
		{"resume", nil, func() (*schema.Standing, error) { return c.PlanNamed(name).Resume(ctx) }},
		{"skip", map[string]any{"count": int64(-1)}, func() (*schema.Standing, error) { return c.PlanNamed(name).Skip(ctx, client.SkipAll) }},
		{"skip", map[string]any{"count": int64(0)}, func() (*schema.Standing, error) { return c.PlanNamed(name).Skip(ctx, 0) }},
		{"reset", nil, func() (*schema.Standing, error) { return c.PlanNamed(name).Reset(ctx) }},
		{"cancel", map[string]any{"n": int64(4)}, func() (*schema.Standing, error) { return c.PlanNamed(name).Cancel(ctx, 4) }},
		{"close", nil, func() (*schema.Standing, error) { return c.PlanNamed(name).End(ctx) }},
		{"remove", nil, func() (*schema.Standing, error) { return c.PlanNamed(name).Remove(ctx) }},
	}
	for _, verb := range []string{"pause", "resume", "skip", "reset", "cancel", "close", "remove"} {
		s.on("plans."+verb, func(int, wire.Value) any { return standing })
	}
	var want []ask
	for _, call := range calls {
		got, err := call.call()
		if err != nil || *got != standing {
			t.Errorf("%s: %+v, %v", call.verb, got, err)
		}
		body := map[string]any{"station": "hello", "plan_id": "P1"}
		for k, v := range call.more {
			body[k] = v
		}
		want = append(want, ask{"plans." + call.verb, wire.MsgPack, body})
	}
	if diff := cmp.Diff(want, s.asked, cmp.AllowUnexported(ask{})); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}

	s.on("plans.trigger", func(int, wire.Value) any { return schema.Triggered{PlanID: "P1", State: schema.StatusExecuting, N: 8} })
	if got, err := c.PlanNamed(name).Trigger(ctx); err != nil || got.N != 8 {
		t.Errorf("trigger: %+v, %v", got, err)
	}
}

// A request that changes a plan is sent only once, because a repeated trigger would run
// twice.
func TestManagingIsNotRepeated(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.trigger", func(int, wire.Value) any { return &schema.Error{Code: schema.CodeUnavailable, Message: "no leader"} })
	c := newClient(t, ns, client.Options{Repeats: 5})
	if _, err := c.PlanNamed(name).Trigger(t.Context()); !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("trigger: %v", err)
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestUpdate(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		ns := brokertest.Server(t) // one each, or the first service would answer for the second
		s := newServices(t, ns)
		s.on("acme.plans.update", func(int, wire.Value) any {
			return schema.Created{PlanID: "P1", Station: "hello", State: schema.StatusQueued, Revision: 6}
		})
		c := newClient(t, ns, client.Options{Prefix: "acme", Encoding: enc})
		value := int64(0)
		set := schema.Plan{Description: "d", Schedule: schema.Schedule{PlanType: schema.TypeMonth, PlanValue: &value}}
		got, err := c.PlanNamed(name).Update(t.Context(), client.Update{Set: set, Clear: []string{"cron", "jitter"}, Revision: 5})
		if err != nil || got.Created || got.Revision != 6 {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := c.PlanNamed(name).Update(t.Context(), client.Update{}); err != nil {
			t.Error(err)
		}
		want := []map[string]any{
			{
				"station": "hello", "plan_id": "P1", "description": "d", "plan_type": "month", "plan_value": int64(0),
				"cron": nil, "jitter": nil, "revision": int64(5),
			},
			{"station": "hello", "plan_id": "P1"},
		}
		if diff := cmp.Diff(want, s.requests()); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		for message, wrong := range map[string]client.Update{
			"cannot be renamed":    {Set: schema.Plan{Station: "other"}},
			"both set and cleared": {Set: schema.Plan{Schedule: schema.Schedule{Cron: "@daily"}}, Clear: []string{"cron"}},
		} {
			if _, err := c.PlanNamed(name).Update(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%v, want %s", err, message)
			}
		}
		if n := len(s.requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
	}
}

func TestRun(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.run", func(_ int, request wire.Value) any {
		if n, _ := request.Field("n").Int(); n != 7 {
			return &schema.Error{Code: schema.CodeNotFound, Field: "n", Message: "no such run"}
		}
		return map[string]any{"run": map[string]any{"n": 7, "state": "ok", "content": "hi", "news": 1}}
	})
	c := newClient(t, ns, client.Options{})
	got, err := c.PlanNamed(name).Run(t.Context(), 7)
	if err != nil || got.N != 7 || got.State != schema.StateOK || got.Content.String() != `"hi"` {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.PlanNamed(name).Run(t.Context(), 8); !errors.Is(err, client.ErrNotFound) {
		t.Error(err)
	}
}

func TestWorkers(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("workers.list", func(_ int, request wire.Value) any {
		if cursor, _ := request.Field("cursor").Text(); cursor == "" {
			return map[string]any{"workers": []any{map[string]any{"worker_id": "a", "stations": []any{"hello"}, "last_seen": noon}}, "next": "a"}
		}
		return map[string]any{"workers": []any{map[string]any{"worker_id": "b", "stations": []any{}}}}
	})
	c := newClient(t, ns, client.Options{})
	var got []string
	for worker, err := range c.Workers().All(t.Context(), "hello") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, worker.WorkerID+" "+strings.Join(worker.Stations, ","))
	}
	if diff := cmp.Diff([]string{"a hello", "b "}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []map[string]any{{"station": "hello"}, {"station": "hello", "cursor": "a"}}
	if diff := cmp.Diff(want, s.requests()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
