package scheduler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// announce publishes body as the presence of a worker.
func (b *testbed) announce(worker, body string) {
	b.t.Helper()
	if err := b.user.Publish(schema.Space{}.Here(worker, "s"), []byte(body)); err != nil {
		b.t.Fatal(err)
	}
}

// flood has many workers report epochs that never existed.
func (b *testbed) flood() {
	b.t.Helper()
	now := time.Now().UnixMilli()
	for i := range int64(2000) {
		b.announce(fmt.Sprint("w", i%50), fmt.Sprintf(`{"epochs":[{"partition":0,"epoch":%d,"before":%d}]}`, now+i, now-1-i))
	}
	time.Sleep(30 * time.Second) // in a bubble: until nothing is left to be looked into
}

// older returns how often each unacknowledged report of an older store was made.
func (b *testbed) older() (found []string) {
	b.t.Helper()
	lost, err := brokertest.Store(b.t, brokertest.Connect(b.t, b.ns)).Damage(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range lost {
		found = append(found, fmt.Sprint(lost[i].Name(), " ", lost[i].Count))
	}
	return found
}

// lines counts the lines of the log that hold part.
func (l *logReader) lines(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

// Any client that may publish presence may report any epoch. That costs one line of the log and one
// record for each leadership, however many reports come, and not the leadership. An impossible
// epoch is not reported at all, and acknowledged reports stay acknowledged.
func TestLyingWorkerIsReportedOnce(t *testing.T) {
	const report = "a worker has seen a higher epoch than the store has"
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, book := logged(t, ns)
		now := time.Now().UnixMilli()
		beyond := strings.Repeat(`{"partition":1,"epoch":7},`, schema.MaxSeenEpochs)
		for _, body := range []string{
			``, `{}`, `{"epochs":null}`, `{"epochs":[]}`, `{"epochs":"7"}`, `{"epochs":[7]}`, `{"epochs":{"partition":0,"epoch":7}}`,
			`{"epochs":[{"partition":0}]}`, `{"epochs":[{"partition":0,"epoch":"x"}]}`, `{"epochs":[{"partition":0,"epoch":-7,"before":-9}]}`,
			`{"epochs":[{"partition":0,"epoch":1e300}]}`, `{"epochs":[{"partition":0,"epoch":9223372036854775807}]}`,
			`{"epochs":[{"partition":1,"epoch":7}]}`, `{"epochs":[{"partition":-1,"epoch":7}]}`,
			fmt.Sprintf(`{"epochs":[{"partition":0,"epoch":%d}]}`, now+120_000),
			`{"epochs":[` + beyond + `{"partition":0,"epoch":7}]}`,
			`{"version":"` + strings.Repeat("v", 4<<10) + `","epochs":[{"partition":0,"epoch":7}]}`,
		} {
			b.announce("w1", body)
		}
		time.Sleep(30 * time.Second)
		if found := b.older(); found != nil {
			t.Errorf("nonsense is reported: %v", found)
		}

		once := []string{"older.PLAN_JOURNAL 1"}
		b.flood()
		if diff := cmp.Diff(once, b.older()); diff != "" {
			t.Error(diff)
		}
		if err := b.user.Publish("$KV.leaders.damage.older.PLAN_JOURNAL", nil); err != nil {
			t.Fatal(err)
		}
		b.flood()
		if found := b.older(); found != nil {
			t.Errorf("it was acknowledged, and is reported: %v", found)
		}
		if n := book.lines(report); n != 1 {
			t.Errorf("the log reports it %d times", n)
		}
		if line := book.standDown(); line != "" {
			t.Errorf("the leader has ended: %s", line)
		}
		b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)
		b.end()

		b, book = logged(t, ns)
		b.flood()
		if diff := cmp.Diff(once, b.older()); diff != "" {
			t.Error(diff)
		}
		if n := book.lines(report); n != 1 {
			t.Errorf("in the next leadership the log reports it %d times", n)
		}
	})
}

// A worker that outlives its leaders has seen all of their epochs, and none of them counts as one
// that the store lacks.
func TestTakeOversAreNotTakenForAnOlderStore(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		w, err := worker.New(brokertest.Connect(t, ns), worker.Options{ID: "w1"})
		if err != nil {
			t.Fatal(err)
		}
		w.Handle("s", "*", func(context.Context, *worker.Execution) (any, error) { return "done", nil })
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := w.Stop(); err != nil {
				t.Error(err)
			}
		}()
		messages, err := brokertest.Connect(t, ns).SubscribeSync(schema.Space{}.Here("w1", "s"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			b := start(t, ns)
			time.Sleep(time.Duration(i%3) * 7 * time.Second) // the worker announces itself before it has seen this one, or after
			results := b.results()
			b.create(fmt.Sprintf(`{"plan_id":"p%d","station":"s","command":"c","plan_type":"none"}`, i))
			next(t, results)
			time.Sleep(25 * time.Second)
			if found := b.older(); found != nil {
				t.Fatalf("leadership %d reports %v", i+1, found)
			}
			b.end()
		}
		var last string
		for m, err := messages.NextMsg(time.Second); err == nil; m, err = messages.NextMsg(time.Second) {
			last = string(m.Data)
		}
		if !strings.Contains(last, `"before":`) {
			t.Errorf("the worker does not report the epoch that it has seen: %s", last)
		}
	})
}
