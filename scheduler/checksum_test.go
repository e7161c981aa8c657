package scheduler_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
)

// lines counts the lines of a log that have a level and contain a text, and calls each at each of them.
type lines struct {
	slog.Handler
	text  string
	level slog.Level
	each  func()
	count *atomic.Int64
}

func (l lines) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == l.level && strings.Contains(r.Message, l.text) {
		l.count.Add(1)
		l.each()
	}
	return l.Handler.Handle(ctx, r)
}

func (l lines) WithAttrs(a []slog.Attr) slog.Handler {
	l.Handler = l.Handler.WithAttrs(a)
	return l
}

// A removed plan whose rows are back, as a replica of nats-server may have them after a kill -9,
// is noticed by the node that takes over. It reads the bucket again, and leads without the plan
// when another replica answers. If all have the rows, it leads all the same and logs an error.
func TestRowsThatAreBackAreNoticed(t *testing.T) {
	for _, heals := range []bool{true, false} {
		t.Run(fmt.Sprintf("another replica is right: %t", heals), func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				first := start(t, ns)
				js, err := jetstream.New(first.user)
				if err != nil {
					t.Fatal(err)
				}
				bucket, err := js.KeyValue(t.Context(), "plans")
				if err != nil {
					t.Fatal(err)
				}
				name := schema.PlanName{Station: "s", PlanID: "removed"}
				first.create(`{"station":"s","plan_id":"removed","command":"c","plan_type":"time","plan_time":"2199-01-01T00:00:00Z"}`)
				time.Sleep(time.Minute) // its rows are written
				rows := map[string][]byte{}
				for _, key := range []string{storage.PlanKey("s", "removed"), storage.StateKey("s", "removed")} {
					row, err := bucket.Get(t.Context(), key)
					if err != nil {
						t.Fatal(err)
					}
					rows[key] = row.Value()
				}
				if _, err := first.ask(command.RemovePlan{Name: name}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				first.create(once)
				first.end()
				for key, value := range rows {
					if _, err := bucket.Put(t.Context(), key, value); err != nil {
						t.Fatal(err)
					}
				}
				again, taken := new(atomic.Int64), new(atomic.Int64)
				next := start(t, ns, func(c *scheduler.Config) {
					remove := func() {
						for key := range rows {
							if err := bucket.Purge(context.Background(), key); heals && err != nil {
								t.Error(err)
							}
						}
					}
					if !heals {
						remove = func() {}
					}
					h := lines{c.Log.Handler(), "reading it again", slog.LevelWarn, remove, again}
					c.Log = slog.New(lines{h, "plans may be missing or run again", slog.LevelError, func() {}, taken})
				})
				_, err = next.ask(command.GetPlan{Name: name})
				if heals && (again.Load() != 1 || taken.Load() != 0 || err == nil) {
					t.Errorf("read again %d times, taken as it is %d times, the removed plan: %v", again.Load(), taken.Load(), err)
				}
				if !heals && (again.Load() != 3 || taken.Load() != 1 || err != nil) {
					t.Errorf("read again %d times, taken as it is %d times, the removed plan: %v", again.Load(), taken.Load(), err)
				}
			})
		})
	}
}
