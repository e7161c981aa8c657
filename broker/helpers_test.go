package broker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// epoch0 is a moment with recognisable Unix milliseconds.
var epoch0 = time.UnixMilli(1_700_000_000_000)

// patient gives JetStream requests a timeout that outlasts a stalled machine, because the
// default of 5 s does not.
var patient = jetstream.WithDefaultTimeout(brokertest.Patience)

// deadline is the test's context with a deadline, so that a protocol that hangs fails with
// its place.
func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), brokertest.Patience)
	t.Cleanup(cancel)
	return ctx
}

func newStore(t testing.TB) (*server.Server, *nats.Conn, *broker.Store) {
	t.Helper()
	ns := brokertest.Server(t)
	nc := brokertest.Connect(t, ns)
	return ns, nc, brokertest.Store(t, nc)
}

func seize(t testing.TB, s *broker.Store, holder string) *broker.Appender {
	t.Helper()
	p, err := s.Journal(0).Seize(deadline(t), holder, epoch0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func write(t testing.TB, p *broker.Appender, body string) uint64 {
	t.Helper()
	seq, err := p.Append(deadline(t), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func fence(t testing.TB, c *broker.Chain, p *broker.Appender, holder string) broker.FenceRecord {
	t.Helper()
	f, err := c.Fence(deadline(t), p.Epoch(), holder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return f
}

// brief is an append in one word: "a+" for a's take-over, "a:body" for its body.
func brief(a broker.Append) string {
	if a.Takeover {
		return a.Holder + "+"
	}
	return a.Holder + ":" + string(a.Body)
}

// replay lists the journal's appends behind from.
func replay(t testing.TB, s *broker.Store, from uint64) []string {
	t.Helper()
	state, err := s.Journal(0).State(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	return replayTo(t, s, from, state.Last)
}

// replayTo lists the journal's appends behind from, up to an append that is known to exist,
// because a cluster that changes its leaders may show an old end.
func replayTo(t testing.TB, s *broker.Store, from, to uint64) []string {
	t.Helper()
	var got []string
	err := s.Journal(0).Replay(deadline(t), from, to, func(a broker.Append) error {
		got = append(got, brief(a))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// scan is the bucket without its fence, as "key=value".
func scan(t testing.TB, s *broker.Store) []string {
	t.Helper()
	return scanTo(t, s, 0)
}

// scanTo is a scan up to a revision that is known to exist, as replayTo.
func scanTo(t testing.TB, s *broker.Store, least uint64) []string {
	t.Helper()
	var got []string
	err := s.Table(0).Scan(deadline(t), least, func(key string, value []byte, _ uint64) error {
		if key != "checkpoint" && value != nil {
			got = append(got, fmt.Sprintf("%s=%s", key, value))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantIs(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("got error %v, want %v", err, target)
	}
}

// wantChanged demands a *ChangedError about a stream.
func wantChanged(t testing.TB, err error, stream string) {
	t.Helper()
	var changed *broker.ChangedError
	if !errors.As(err, &changed) || changed.Stream != stream {
		t.Errorf("got error %v, want that %s changed", err, stream)
	}
}

// publish writes to a stream behind the pens' backs.
func publish(t testing.TB, nc *nats.Conn, subject string, data []byte) {
	t.Helper()
	ctx := deadline(t)
	if _, err := nc.RequestWithContext(ctx, subject, data); err != nil {
		t.Fatal(err)
	}
}

// quiet is a configuration without a log, for tests that provoke errors in it.
func quiet(t testing.TB) broker.Config {
	c := brokertest.Config(t)
	c.Logger = slog.New(slog.DiscardHandler)
	return c
}

func deleteConsumers(t *testing.T, nc *nats.Conn, stream string) {
	t.Helper()
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	names := s.ConsumerNames(t.Context())
	for name := range names.Name() {
		if err := s.DeleteConsumer(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if names.Err() != nil {
		t.Fatal(names.Err())
	}
}

// at is the pace of followers in tests.
var at = broker.Pace{Every: 5 * time.Millisecond, Caught: func() error { return nil }}
