package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A worker that may not subscribe to executions at a station would be present, and serve none.
// Its other subscriptions are not needed to work.
func TestAWorkerThatMayNotSubscribeDoesNotStart(t *testing.T) {
	mails := &server.Permissions{Subscribe: &server.SubjectPermission{Allow: []string{"station.mail mail", "_INBOX.>"}}}
	ns := brokertest.Server(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "mail", Password: "p", Permissions: mails}}
	})
	nc := brokertest.Connect(t, ns, nats.UserInfo("mail", "p"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	nothing := func(context.Context, *worker.Execution) (any, error) { return nil, nil }
	for _, tt := range []struct {
		stations []string
		how      []worker.StationOption
		refused  string // empty: it starts
	}{
		{[]string{"mail"}, nil, ""},
		{[]string{"mail2"}, nil, "station.mail2"},
		{[]string{"mail2"}, nil, "station.mail2"}, // again, over the same connection
		{[]string{"mail"}, nil, ""},
		{[]string{"mail", "mail2"}, nil, "station.mail2"},
		{[]string{"mail"}, []worker.StationOption{worker.Fanout()}, "station.mail"},
		{[]string{"mail2"}, []worker.StationOption{worker.Pull(worker.Filter{})}, ""}, // it subscribes to none
	} {
		w := newWorker(t, nc, worker.Options{})
		for _, station := range tt.stations {
			w.Station(station, tt.how...).Handle("*", nothing)
		}
		err := w.Start()
		if tt.refused == "" && err != nil || tt.refused != "" && (!errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), "subscribe to "+tt.refused+": ")) {
			t.Errorf("%v: %v; want it refused at %q", tt.stations, err, tt.refused)
		}
		if err := w.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
}
