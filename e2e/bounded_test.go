package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

var underLoad = flag.Duration("under-load", 5*time.Second, "how long TestTheHighestLoadIsBounded loads the program; from 30s on memory is compared, too")

const (
	// each is the number of plans of a kind.
	each = 500
	// mostBehind is the bound of operations.md for results that wait to be stored: beyond
	// 8,000 no execution begins. The one execution of each plan that is under way then
	// still ends, and so do those that the append decides with which the bound was passed.
	mostBehind = 8000 + 4*each + 2000
	// oldestUnsent is the greatest age of a result when it is broadcast. Without a bound
	// the age would grow with each second, so that a run which has the machine for itself
	// is held to a second, and one beside other tests to more.
	oldestUnsent            = time.Second
	oldestUnsentBesideOther = 3 * time.Second
)

// A loading is the highest load for a worker that answers at once. Its plans are due again at
// once, keep nothing, and queue the occurrences that fall due while they run, and executions are
// claimed.
type loading struct {
	s       *server
	c       *client
	station string
	pulled  string
	answers *nats.Subscription // of the worker
	stop    chan struct{}
	claims  sync.WaitGroup

	replied  atomic.Int64 // answers of workers
	received atomic.Int64
	worst    atomic.Int64 // nanoseconds from the end of an execution until its result was received
}

func newLoading(t *testing.T, s *server) *loading {
	c := connect(t, s, inJSON)
	l := &loading{s: s, c: c, station: c.station(), stop: make(chan struct{})}
	l.pulled = c.pulling(nil)
	l.observe(t)
	l.work(t)
	// All plans exist before any of them is due, because an import is slow under load.
	starts := c.moment(time.Now().Add(5 * time.Second))
	for kind, more := range map[string]body{
		"again":  {"station": l.station},
		"drops":  {"station": l.station, "no_keep": true},
		"queues": {"station": l.station, "plan_value": 1, "overlap": "queue"},
		"pulled": {"station": l.pulled},
	} {
		var plans []any
		for i := range each {
			plans = append(plans, body{
				"plan_id": fmt.Sprint(kind, i), "command": "c", "start_at": starts,
				"plan_type": "second", "plan_value": 0, "plan_repet": -1,
			}.with(more))
		}
		match(t, kind, c.req("plans.import", body{"plans": plans}), body{"created": each})
	}
	return l
}

// observe receives all results, on a connection of its own.
func (l *loading) observe(t *testing.T) {
	nc := connect(t, l.s, inJSON).nc
	for _, station := range []string{l.station, l.pulled} {
		sub, err := nc.Subscribe("plan.result."+station+".*", func(m *nats.Msg) {
			l.received.Add(1)
			_, rest, _ := strings.Cut(string(m.Data), `"end_time":"`)
			text, _, _ := strings.Cut(rest, `"`)
			if ended, err := time.Parse(time.RFC3339Nano, text); err == nil {
				l.worst.Store(max(l.worst.Load(), int64(time.Since(ended))))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := sub.SetPendingLimits(-1, -1); err != nil {
			t.Fatal(err)
		}
	}
}

// work answers every execution at once, claimed ones included.
func (l *loading) work(t *testing.T) {
	nc := connect(t, l.s, inJSON).nc
	ok := []byte(`{"state":"ok"}`)
	var err error
	if l.answers, err = nc.QueueSubscribe("station."+l.station, l.station, func(m *nats.Msg) {
		l.replied.Add(1)
		_ = m.Respond(ok) // the connection is closed behind the test
	}); err != nil {
		t.Fatal(err)
	}
	l.claims.Go(func() {
		for {
			select {
			case <-l.stop:
				return
			default:
			}
			answer, err := nc.Request("plans.claim."+l.pulled, []byte(`{"worker_id":"w","limit":100,"wait_ms":500}`), patience)
			if err != nil {
				continue
			}
			var got struct{ Executions []struct{ Reply string } }
			if err := json.Unmarshal(answer.Data, &got); err != nil {
				t.Errorf("a claim is answered %s", answer.Data)
				return
			}
			for _, x := range got.Executions {
				l.replied.Add(1)
				_ = nc.Publish(x.Reply, ok)
			}
		}
	})
}

// end stops the workers, and waits until all of their results are stored.
func (l *loading) end(t *testing.T) {
	close(l.stop)
	l.claims.Wait()
	if err := l.answers.Drain(); err != nil {
		t.Fatal(err)
	}
	await(t, "all results are stored", func() bool { return l.behind(t) == 0 })
}

// await polls until a condition holds.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

func (l *loading) behind(t *testing.T) int {
	return l.s.counted(t, `stationmaster_behind_messages{partition="0",stream="results"}`)
}

// Under the highest load results are broadcast at once, and neither the results that wait
// to be stored nor memory grows without bound, for each kind of plan.
func TestTheHighestLoadIsBounded(t *testing.T) {
	s := start(t)
	l := newLoading(t, s)
	await(t, "plans are due", func() bool { return l.received.Load() > 0 })
	began := time.Now()
	var most int
	var memory [3]int64 // the most of each third
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for now := began; now.Sub(began) < *underLoad; now = <-look.C {
		most = max(most, l.behind(t))
		third := min(2, int(3*now.Sub(began) / *underLoad))
		memory[third] = max(memory[third], s.memory(t, "VmRSS")>>20)
	}
	took := time.Since(began)
	l.end(t)
	t.Logf("%d executions a second, %d results received a second, the oldest after %v; %d behind at most; %v MB",
		int(float64(l.replied.Load())/took.Seconds()), int(float64(l.received.Load())/took.Seconds()),
		time.Duration(l.worst.Load()).Round(time.Millisecond), most, memory)
	if most > mostBehind {
		t.Errorf("%d results were behind, and %d may be", most, mostBehind)
	}
	long := took >= 30*time.Second
	oldest := oldestUnsentBesideOther
	if long {
		oldest = oldestUnsent
	}
	if worst := time.Duration(l.worst.Load()); worst > oldest {
		t.Errorf("a result was received %v after its execution had ended, and %v is the most", worst, oldest)
	}
	if long && memory[2] > memory[1]+memory[1]/4 {
		t.Errorf("memory grows: %v MB in each third", memory)
	}
	if l.received.Load() < l.replied.Load()/2 {
		t.Errorf("%d answers, and %d results", l.replied.Load(), l.received.Load())
	}
}
