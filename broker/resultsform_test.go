package broker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// A stream of results is converted in place, both ways, while a store that does not know it
// writes. Stored results stay, nothing is stored twice, and the fence goes on.
func TestResultsAreConvertedUnderTheirWriter(t *testing.T) {
	_, nc, s := newStore(t)
	other := brokertest.Store(t, nc)
	chain := s.ResultsChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	var want []string
	for i := range 4 {
		form := broker.ResultsForm(i % 2)
		if err := other.ConvertResults(deadline(t), form); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(i, "a"), fmt.Sprint(i, "b"))
		store(t, chain, upTo(uint64(i+2)), want[2*i:]...)
		if s.ResultsForm() != form || other.ResultsForm() != form {
			t.Errorf("the forms are %v and %v, want %v", s.ResultsForm(), other.ResultsForm(), form)
		}
		wantResults(t, s, want...)
		again := brokertest.Store(t, nc) // either form will do
		if again.ResultsForm() != form {
			t.Errorf("the form is %v, want %v", again.ResultsForm(), form)
		}
	}
}

// Results that strangers publish on the subjects of broadcasts are not kept, and no message
// of the batches is broadcast there.
func TestResultsOfStrangersAreNotKept(t *testing.T) {
	_, nc, s := newStore(t)
	received, err := nc.SubscribeSync("plan.result.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Publish("plan.result.s.1", []byte("stranger")); err != nil {
		t.Fatal(err)
	}
	chain := s.ResultsChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	store(t, chain, upTo(2), "1")
	wantResults(t, s, "1")
	if m, err := received.NextMsgWithContext(deadline(t)); err != nil || string(m.Data) != "stranger" {
		t.Errorf("received %v, %v", m, err)
	}
	if n, _, err := received.Pending(); n != 0 || err != nil {
		t.Errorf("%d more are received, %v", n, err)
	}
}

// A writer of results in the own form calls Before ahead of each attempt.
func TestBeforeResultsAreStored(t *testing.T) {
	_, nc, s := newStore(t)
	chain := s.ResultsChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	refusals := 2
	chain.Before = func(context.Context) error {
		wantResults(t, s)
		if refusals--; refusals >= 0 {
			return errors.New("not broadcast yet")
		}
		return nil
	}
	store(t, chain, upTo(2), "1")
	if refusals != -1 {
		t.Errorf("%d refusals are left", refusals)
	}
	wantResults(t, s, "1")
	chain.Before = func(context.Context) error {
		t.Error("Before is called although storing broadcasts")
		return nil
	}
	if err := brokertest.Store(t, nc).ConvertResults(deadline(t), broker.ResultsPublic); err != nil {
		t.Fatal(err)
	}
	if err := s.ConvertResults(deadline(t), broker.ResultsPublic); err != nil {
		t.Fatal(err)
	}
	store(t, chain, upTo(3), "2")
	wantResults(t, s, "1", "2")
}

// On a cluster, too, results are converted during writes, by a leader on another server that
// finds out by itself, and while a subscriber listens to broadcasts, because then no request ends
// with "no responders".
func TestResultsAreConvertedOnACluster(t *testing.T) {
	c := newCluster(t)
	c.start(0, 1, 2)
	cfg := quiet(t)
	cfg.Replicas, cfg.ResultsForm = 3, broker.ResultsPublic
	s := brokertest.Store(t, c.connect(0), cfg)
	converter := brokertest.Store(t, c.connect(1), cfg)
	observer := c.connect(2)
	if _, err := observer.Subscribe("plan.result.>", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	if err := observer.FlushWithContext(deadline(t)); err != nil {
		t.Fatal(err)
	}
	chain := s.ResultsChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	converted := make(chan error, 1)
	go func() {
		converted <- errors.Join(
			converter.ConvertResults(deadline(t), broker.ResultsOwn),
			converter.ConvertResults(deadline(t), broker.ResultsPublic),
			converter.ConvertResults(deadline(t), broker.ResultsOwn))
	}()
	var want []string
	for done := false; !done; {
		select {
		case err := <-converted:
			if err != nil {
				t.Fatal(err)
			}
			done = true // one more in the last form
		default:
		}
		n := uint64(len(want))
		want = append(want, fmt.Sprint(n), fmt.Sprint(n+1))
		store(t, chain, upTo(n+2), want[n:]...)
	}
	want = want[max(0, len(want)-100):] // as many are kept
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	got := results(t, s, "s", "1")
	for end := time.Now().Add(brokertest.Patience); !slices.Equal(got, want) && time.Now().Before(end); <-tick.C {
		got = results(t, s, "s", "1") // the replica that answers may be behind
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if s.ResultsForm() != broker.ResultsOwn {
		t.Error("the writer does not know the form")
	}
}

// The stream of an older release lacks the transform. In a cluster its replicas get that
// first, and its subjects when none of them is away.
func TestReplicasOfAnOlderReleaseArePrepared(t *testing.T) {
	c := newCluster(t)
	c.start(0, 1, 2)
	cfg := quiet(t)
	cfg.Replicas, cfg.ResultsForm = 3, broker.ResultsPublic
	nc := c.connect(0)
	brokertest.Store(t, nc, cfg)
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(deadline(t), "PLAN_RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	older := stream.CachedInfo().Config
	older.SubjectTransform = nil
	if _, err := js.UpdateStream(deadline(t), older); err != nil {
		t.Fatal(err)
	}
	s := brokertest.Store(t, nc, cfg) // such a stream will do
	if err := s.ConvertResults(deadline(t), broker.ResultsOwn); err == nil || !strings.Contains(err.Error(), "not prepared") {
		t.Errorf("it is converted at once: %v", err)
	}
	if ready, err := s.PrepareResults(deadline(t)); ready || err != nil {
		t.Errorf("ready is %v, %v, before the replicas can know", ready, err)
	}
	if err := c.servers[2].Shutdown(); err != nil {
		t.Fatal(err)
	}
	prepared := func() bool {
		ready, err := s.PrepareResults(deadline(t))
		return err == nil && ready // during an election none answers
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for prepared() {
		<-tick.C // until the cluster notices that one is away
	}
	c.start(2)
	for end := time.Now().Add(brokertest.Patience); !prepared(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("it does not become ready")
		}
	}
	if err := s.ConvertResults(deadline(t), broker.ResultsOwn); err != nil {
		t.Error(err)
	}
}
