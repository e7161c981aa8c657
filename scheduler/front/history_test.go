package front_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// keepOf stores a result under its own station.
func (d *harness) keepOf(enc wire.Encoding, r schema.Result) {
	d.t.Helper()
	body, err := wire.Marshal(enc, r)
	if err != nil {
		d.t.Fatal(err)
	}
	ack, err := d.nc.Request(storage.Kept(d.space, d.space.Result(r.Station, r.PlanID)), body, nats.DefaultTimeout)
	if err != nil || !strings.Contains(string(ack.Data), `"seq"`) {
		d.t.Fatalf("keep a result: %s, %v", ack.Data, err)
	}
}

// taskResult is the last result of a task as the scheduler makes it.
func taskResult(kind, id string, n int64, state schema.State) schema.Result {
	r := schema.Result{
		Station: kind, PlanID: id, N: n, State: state, Command: schema.TaskCommand, Final: true,
		Key:      fmt.Sprintf("%s/%s/7/1", kind, id),
		PlanTime: noon, ExecTime: noon, EndTime: noon.Add(time.Second), CreateDate: noon.Add(-time.Minute),
	}
	if state == schema.StateCancelled && n%2 == 0 {
		r.Reason = schema.ReasonProcessed
	}
	return r
}

// withTask gives a result the message that its agent got.
func withTask(r schema.Result, tenant, creator, category string) schema.Result {
	r.TenantID, r.Category = tenant, category
	v, err := wire.ValueOf(wire.JSON, schema.TaskSubmit{ID: r.PlanID, Type: r.Station, TenantID: tenant, Creator: creator, Category: category})
	if err != nil {
		panic(err)
	}
	r.Messages = []wire.Value{v}
	return r
}

// finished lists the tasks of a history, page by page, as "type/id status".
func (d *harness) finished(ask map[string]any) (rows []string, pages int) {
	d.t.Helper()
	for cursor := ""; ; {
		request := map[string]any{"history": true, "cursor": cursor}
		for k, v := range ask {
			request[k] = v
		}
		body, err := wire.Marshal(wire.JSON, request)
		if err != nil {
			d.t.Fatal(err)
		}
		var page schema.TaskPage
		if err := wire.DecodeLoose(value(d.t, d.mustAsk("tasks.list", string(body))), &page); err != nil {
			d.t.Fatal(err)
		}
		for _, t := range page.Tasks {
			rows = append(rows, fmt.Sprintf("%s/%s %s", t.Type, t.ID, t.Status))
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

// The history of tasks has finished tasks, by tenant, type, status, creator and time.
func TestHistory(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		// Results are stored when they end, so these have just ended.
		began := time.Now().UTC().Truncate(time.Second).Add(-5 * time.Minute)
		at := func(m int) time.Time { return began.Add(time.Duration(m) * time.Minute) }
		ended := func(m int, r schema.Result) schema.Result { r.ExecTime, r.EndTime = began, at(m); return r }
		failed := taskResult("b", "3", 4, schema.StateFailure)
		failed.Error, failed.ErrorCount = wire.Text(wire.JSON, "no disk"), 2
		done := taskResult("a", "1", 1, schema.StateOK)
		done.Content = wire.Trust(wire.JSON, []byte(`{"frames":9}`))
		d.keepOf(wire.JSON, ended(1, withTask(done, "7", "ann", "video")))
		d.keepOf(wire.MsgPack, ended(2, withTask(taskResult("a.b", "2", 1, schema.StateCancelled), "8", "bob", "video")))
		tried := withTask(taskResult("b", "3", 3, schema.StateError), "7", "bob", "")
		tried.Final = false
		d.keepOf(wire.JSON, tried)
		d.keepOf(wire.MsgPack, ended(3, withTask(failed, "7", "bob", "")))
		processed := taskResult("a", "4", 2, schema.StateCancelled)
		processed.Content = wire.Text(wire.JSON, "by hand")
		d.keepOf(wire.JSON, ended(4, withTask(processed, "7", "ann", "audio")))
		// Results that are not of finished tasks.
		d.keepOf(wire.JSON, tried)
		waiting := withTask(taskResult("a", "5", 3, schema.StateError), "7", "ann", "")
		waiting.Final = false
		d.keepOf(wire.JSON, waiting)
		other := taskResult("a", "periodic_6", 3, schema.StateOK)
		other.Command = schema.PeriodicCommand
		d.keepOf(wire.JSON, other)
		d.keepRaw("x", []byte("no result at all"))
		d.keepOf(wire.JSON, ended(3, withTask(failed, "7", "bob", ""))) // 3 was retried, and failed again

		for _, c := range []struct {
			ask  map[string]any
			want string
		}{
			{nil, "b/3 Failure, a/4 ManuallyProcessed, a.b/2 Cancelled, a/1 Success"},
			{map[string]any{"tenant_id": 7}, "b/3 Failure, a/4 ManuallyProcessed, a/1 Success"},
			{map[string]any{"type": "a"}, "a/4 ManuallyProcessed, a/1 Success"},
			{map[string]any{"status": "Success"}, "a/1 Success"},
			{map[string]any{"status": []string{"Failure", "Cancelled"}}, "b/3 Failure, a.b/2 Cancelled"},
			{map[string]any{"status": "Executing"}, ""},
			{map[string]any{"creator": "ann"}, "a/4 ManuallyProcessed, a/1 Success"},
			{map[string]any{"category": "video", "tenant_id": "8"}, "a.b/2 Cancelled"},
			{map[string]any{"from": at(2), "to": at(4)}, "b/3 Failure, a.b/2 Cancelled"},
			{map[string]any{"from": at(4).Unix()}, "a/4 ManuallyProcessed"},
			{map[string]any{"to": at(2)}, "a/1 Success"},
			{map[string]any{"from": time.Now().Add(time.Hour)}, ""},
		} {
			for _, limit := range []int{1, 2, 100} {
				ask := map[string]any{"limit": limit}
				for k, v := range c.ask {
					ask[k] = v
				}
				if rows, _ := d.finished(ask); strings.Join(rows, ", ") != c.want {
					t.Errorf("%v: %v, want %s", ask, rows, c.want)
				}
			}
		}
		d.want("tasks.list", `{"history":true,"type":"b"}`, `{"tasks":[{"id":"3","tenant_id":"7","type":"b","creator":"bob","start_time":"2026-03-01T12:00:00Z","status":"Failure",`+
			`"error_count":2,"error_info":"no disk","exec_time":180,"create_date":"2026-03-01T11:59:00Z","update_date":"`+at(3).Format(time.RFC3339)+`"}]}`)
		d.want("tasks.list", `{"history":true,"status":"ManuallyProcessed"}`, `{"tasks":[{"id":"4","tenant_id":"7","type":"a","creator":"ann","start_time":"2026-03-01T12:00:00Z","status":"ManuallyProcessed",`+
			`"error_count":0,"category":"audio","remark":"by hand","exec_time":240,"create_date":"2026-03-01T11:59:00Z","update_date":"`+at(4).Format(time.RFC3339)+`"}]}`)
	})
}

// The status shows that a callback is not delivered yet, or that a failed task lives again.
func TestHistoryAsksTheLeaderForWhatIsOpen(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := newRealLeader()
		d := openOn(t, ns, l)
		for i, id := range []string{"1", "2", "3"} {
			state := schema.StateOK
			if i == 2 {
				state = schema.StateFailure
			}
			d.keepOf(wire.JSON, withTask(taskResult("called", id, 1, state), "7", "ann", ""))
		}
		l.knows = func(c command.Command) (any, bool) {
			switch c := c.(type) {
			case command.ListPlans:
				slice := command.PlanSlice{}
				if c.Filter.Station == "callback.called" && c.After.Station == "" {
					slice.Plans = []command.PlanView{{PlanView: schema.PlanView{Plan: value(t, `{"plan_id":"2","station":"callback.called"}`)}}}
				}
				return slice, strings.HasPrefix(c.Filter.Station, "callback.")
			case command.GetTask:
				return command.TaskView{Delivering: true}, c.Name.PlanID == "2"
			default:
				return nil, false
			}
		}
		if rows, _ := d.finished(nil); strings.Join(rows, ", ") != "called/3 Failure, called/2 Completed, called/1 Success" {
			t.Errorf("%v", rows)
		}
		for status, want := range map[string]string{"Completed": "called/2 Completed", "Success": "called/1 Success"} {
			if rows, _ := d.finished(map[string]any{"status": status}); strings.Join(rows, ", ") != want {
				t.Errorf("%s: %v", status, rows)
			}
		}
		d.mustAsk("task_types.put", `{"code":"called","config":{"kind":"api"}}`)
		d.mustAsk("tasks.submit", `{"type":"called","id":3}`)
		if rows, _ := d.finished(nil); strings.Join(rows, ", ") != "called/2 Completed, called/1 Success" {
			t.Errorf("%v", rows)
		}
	})
}

// Each page advances by one result at least, however slow reading is, so that a client reaches
// the end.
func TestHistoryComesOnThoughItsTimeIsUp(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		for _, id := range []string{"1", "2", "3"} {
			d.keepOf(wire.JSON, withTask(taskResult("a", id, 1, schema.StateOK), "7", "ann", ""))
		}
		d.delay(ns, "$JS.API.DIRECT.GET."+d.space.ResultsStream(), 2100*time.Millisecond)
		if rows, pages := d.finished(nil); strings.Join(rows, ", ") != "a/3 Success, a/2 Success, a/1 Success" || pages < 3 {
			t.Errorf("%d pages of %v", pages, rows)
		}
	})
}

// delay holds up every request on a subject. The server maps it to one from which it is passed on
// later, by a way that is not mapped once more.
func (d *harness) delay(ns *server.Server, subject string, by time.Duration) {
	d.t.Helper()
	if _, err := d.nc.Subscribe("slow", func(m *nats.Msg) {
		time.Sleep(by) // in a bubble
		if err := d.nc.PublishRequest("late", m.Reply, m.Data); err != nil {
			d.t.Error(err)
		}
	}); err != nil {
		d.t.Fatal(err)
	}
	if err := errors.Join(d.nc.Flush(), ns.GlobalAccount().AddMapping(subject, "slow"), ns.GlobalAccount().AddMapping("late", subject)); err != nil {
		d.t.Fatal(err)
	}
}

// Pages of any size make the same list, whichever results lie between.
func TestHistoryProperty(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		type row struct{ kind, id, tenant, status string }
		last := map[string]*row{} // by type and id; nil: its last result is not its end
		var order []string
		rapid.Check(inBubble{t}, func(rt *rapid.T) {
			for range rapid.IntRange(1, 8).Draw(rt, "results") {
				kind := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "type")
				id := fmt.Sprint(rapid.IntRange(0, 40).Draw(rt, "id"))
				state := rapid.SampledFrom([]schema.State{schema.StateOK, schema.StateFailure, schema.StateError}).Draw(rt, "state")
				tenant := rapid.SampledFrom([]string{"1", "2"}).Draw(rt, "tenant")
				r := withTask(taskResult(kind, id, 1, state), tenant, "0", "")
				r.Final = state != schema.StateError
				d.keepOf(rapid.SampledFrom(encodings).Draw(rt, "encoding"), r)
				name := kind + "/" + id
				order = append(slices.DeleteFunc(order, func(s string) bool { return s == name }), name)
				last[name] = nil
				if r.Final {
					last[name] = &row{kind, id, tenant, map[schema.State]string{schema.StateOK: "Success", schema.StateFailure: "Failure"}[state]}
				}
			}
			kind := rapid.SampledFrom([]string{"", "a"}).Draw(rt, "of type")
			tenant := rapid.SampledFrom([]string{"", "2"}).Draw(rt, "of tenant")
			status := rapid.SampledFrom([]string{"", "Failure"}).Draw(rt, "of status")
			var want []string
			for i := len(order) - 1; i >= 0; i-- {
				if r := last[order[i]]; r != nil && (kind == "" || r.kind == kind) && (tenant == "" || r.tenant == tenant) && (status == "" || r.status == status) {
					want = append(want, order[i]+" "+r.status)
				}
			}
			ask := map[string]any{"type": kind, "tenant_id": tenant, "limit": rapid.IntRange(1, 30).Draw(rt, "limit")}
			if status != "" {
				ask["status"] = status
			}
			got, _ := d.finished(ask)
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("%v: %s", ask, diff)
			}
		})
	})
}

func TestHistoryRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		for ask, field := range map[string]string{
			`{"history":true,"cursor":"cHg"}`:        "cursor",
			`{"history":true,"limit":1001}`:          "limit",
			`{"history":true,"status":"Done"}`:       "status",
			`{"history":true,"from":20,"to":20}`:     "to",
			`{"from":20}`:                            "history",
			`{"history":true,"type":"a..b"}`:         "type",
			`{"history":true,"from":"last tuesday"}`: "from",
		} {
			d.refuse("tasks.list", ask, schema.CodeInvalidRequest, field, "")
		}
	})
}

// A page of 200,000 finished tasks has the newest of all, the newest of a tenant that has one in
// a thousand, or none, which has to read all.
func BenchmarkHistory(b *testing.B) {
	const tasks = 200_000
	d := open(b, newRealLeader())
	js, err := jetstream.New(d.nc, jetstream.WithPublishAsyncMaxPending(tasks+1))
	if err != nil {
		b.Fatal(err)
	}
	for i := range tasks {
		r := withTask(taskResult(fmt.Sprintf("type%d", i%10), fmt.Sprintf("%08d", i), 1, schema.StateOK), fmt.Sprint(i%1000), "0", "video")
		r.EndTime = time.Now()
		body, err := wire.Marshal(wire.JSON, r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := js.PublishAsync(storage.Kept(d.space, d.space.Result(r.Station, r.PlanID)), body); err != nil {
			b.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
	for what, ask := range map[string]string{
		"newest": `{"history":true}`, "tenant": `{"history":true,"tenant_id":"123"}`,
		"type": `{"history":true,"type":"type7"}`, "nothing": `{"history":true,"creator":"nobody"}`,
	} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				d.mustAsk("tasks.list", ask)
			}
		})
	}
	b.Run("all in pages of 1000", func(b *testing.B) {
		for b.Loop() {
			if rows, _ := d.finished(map[string]any{"limit": 1000}); len(rows) != tasks {
				b.Fatalf("%d of %d are listed", len(rows), tasks)
			}
		}
	})
}
