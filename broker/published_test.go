package broker_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An append carries the last append whose effects its writer has published, on every way of
// reading it, and its bytes are those that older releases write and read, because it is a
// header, which they ignore.
func TestAppendCarriesTheLastPublishedAppend(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	write(t, p, "of an older release")
	published := p.Seq() - 1
	p.Published = func() uint64 { return published }
	for published = range uint64(3) {
		write(t, p, "x")
	}
	body := broker.AppendEnvelope(broker.Append{Epoch: p.Epoch(), Holder: "a", Number: 9, Body: []byte("x"), Published: 7})
	if !slices.Equal(body, broker.AppendEnvelope(broker.Append{Epoch: p.Epoch(), Holder: "a", Number: 9, Body: []byte("x")})) {
		t.Error("the envelope is another")
	}
	stray := &nats.Msg{Subject: storage.Journal(schema.Space{}, 0), Data: body, Header: nats.Header{"Plan-Said": {"no number"}}}
	if _, err := nc.RequestMsg(stray, brokertest.Patience); err != nil {
		t.Fatal(err)
	}
	want := []uint64{0, 0, 0, 1, 2, 0}
	var fetched, followed []uint64
	j := s.Journal(0)
	if err := j.Replay(deadline(t), 0, uint64(len(want)), func(a broker.Append) error {
		fetched = append(fetched, a.Published)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	err := j.Follow(deadline(t), 0, broker.Pace{}, func(a broker.Append) error {
		if followed = append(followed, a.Published); len(followed) == len(want) {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	for _, got := range [][]uint64{fetched, followed} {
		if !slices.Equal(got, want) {
			t.Errorf("Published is %v, want %v", got, want)
		}
	}
}

var errEnough = errors.New("enough")
