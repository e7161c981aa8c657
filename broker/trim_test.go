package broker_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// onDisk has a server keep its streams in a folder, and compact its files every second, where 2
// minutes are usual.
func onDisk(folder string) brokertest.Option {
	return func(o *server.Options) { o.StoreDir, o.SyncAlways, o.SyncInterval = folder, true, time.Second }
}

// onServer is a store whose files of messages are small.
func onServer(t *testing.T, folder string) *broker.Store {
	t.Helper()
	cfg := brokertest.Config(t)
	cfg.TableBytes = 31 << 20 // and 4 MiB a file
	return brokertest.Store(t, brokertest.Connect(t, brokertest.Server(t, onDisk(folder))), cfg)
}

// kill returns a store on a server that finds the files of another as they are while that one runs, as
// behind a kill -9, and has their folder from now on.
func kill(t *testing.T, folder *string) *broker.Store {
	t.Helper()
	dead := t.TempDir()
	if err := os.CopyFS(dead, os.DirFS(*folder)); err != nil {
		t.Fatal(err)
	}
	*folder = dead
	return onServer(t, dead)
}

// keys are those of the rows of the bucket, without its fence.
func keys(t *testing.T, s *broker.Store) []string {
	t.Helper()
	found := map[string]bool{}
	err := s.Table(0).Scan(deadline(t), 0, func(key string, value []byte, _ uint64) error {
		if found[key] = true; value == nil || key == "checkpoint" {
			delete(found, key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

// churn writes rows to the table: plans come and go, but for the first, and their states change.
type churn struct {
	chance *rand.Rand
	live   []string // names of plans
	made   int
}

func (c *churn) batch(table *broker.Table) (msgs []*nats.Msg) {
	const plans, unchanged = 240, 20
	used := map[string]bool{}
	set := func(key string) {
		if !used[key] {
			used[key] = true
			msgs = append(msgs, table.Set(key, make([]byte, 300+c.chance.IntN(600))))
		}
	}
	for len(c.live) < plans {
		c.made++
		name := strconv.Itoa(c.made)
		c.live = append(c.live, name)
		set("plan.s." + name)
		set("state.s." + name)
	}
	for range 30 {
		set("state.s." + c.live[unchanged+c.chance.IntN(plans-unchanged)])
	}
	for range 6 {
		i := unchanged + c.chance.IntN(len(c.live)-unchanged)
		if name := c.live[i]; !used["state.s."+name] {
			msgs = append(msgs, table.Unset("plan.s."+name), table.Unset("state.s."+name))
			c.live = slices.Delete(c.live, i, i+1)
		}
	}
	return msgs
}

// rows are the keys that the bucket should have.
func (c *churn) rows() (keys []string) {
	for _, name := range c.live {
		keys = append(keys, "plan.s."+name, "state.s."+name)
	}
	slices.Sort(keys)
	return keys
}

// trim removes the markers of the table, as its writer does.
func trim(t *testing.T, s *broker.Store, chain *broker.Chain) {
	t.Helper()
	table := s.Table(0)
	span, err := table.Span(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	padding := table.Padding()
	if err := chain.Write(deadline(t), padding, upTo(2)); err != nil {
		t.Fatal(err)
	}
	goal, cut := span.Last+1, chain.Revision()+uint64(len(padding))
	for from := uint64(1); from < goal; {
		rows, next, err := table.Head(deadline(t), from, goal, 100)
		if err != nil {
			t.Fatal(err)
		}
		var again []*nats.Msg
		for _, row := range rows {
			again = append(again, table.Set(row.Key, row.Value))
		}
		if err := chain.Write(deadline(t), again, upTo(2)); err != nil {
			t.Fatal(err)
		}
		from = next
	}
	if err := table.Trim(deadline(t), cut); err != nil {
		t.Fatal(err)
	}
	left, err := table.Span(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	if left.Count > span.Count/2 {
		t.Errorf("%d of %d messages are left", left.Count, span.Count)
	}
}

// nats-server loses notes of removed messages when it compacts its files, and has the messages again
// behind a kill -9. The markers of removed rows make them void, and are trimmed only with them.
func TestRemovedRowsStayRemovedBehindAKill(t *testing.T) {
	folder := t.TempDir()
	s := onServer(t, folder)
	c := churn{chance: rand.New(rand.NewPCG(1, 2))}
	for round := range 8 {
		chain := s.TableChain(0)
		fence(t, chain, seize(t, s, "a"), "a")
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
			if err := chain.Write(deadline(t), c.batch(s.Table(0)), upTo(2)); err != nil {
				t.Fatal(err)
			}
		}
		if round%3 == 2 {
			trim(t, s, chain)
		}
		s = kill(t, &folder)
		if diff := cmp.Diff(c.rows(), keys(t, s)); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
	}
}

// Messages that are back behind a kill -9 are not the last ones of their subjects, and are no rows.
func TestTheHeadLeavesOutMessagesThatAreBack(t *testing.T) {
	_, nc, s := newStore(t)
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	table := s.Table(0)
	for _, m := range []*nats.Msg{
		table.Set("plan.s.1", []byte("gone")), table.Unset("plan.s.1"),
		table.Set("plan.s.2", []byte("old")), table.Set("plan.s.2", []byte("new")),
		table.Set("plan.s.3", []byte("only")), table.Set("state.s.4", []byte("old")),
	} {
		m.Header = maps.Clone(m.Header)
		m.Header.Del("Nats-Rollup") // so that both stay
		if _, err := js.PublishMsg(deadline(t), m); err != nil {
			t.Fatal(err)
		}
	}
	span, err := table.Span(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	later := table.Set("state.s.4", []byte("new"))
	later.Header = nil
	if _, err := js.PublishMsg(deadline(t), later); err != nil {
		t.Fatal(err)
	}
	rows, next, err := table.Head(deadline(t), 1, span.Last+1, 100)
	if err != nil || next != span.Last+1 {
		t.Fatalf("it goes on from %d: %v", next, err)
	}
	found := map[string]string{}
	for _, row := range rows {
		if _, twice := found[row.Key]; twice {
			t.Errorf("%s comes twice", row.Key)
		}
		found[row.Key] = string(row.Value)
	}
	if diff := cmp.Diff(map[string]string{"plan.s.2": "new", "plan.s.3": "only"}, found); diff != "" {
		t.Error(diff)
	}
}
