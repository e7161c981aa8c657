package stationtest

import (
	"context"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

const (
	// idle is an interval that does not pass, for timers of the server that would only keep
	// fake time from moving far.
	idle = 100 * 365 * 24 * time.Hour
	// patience bounds a request, in fake time.
	patience = time.Minute
)

// A Server is an installation inside a test: nats-server, scheduler and worker. Its methods fail
// the test on an error. It is for the goroutine of the test alone.
type Server struct {
	t        *testing.T
	ns       *server.Server // nil: nothing has begun
	conn     *nats.Conn
	client   *client.Client
	store    *broker.Store
	handlers []registration
	running  *node     // nil: it is stopped
	latest   time.Time // the last argument of At; zero: none
}

// A registration is a handler of a test.
type registration struct {
	station, command string
	handle           worker.Handler
	options          []worker.HandleOption
}

// Run calls f with a new installation, in a bubble of fake time, and stops it afterwards. It
// calls t.Fatal when the installation does not start.
func Run(t *testing.T, f func(t *testing.T, s *Server)) {
	t.Helper()
	brokertest.QuietBubble(t, func(t *testing.T) {
		s := &Server{t: t}
		defer s.stop()
		f(t, s)
	})
}

// begin starts the server, unless it runs.
func (s *Server) begin() {
	s.t.Helper()
	if s.ns == nil {
		s.ns = brokertest.QuietServer(s.t)
		s.conn = s.connect()
		config := brokertest.Config(s.t)
		config.ResultsAge, config.ResultsPerPlan = idle, math.MaxInt32
		s.store = brokertest.Store(s.t, s.conn, config)
		c, err := client.New(s.conn, client.Options{Timeout: patience})
		if err != nil {
			s.t.Fatal(err)
		}
		s.client = c
	}
	if s.running == nil {
		s.start()
	}
}

func (s *Server) connect(options ...nats.Option) *nats.Conn {
	return brokertest.Connect(s.t, s.ns, append(options, nats.PingInterval(idle))...)
}

// A node is a scheduler that runs, with its services and the test's worker.
type node struct {
	stop      context.CancelFunc
	ended     chan error
	scheduler *scheduler.Scheduler
	front     *front.Front
	worker    *worker.Worker // nil: there are no handlers
	conns     []*nats.Conn
}

// start starts a scheduler, and waits until it leads.
func (s *Server) start() {
	s.t.Helper()
	log := s.log()
	n := &node{ended: make(chan error, 1)}
	dispatch, requests := s.connect(nats.ReconnectBufSize(-1)), s.connect()
	n.conns = []*nats.Conn{dispatch, requests}
	n.scheduler = scheduler.New(scheduler.Config{
		Node: "stationtest", Store: s.store, Dispatch: dispatch,
		HasSubscriber: s.ns.GlobalAccount().SubscriptionInterest,
		Defaults:      schema.Defaults{ExecTimeout: 60 * time.Second, StartTimeout: 30 * time.Second},
		Lease:         time.Hour, // there is no other node, and each renewal costs a write
		Log:           log,
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	n.stop = cancel
	go func() { n.ended <- n.scheduler.Run(ctx) }()
	for changed := n.scheduler.Changed(); !n.scheduler.Ready(); changed = n.scheduler.Changed() {
		select {
		case <-changed:
		case <-time.After(100 * time.Millisecond):
		}
	}
	var err error
	if n.front, err = front.Serve(requests, front.Config{Node: "stationtest", Store: s.store, Leader: n.scheduler, Log: log}); err != nil {
		s.t.Fatal(err)
	}
	s.running = n
	s.work()
}

// log is where warnings of the installation go: to the output of the test.
func (s *Server) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(s.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}
