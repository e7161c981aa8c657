package client

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

func TestFeedReportsMissedEvents(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	nc.SetErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}) // the feed reports it
	c, err := New(nc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	feed, err := c.Results().Follow("")
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Stop()
	if err := feed.sub.SetPendingLimits(3, -1); err != nil {
		t.Fatal(err)
	}
	publish := func(n int) {
		for range n {
			if err := nc.Publish("plan.result.hello.P1", []byte(`{"station":"hello"}`)); err != nil {
				t.Fatal(err)
			}
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	publish(5)
	seen, missed := 0, 0
	for _, err := range feed.All(t.Context()) {
		switch {
		case errors.Is(err, ErrMissed):
			missed++
		case err != nil:
			t.Fatal(err)
		default:
			seen++
		}
		if seen == 3 && missed == 1 {
			publish(1) // it goes on behind the gap
		}
		if seen == 4 {
			break
		}
	}
	if missed != 1 {
		t.Errorf("missed %d times", missed)
	}
}
