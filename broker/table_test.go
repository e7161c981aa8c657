package broker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

func TestScanReadsUntilItsOwnFence(t *testing.T) {
	_, _, s := newStore(t)
	a := seize(t, s, "a")
	chain := s.TableChain(0)
	fence(t, chain, a, "a")
	if err := chain.Write(deadline(t), append(rows(s, "plan.s.1", "plan.s.2"), s.Table(0).Unset("plan.s.3")), upTo(2)); err != nil {
		t.Fatal(err)
	}
	fence(t, chain, seize(t, s, "b"), "b")
	var keys []string
	err := s.Table(0).Scan(deadline(t), chain.Revision(), func(key string, value []byte, rev uint64) error {
		if value == nil {
			key = "-" + key
		}
		keys = append(keys, key)
		if key == "checkpoint" && rev != chain.Revision() {
			t.Errorf("saw the fence at %d, rewrote it at %d", rev, chain.Revision())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"plan.s.1", "plan.s.2", "-plan.s.3", "checkpoint"}, keys); diff != "" {
		t.Error(diff)
	}
}

// A leader that takes over writes rows again. A row that has not come yet is then behind
// the end that the bucket had when the scan began.
func TestAScanFindsRowsThatAreRewrittenMeanwhile(t *testing.T) {
	_, _, s := newStore(t)
	chain := s.TableChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	large := make([]byte, 512<<10) // more than a consumer sends ahead of its reader
	const most = 40
	for i := range most {
		if err := chain.Write(deadline(t), []*nats.Msg{s.Table(0).Set(fmt.Sprintf("plan.s.%d", i), large)}, upTo(2)); err != nil {
			t.Fatal(err)
		}
	}
	last := fmt.Sprintf("plan.s.%d", most-1)
	found := map[string]bool{}
	err := s.Table(0).Scan(deadline(t), chain.Revision(), func(key string, _ []byte, _ uint64) error {
		if found[key] = true; len(found) > 1 {
			return nil
		}
		return chain.Write(deadline(t), rows(s, last), upTo(2))
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found[last] {
		t.Errorf("%s is not among %d keys", last, len(found))
	}
}

// A follower reads the rows of a fence's batch, which are behind it.
func TestPeekReportsTheEndOfTheBatchOfAFence(t *testing.T) {
	_, _, s := newStore(t)
	chain := s.TableChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	if err := chain.Write(deadline(t), rows(s, "plan.s.1", "plan.s.2"), upTo(2)); err != nil {
		t.Fatal(err)
	}
	_, end, err := chain.Peek(deadline(t))
	if _, rev, getErr := s.Table(0).Get(deadline(t), "plan.s.2"); err != nil || getErr != nil || end != rev {
		t.Errorf("it ends at %d, the last row is %d: %v, %v", end, rev, err, getErr)
	}
}

func TestScanOfAnEmptyBucketEnds(t *testing.T) {
	_, _, s := newStore(t)
	if got := scan(t, s); got != nil {
		t.Errorf("got %v", got)
	}
}

// The last message has expired, so no consumer will ever deliver it.
func TestScanEndsThoughTheEndExpired(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		s := brokertest.Store(t, nc)
		if _, err := s.Stations().Put(t.Context(), "station.a", []byte("1")); err != nil {
			t.Fatal(err)
		}
		last := s.Stations().Unset("station.b")
		last.Header.Set("Nats-TTL", "1s")
		if _, err := nc.RequestMsgWithContext(deadline(t), last); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		var keys []string
		err := s.Stations().Scan(deadline(t), 0, func(key string, _ []byte, _ uint64) error {
			keys = append(keys, key)
			return nil
		})
		if err != nil || len(keys) != 1 {
			t.Errorf("got %v, %v", keys, err)
		}
	})
}

func TestGet(t *testing.T) {
	_, _, s := newStore(t)
	rev, err := s.Stations().Put(t.Context(), "station.a", []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	value, got, err := s.Stations().Get(t.Context(), "station.a")
	if err != nil || string(value) != "1" || got != rev {
		t.Errorf("got %q at %d, %v; put at %d", value, got, err, rev)
	}
	_, _, err = s.Stations().Get(t.Context(), "station.b")
	wantIs(t, err, broker.ErrNotFound)
}

func TestWatchSeesWorkersComeAndGo(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := brokertest.Store(t, brokertest.Connect(t, ns))
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan string)
		done := make(chan error, 1)
		go func() {
			done <- s.Workers().Watch(ctx, func(key string, value []byte) error {
				got <- fmt.Sprintf("%s=%s %t", key, value, value == nil)
				return nil
			})
		}()
		if _, err := s.Workers().Put(ctx, "w1", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if seen := <-got; seen != "w1=x false" {
			t.Errorf("saw %s", seen)
		}
		put := time.Now()
		if seen := <-got; seen != "w1= true" {
			t.Errorf("saw %s", seen)
		}
		if after := time.Since(put); after < 29*time.Second || after > 32*time.Second {
			t.Errorf("gone after %s", after)
		}
		cancel()
		wantIs(t, <-done, context.Canceled)
	})
}

func TestUnreceivedRepliesAreFound(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		s := brokertest.Store(t, nc)
		publish := func(subject string) {
			if err := nc.Publish(subject, []byte("ok")); err != nil {
				t.Fatal(err)
			}
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		from := time.Now()
		publish("plan.reply.0.s.*1.1-a")
		middle := time.Now()
		publish("plan.reply.0.s.*1.2-b")
		publish("plan.reply.1.s.*2.1-c")
		replies := func(p int, t0 time.Time, of ...string) (subjects []string) {
			err := s.Replies().Since(deadline(t), p, t0, of, func(m *nats.Msg, _ time.Time) error {
				subjects = append(subjects, m.Subject)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return subjects
		}
		if diff := cmp.Diff([]string{"plan.reply.0.s.*1.1-a", "plan.reply.0.s.*1.2-b"}, replies(0, from)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"plan.reply.0.s.*1.2-b"}, replies(0, middle)); diff != "" {
			t.Error(diff)
		}
		time.Sleep(3 * time.Minute)
		if got := replies(0, from); got != nil {
			t.Errorf("kept for too long: %v", got)
		}
	})
}

// Where only the replies of some executions matter, among very many, the search finds those
// that a full read would have found, in the same order.
func TestRepliesOfSomeExecutionsAreFoundAmongMany(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		s := brokertest.Store(t, nc)
		publish := func(exec, what string) {
			m := nats.NewMsg("plan.reply.0.s.*1." + exec)
			m.Data, m.Header = []byte(what), nats.Header{"Station-Status": {what}}
			if err := nc.PublishMsg(m); err != nil {
				t.Fatal(err)
			}
		}
		publish("1-a", "early")
		publish("2-b", "running")
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		from := time.Now()
		publish("1-a", "running")
		for i := range 1000 {
			publish(fmt.Sprint(i+10, "-x"), "ok")
		}
		publish("2-b", "ok")
		publish("1-a", "ok")
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // there is no event for a capture
		subjects := []string{"plan.reply.0.s.*1.1-a", "plan.reply.0.s.*1.2-b", "plan.reply.0.s.*1.3-c"}
		read := func(of []string) (words []string, all int) {
			err := s.Replies().Since(deadline(t), 0, from, of, func(m *nats.Msg, at time.Time) error {
				all++
				if slices.Contains(subjects, m.Subject) {
					words = append(words, fmt.Sprint(m.Subject, " ", string(m.Data), m.Header, at.Before(from)))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return words, all
		}
		want, all := read(nil)
		if len(want) != 3 || all != 1003 {
			t.Fatalf("%d replies, %q", all, want)
		}
		got, some := read(subjects)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if some != 3 {
			t.Errorf("%d replies were read for three", some)
		}
	})
}

func TestResultsOfAPlan(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		s := brokertest.Store(t, nc)
		const n = 700 // more than a page; a plan keeps 100
		for i := range n {
			publish(t, nc, "scheduler.result.s.1", fmt.Append(nil, i))
		}
		publish(t, nc, "scheduler.result.s.2", nil)
		var got []string
		for i := n - 100; i < n; i++ {
			got = append(got, fmt.Sprint(i))
		}
		if diff := cmp.Diff(got, results(t, s, "s", "1")); diff != "" {
			t.Error(diff)
		}
		if got := results(t, s, "s", "3"); got != nil {
			t.Errorf("a plan without results has %v", got)
		}
		last, err := s.Results().Last(t.Context(), "s", "1")
		if err != nil || string(last.Body) != fmt.Sprint(n-1) || last.Time.IsZero() {
			t.Errorf("last %+v, %v", last, err)
		}
		_, err = s.Results().Last(t.Context(), "s", "3")
		wantIs(t, err, broker.ErrNotFound)
		enough := errors.New("enough")
		wantIs(t, s.Results().Of(t.Context(), "s", "1", func(broker.StoredResult) error { return enough }), enough)
	})
}

func TestResultsAreReadInPages(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		cfg := brokertest.Config(t)
		cfg.ResultsPerPlan = 2000
		s := brokertest.Store(t, nc, cfg)
		for i := range 1000 { // two full pages
			publish(t, nc, "scheduler.result.s.1", fmt.Append(nil, i))
		}
		if got := results(t, s, "s", "1"); len(got) != 1000 || got[999] != "999" {
			t.Errorf("%d results", len(got))
		}
	})
}
