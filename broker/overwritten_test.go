package broker_test

import (
	"slices"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// A fence that somebody has written over ends nothing: the one before it counts.
func TestAFenceThatWasOverwrittenIsMended(t *testing.T) {
	_, nc, _ := newStore(t)
	s := brokertest.Store(t, nc, quiet(t))
	p := seize(t, s, "a")
	fence(t, s.TableChain(0), p, "a")
	if err := s.TableChain(0).Write(deadline(t), nil, broker.Mark{Seq: 2}); err != nil {
		t.Fatal(err)
	}
	publish(t, nc, "$KV.plans.checkpoint", []byte(confirmation))
	wantIs(t, s.TableChain(0).Write(deadline(t), nil, broker.Mark{Seq: 2}), broker.ErrFenced)
	b := seize(t, s, "b")
	if found := fence(t, s.TableChain(0), b, "b"); found.Holder != "a" || found.UpTo.Seq != 2 {
		t.Errorf("the fence that was found is %+v", found)
	}
	if err := s.TableChain(0).Write(deadline(t), nil, broker.Mark{Seq: 3}); err != nil {
		t.Error(err)
	}
}

// What others write is told from what the chain writes, before its next batch and behind it.
func TestStrangersAreToldFromTheChain(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	c := s.TableChain(0)
	fence(t, c, p, "a")
	write := func(key string) {
		t.Helper()
		if err := c.Write(deadline(t), []*nats.Msg{s.Table(0).Set(key, []byte("v"))}, broker.Mark{Seq: 2}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	look := func(want ...string) {
		t.Helper()
		var err error
		if got, err = c.Strangers(deadline(t), 2); err != nil || !slices.Equal(got, want) {
			t.Errorf("strangers are %q, %v, want %q", got, err, want)
		}
	}
	write("mine")
	look()
	publish(t, nc, "$KV.plans.state.s.one", []byte(confirmation))
	write("mine")
	look("$KV.plans.state.s.one")
	for range 3 {
		publish(t, nc, "$KV.plans.state.s.two", []byte(confirmation))
	}
	look("$KV.plans.state.s.two", "$KV.plans.state.s.two") // a row has a history of two
	look()
	write("mine")
	look()
}
