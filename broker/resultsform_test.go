package broker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// A stream of results is converted in place, both ways, while it is written to by a store
// that does not know: what is stored stays, nothing is stored twice, and the fence goes on.
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

// What strangers publish where results are told is not kept, and no message of the batches
// is heard there.
func TestResultsOfStrangersAreNotKept(t *testing.T) {
	_, nc, s := newStore(t)
	heard, err := nc.SubscribeSync("plan.result.>")
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
	if m, err := heard.NextMsgWithContext(deadline(t)); err != nil || string(m.Data) != "stranger" {
		t.Errorf("heard %v, %v", m, err)
	}
	if n, _, err := heard.Pending(); n != 0 || err != nil {
		t.Errorf("%d more are heard, %v", n, err)
	}
}

// Who stores results in the own form is asked before each attempt.
func TestBeforeResultsAreStored(t *testing.T) {
	_, nc, s := newStore(t)
	chain := s.ResultsChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	refusals := 2
	chain.Before = func(context.Context) error {
		wantResults(t, s)
		if refusals--; refusals >= 0 {
			return errors.New("not told yet")
		}
		return nil
	}
	store(t, chain, upTo(2), "1")
	if refusals != -1 {
		t.Errorf("%d refusals are left", refusals)
	}
	wantResults(t, s, "1")
	chain.Before = func(context.Context) error {
		t.Error("asked although it is told by being stored")
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
