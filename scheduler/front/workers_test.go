package front_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// workerPages is a leader of partitions that know different workers.
type workerPages [][]schema.Worker

func (l workerPages) Ask(partition int, c command.Command, done func(any, error)) {
	query := c.(command.ListWorkers)
	var out command.WorkerSlice
	for _, w := range l[partition] {
		if w.WorkerID <= query.After || query.Station != "" && !slices.Contains(w.Stations, query.Station) {
			continue
		}
		if len(out.Workers) == query.Limit {
			out.More = true
			break
		}
		out.Workers = append(out.Workers, w)
	}
	done(out, nil)
}

// A worker that several partitions know is listed once, as it was last seen.
func TestListWorkers(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		seen := func(id string, minute int, stations ...string) schema.Worker {
			return schema.Worker{WorkerID: id, Stations: stations, LastSeen: noon.Add(time.Duration(minute) * time.Minute)}
		}
		d := openOn(t, ns, workerPages{
			{seen("a", 1, "s"), seen("c", 5, "s", "t")},
			{seen("a", 2, "s"), seen("b", 1, "t"), seen("c", 4, "s")},
		}, func(c *front.Config) { c.Space = schema.Space{Partitions: 2} })
		d.want("workers.list", ``, `{"workers":[`+
			`{"worker_id":"a","stations":["s"],"last_seen":"2026-03-01T12:02:00Z"},`+
			`{"worker_id":"b","stations":["t"],"last_seen":"2026-03-01T12:01:00Z"},`+
			`{"worker_id":"c","stations":["s","t"],"last_seen":"2026-03-01T12:05:00Z"}]}`)
		d.want("workers.list", `{"station":"t"}`, `{"workers":[`+
			`{"worker_id":"b","stations":["t"],"last_seen":"2026-03-01T12:01:00Z"},`+
			`{"worker_id":"c","stations":["s","t"],"last_seen":"2026-03-01T12:05:00Z"}]}`)
		d.want("workers.list", `{"station":"nowhere"}`, `{"workers":[]}`)
		for _, c := range []struct{ body, field, hint string }{
			{`{"station":"s.>"}`, "station", "'>'"}, {`{"limit":0}`, "limit", "1 to 1000"}, {`{"limit":1001}`, "limit", "1 to 1000"},
			{`{"cursor":"?"}`, "cursor", "leave it out"}, {`{"cursor":"cGE"}`, "cursor", "leave it out"}, {`{"statoin":"s"}`, "statoin", `"station"`},
		} {
			d.refuse("workers.list", c.body, schema.CodeInvalidRequest, c.field, c.hint)
		}
	})
}

// Pages hold each worker once and in order, wherever the partitions' own pages end.
func TestListWorkersInPages(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := make(workerPages, 3)
		var want []string
		for i := range 50 {
			id := fmt.Sprintf("w%02d", i)
			want = append(want, id)
			for p := range l {
				if i%(p+2) == 0 || p == i%3 {
					l[p] = append(l[p], schema.Worker{WorkerID: id, LastSeen: noon})
				}
			}
		}
		d := openOn(t, ns, l, func(c *front.Config) { c.Space = schema.Space{Partitions: len(l)} })
		for _, limit := range []int{1, 7, 50, 1000} {
			var got []string
			pages := 0
			for cursor := ""; cursor != "" || pages == 0; pages++ {
				var p schema.WorkerPage
				d.page(wire.MsgPack, "workers.list", fmt.Sprintf(`{"limit":%d,"cursor":%q}`, limit, cursor), &p)
				if len(p.Workers) > limit || p.Next != "" && len(p.Workers) == 0 {
					t.Fatalf("%d workers on a page of %d", len(p.Workers), limit)
				}
				for _, w := range p.Workers {
					got = append(got, w.WorkerID)
				}
				cursor = p.Next
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("in pages of %d (-want +got):\n%s", limit, diff)
			}
		}
	})
}

// A worker is looked up in all partitions, and has to have announced itself lately.
func TestGetWorker(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		found := func(there bool, minute int, n int64) command.FoundWorker {
			f := command.FoundWorker{There: there, WorkerView: schema.WorkerView{Rate1m: n, Executions: []schema.WorkerExecution{
				{PlanName: schema.PlanName{Station: "s", PlanID: "p"}, N: n, Attempt: 1, State: schema.StateRunning},
			}}}
			if there {
				f.Worker = schema.Worker{WorkerID: "a", Stations: []string{"s"}, LastSeen: noon.Add(time.Duration(minute) * time.Minute)}
			}
			return f
		}
		d := openOn(t, ns, foundWorkers{"a": {found(true, 1, 7), found(true, 2, 2)}, "gone": {found(false, 0, 1), found(false, 0, 1)}}, func(c *front.Config) { c.Space = schema.Space{Partitions: 2} })
		d.want("workers.get", `{"worker_id":"a"}`, `{"worker_id":"a","stations":["s"],"last_seen":"2026-03-01T12:02:00Z","rate_1m":9,"executions":[`+
			`{"station":"s","plan_id":"p","occurrence":0,"n":2,"attempt":1,"state":"running"},{"station":"s","plan_id":"p","occurrence":0,"n":7,"attempt":1,"state":"running"}]}`)
		d.refuse("workers.get", `{"worker_id":"gone"}`, schema.CodeNotFound, "worker_id", "is not there")
		d.refuse("workers.get", `{"worker_id":"a.b"}`, schema.CodeInvalidRequest, "worker_id", "worker_id")
	})
}

// foundWorkers are the answers of the partitions about workers.
type foundWorkers map[string][]command.FoundWorker

func (f foundWorkers) Ask(partition int, c command.Command, done func(any, error)) {
	done(f[c.(command.GetWorker).WorkerID][partition], nil)
}
