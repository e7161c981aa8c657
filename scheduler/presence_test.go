package scheduler_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// voter replies to every execution of a station, as one of many.
func (b *testbed) voter(subject, answer string) {
	b.t.Helper()
	nc := brokertest.Connect(b.t, b.ns)
	if _, err := nc.Subscribe(subject, func(m *nats.Msg) {
		if err := m.Respond([]byte(answer)); err != nil {
			b.t.Error(err)
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		b.t.Fatal(err)
	}
}

// put puts a record into bucket workers, as it is.
func (b *testbed) put(id, record string) {
	b.t.Helper()
	if _, err := b.user.Request("$KV.workers."+id, []byte(record), 10*time.Second); err != nil {
		b.t.Fatal(err)
	}
}

func (b *testbed) putStation(s schema.Station) {
	b.t.Helper()
	if _, err := b.ask(command.PutStation{Station: &s}); err != nil {
		b.t.Fatal(err)
	}
}

// workers lists the workers, a second later, because presence takes its time. In a bubble.
func (b *testbed) workers(want ...schema.Worker) {
	b.t.Helper()
	time.Sleep(time.Second)
	body, err := b.ask(command.ListWorkers{Limit: 100})
	if err != nil {
		b.t.Fatal(err)
	}
	if diff := cmp.Diff(want, body.(command.WorkerSlice).Workers, cmpopts.IgnoreFields(schema.Worker{}, "LastSeen"), cmpopts.EquateEmpty()); diff != "" {
		b.t.Fatalf("workers: %s", diff)
	}
}

func ptr[T any](v T) *T { return &v }

// Every subscriber of a vote station is asked; a service that does not know votes is a voter as it
// is.
func TestVotes(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		b.putStation(schema.Station{Station: "jury", Kind: schema.KindVote, Policy: schema.Policy{Voters: ptr(int64(3)), Quorum: ptr(int64(2))}})
		b.voter("station.jury", `{"state":"ok","worker_id":"w1","content":"yes"}`)
		b.voter("station.jury", `{"verdict":"guilty"}`)
		b.voter("station.jury", `{"state":"error","worker_id":"w3","error":"no"}`)
		results := b.results()
		b.create(`{"plan_id":"p","station":"jury","command":"judge","plan_type":"none"}`)
		r := next(t, results)
		var votes []string
		for _, v := range r.Votes {
			ack := v.Content
			if ack.IsZero() {
				ack = v.Error
			}
			votes = append(votes, strings.TrimSpace(v.WorkerID+" "+string(v.State)+" "+ack.String()))
		}
		slices.Sort(votes)
		want := []string{`ok {"verdict":"guilty"}`, `w1 ok "yes"`, `w3 error "no"`}
		if diff := cmp.Diff(want, votes); diff != "" || r.State != schema.StateOK || !r.Final {
			t.Errorf("result %+v: %s", r, diff)
		}
	})
}

// Votes outlive the leader that received them.
func TestVotesOutliveALeader(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		b.putStation(schema.Station{Station: "jury", Kind: schema.KindVote, Policy: schema.Policy{Voters: ptr(int64(2))}})
		execution := b.taken("jury")
		results := b.results()
		b.create(`{"plan_id":"p","station":"jury","command":"judge","plan_type":"none"}`)
		m, err := execution.NextMsg(10 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.user.Request(m.Reply, []byte(`{"state":"ok","worker_id":"w1"}`), 10*time.Second); err != nil {
			t.Fatal(err)
		}
		b.end()

		start(t, ns)
		for _, c := range []struct{ worker, ack string }{
			{"w1", `{"ack":true,"accepted":false}`}, // it has voted
			{"w2", `{"ack":true,"accepted":true}`},
		} {
			ack, err := b.user.Request(m.Reply, []byte(`{"state":"ok","worker_id":"`+c.worker+`"}`), 10*time.Second)
			if err != nil || string(ack.Data) != c.ack {
				t.Errorf("%s got %s, %v", c.worker, ack.Data, err)
			}
		}
		if r := next(t, results); r.State != schema.StateOK || len(r.Votes) != 2 || r.N != 1 {
			t.Errorf("result %+v", r)
		}
	}, brokertest.SyncAlways)
}

// An execution for named workers goes to the first that is there, be it known or not, and to no
// other worker.
func TestNamedWorkers(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		b.worker("s", func(*nats.Msg) string {
			t.Error("an execution for others")
			return `{"state":"error"}`
		})
		results := b.results()
		waits := b.subscribe("plan.event.not_worker.>")
		const plan = `{"plan_id":"p","station":"s","command":"c","plan_type":"none","worker_ids":["w1","w2","w3"]}`
		b.create(plan)
		if _, err := waits.NextMsg(10 * time.Second); err != nil {
			t.Fatal(err)
		}
		b.voter("worker.w3", `{"state":"ok","content":"w3"}`) // plain, and found by itself
		b.put("w3", `{"worker_id":"w3","stations":["s"]}`)    // at once
		if r := next(t, results); r.State != schema.StateOK || r.Content.String() != `"w3"` || r.Attempt != 1 {
			t.Errorf("result %+v", r)
		}
		b.voter("worker.w2", `{"state":"ok","content":"w2"}`)
		if err := b.user.Publish("$KV.workers.w3", nil); err != nil { // a record without a worker
			t.Fatal(err)
		}
		b.create(plan)
		if r := next(t, results); r.Content.String() != `"w3"` || r.N != 1 {
			t.Errorf("who is known to be there comes first, but %s answered", r.Content)
		}
		leave := &nats.Msg{Subject: "$KV.workers.w3", Header: nats.Header{"KV-Operation": {"DEL"}}}
		if err := b.user.PublishMsg(leave); err != nil {
			t.Fatal(err)
		}
		b.workers()
		b.create(plan)
		if r := next(t, results); r.Content.String() != `"w2"` || r.N != 1 {
			t.Errorf("w1 is not there, w2 is, but %s answered", r.Content)
		}
	})
}

// The next leader knows the workers that are there, and nonsense in the bucket does no harm.
func TestPresenceOutlivesALeader(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		b.put("w1", `{"worker_id":"w1","stations":["s","s","t.>","no station"],"version":"v1","load":3,"more":1}`)
		b.put("other", `{"worker_id":"w1","stations":["s"]}`)
		b.put("idle", `{"worker_id":"idle","stations":[]}`)
		b.put("text", `hello`)
		b.put("list", `[1]`)
		b.put("deep", strings.Repeat("[", 100))
		b.put("huge", `{"stations":["`+strings.Repeat("s", 70<<10)+`"]}`)
		b.put("not.an.id", `{"stations":["s"]}`)
		many := schema.Worker{WorkerID: "many"}
		for range 1000 {
			many.Stations = append(many.Stations, "s"+strings.Repeat("x", len(many.Stations)%100), "t")
		}
		body, err := json.Marshal(many)
		if err != nil {
			t.Fatal(err)
		}
		b.put("many", string(body))
		many.Stations = slices.Compact(slices.Sorted(slices.Values(many.Stations)))
		want := []schema.Worker{many, {WorkerID: "w1", Stations: []string{"s", "t.>"}, Version: "v1", Load: 3}}
		b.workers(want...)
		b.end()
		start(t, ns).workers(want...)
	})
}

// A worker that announces itself at its station is listed, executions that waited for it are
// delivered, and the bucket has its record for the next leader. Other stations in the body are
// ignored.
func TestAnnouncedWorkersArePresent(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		announce := func(subject, body string) {
			t.Helper()
			if err := b.user.Publish("worker.here."+subject, []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		results := b.results()
		waits := b.subscribe("plan.event.not_worker.>")
		b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)
		if _, err := waits.NextMsg(10 * time.Second); err != nil {
			t.Fatal(err)
		}
		b.voter("station.s", `{"state":"ok"}`)
		announce("w1.s", `{"version":"v1","load":3,"stations":["jury"],"worker_id":"w9"}`)
		if r := next(t, results); r.State != schema.StateOK {
			t.Errorf("result %+v", r)
		}
		announce("w1.t.*below", `{"version":"v2"}`)
		announce("w2.s", ``)
		for _, nonsense := range []string{"w3", "w!.s", "w3.t.*", "w3.t.*below.u"} {
			announce(nonsense, `{}`)
		}
		announce("w3.s", `hello`)
		announce("w3.s", `{"version":"`+strings.Repeat("v", 10<<10)+`"}`)
		want := []schema.Worker{{WorkerID: "w1", Stations: []string{"s", "t.>"}, Version: "v2"}, {WorkerID: "w2", Stations: []string{"s"}}}
		b.workers(want...)
		b.end()
		b = start(t, ns)
		b.workers(want...)
		announce("w1.s", `{"version":"v2"}`)
		announce("w2.s", `{"gone":true}`)
		b.workers(want[:1]...)
		time.Sleep(29 * time.Second)
		announce("w1.s", `{"gone":true}`)
		b.workers()
		b.end()
		start(t, ns).workers()
	})
}
