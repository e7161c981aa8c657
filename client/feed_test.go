package client_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// broadcast publishes a message as a scheduler would.
func broadcast(t *testing.T, nc *nats.Conn, subject string, v any) {
	t.Helper()
	body, err := wire.Marshal(wire.MsgPack, v)
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Publish(subject, body); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

func TestResults(t *testing.T) {
	ns := brokertest.Server(t)
	nc := brokertest.Connect(t, ns)
	space := schema.Space{Prefix: "acme"}
	c := newClient(t, ns, client.Options{Prefix: "acme"})
	for wanted, want := range map[string][]string{
		"":           {"hello", "hello.x", "callback", "callback.s1", "callback.s1.t", "end"},
		"hello":      {"hello", "end"},
		"callback.>": {"callback.s1", "callback.s1.t", "end"},
	} {
		t.Run(wanted, func(t *testing.T) {
			feed, err := c.Results().Follow(wanted)
			if err != nil {
				t.Fatal(err)
			}
			defer feed.Stop()
			for _, station := range []string{"hello", "hello.x", "callback", "callback.s1", "callback.s1.t"} {
				broadcast(t, nc, space.Result(station, "P1"), schema.Result{Station: station, PlanID: "P1", State: schema.StateOK})
			}
			last := want[len(want)-2]
			var got []string
			for r, err := range feed.All(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, r.Station); r.Station == last {
					break
				}
			}
			if diff := cmp.Diff(want, append(got, "end")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := c.Results().Follow("not a station"); err == nil {
		t.Error("a station with spaces was taken")
	}
}

func TestEvents(t *testing.T) {
	ns := brokertest.Server(t)
	nc := brokertest.Connect(t, ns)
	space := schema.Space{}
	c := newClient(t, ns, client.Options{})
	feeds := map[string]*client.Feed[schema.Notice]{}
	for name, follow := range map[string]func() (*client.Feed[schema.Notice], error){
		"all":   func() (*client.Feed[schema.Notice], error) { return c.Events().Follow("") },
		"kind":  func() (*client.Feed[schema.Notice], error) { return c.Events().Follow("hello", schema.NoticeClosed) },
		"kinds": func() (*client.Feed[schema.Notice], error) { return c.Events().Follow("a.>", "closed", "created") },
	} {
		feed, err := follow()
		if err != nil {
			t.Fatal(err)
		}
		defer feed.Stop()
		feeds[name] = feed
	}
	for _, station := range []string{"hello", "a.b"} {
		for _, kind := range []schema.NoticeKind{schema.NoticeCreated, schema.NoticeRunning, schema.NoticeClosed} {
			broadcast(t, nc, space.Event(kind, station, "P1"), schema.Notice{Kind: kind, Station: station, PlanID: "P1"})
		}
	}
	for name, want := range map[string][]string{
		"all":   {"created hello", "running hello", "closed hello", "created a.b", "running a.b", "closed a.b"},
		"kind":  {"closed hello"},
		"kinds": {"created a.b", "closed a.b"},
	} {
		var got []string
		for n, err := range feeds[name].All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, string(n.Kind)+" "+n.Station); len(got) == len(want) {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFeedEnds(t *testing.T) {
	ns := brokertest.Server(t)
	nc := brokertest.Connect(t, ns)
	c, err := client.New(nc, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	feed, err := c.Results().Follow("")
	if err != nil {
		t.Fatal(err)
	}

	// One bad message is an error and no end.
	if err := nc.Publish("plan.result.hello.P1", []byte("{")); err != nil {
		t.Fatal(err)
	}
	broadcast(t, nc, "plan.result.hello.P1", schema.Result{Station: "hello"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failures := 0
	for r, err := range feed.All(ctx) {
		if err != nil {
			failures++
		} else if r.Station == "hello" {
			cancel() // the context ends the loop, without an error
		}
	}
	if failures != 1 {
		t.Errorf("%d errors", failures)
	}

	// Stop does, while a reader waits.
	ended := make(chan error)
	follow := func() {
		var last error
		for _, err := range feed.All(t.Context()) {
			last = err
		}
		ended <- last
	}
	go follow()
	feed.Stop()
	feed.Stop()
	if err := <-ended; err != nil {
		t.Errorf("after stop: %v", err)
	}

	// So does the end of the connection, which is an error.
	if feed, err = c.Results().Follow(""); err != nil {
		t.Fatal(err)
	}
	go follow()
	nc.Close()
	if err := <-ended; !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("after the connection: %v", err)
	}
}
