package client_test

import (
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A services is a scripted server. It answers the requests on some subjects with a test's
// responses, and records the requests.
type services struct {
	t  *testing.T
	nc *nats.Conn

	mu    sync.Mutex
	asked []ask
}

// An ask is one request.
type ask struct {
	subject string
	enc     wire.Encoding
	body    any
}

func newServices(t *testing.T, ns *server.Server) *services {
	return &services{t: t, nc: brokertest.Connect(t, ns)}
}

// answer is a script's response to the try-th request (from 0) on its subject: a value, an
// *schema.Error, or nil for no answer at all.
type answer func(try int, request wire.Value) any

func (s *services) on(subject string, reply answer) {
	s.t.Helper()
	try := 0
	sub, err := s.nc.Subscribe(subject, func(msg *nats.Msg) {
		request, err := wire.Scan(msg.Data, wire.Limits{})
		if err != nil {
			s.t.Errorf("request %q: %v", msg.Data, err)
		}
		if got := msg.Header.Get(schema.HeaderContentType); got != request.Encoding().ContentType() {
			s.t.Errorf("Content-Type %q of %q", got, msg.Data)
		}
		s.mu.Lock()
		s.asked = append(s.asked, ask{msg.Subject, request.Encoding(), request.Any()})
		s.mu.Unlock()
		s.respond(msg, request.Encoding(), reply(try, request))
		try++
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = sub.Unsubscribe() })
	if err := s.nc.Flush(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *services) respond(msg *nats.Msg, enc wire.Encoding, response any) {
	if response == nil {
		return
	}
	out := nats.NewMsg(msg.Reply)
	if e, failed := response.(*schema.Error); failed {
		out.Header.Set(schema.HeaderServiceErrorCode, "400")
		out.Header.Set(schema.HeaderServiceError, e.Message)
		response = map[string]any{"error": e}
	}
	body, err := wire.Marshal(enc, response)
	if err != nil {
		s.t.Error(err)
	}
	out.Data = body
	if err := msg.RespondMsg(out); err != nil {
		s.t.Error(err)
	}
}

// requests are the bodies of all requests so far, in order.
func (s *services) requests() (bodies []map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		bodies = append(bodies, a.body.(map[string]any))
	}
	return bodies
}

// newClient makes a client that waits for long, unless opts have a timeout, because a
// request that takes a moment here takes as long as the machine stands still.
func newClient(t *testing.T, ns *server.Server, opts client.Options) *client.Client {
	t.Helper()
	if opts.Timeout == 0 {
		opts.Timeout = brokertest.Patience
	}
	c, err := client.New(brokertest.Connect(t, ns), opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
