package httpworker

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/internal/token"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds a wait that should take milliseconds.
const patience = 30 * time.Second

var testKey = token.New([]byte("test"))

// caller makes a worker that is connected to nothing, and whose handler is called directly.
func caller(t *testing.T, o Options) *Worker {
	t.Helper()
	o.Tokens = testKey
	w, err := assemble(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.transport.CloseIdleConnections)
	return w
}

// local may call the test's own servers.
func local(t *testing.T) *Worker { return caller(t, Options{AllowPrivate: true}) }

var planTime = time.Date(2026, 3, 1, 10, 0, 0, 500_000_000, time.UTC)

// execution is the third of plan nightly, and carries call.
func execution(t *testing.T, call schema.HTTPCall) *worker.Execution {
	t.Helper()
	message, err := wire.ValueOf(wire.JSON, call)
	if err != nil {
		t.Fatal(err)
	}
	return &worker.Execution{N: 3, Execution: schema.Execution{
		PlanID: "nightly", Station: schema.HTTPStation, Command: schema.HTTPCommand,
		Messages: []wire.Value{message}, Occurrence: 2, Attempt: 1,
		Key: "http/nightly/7/2", PlanTime: planTime,
	}}
}

// outcome handles a call and returns its outcome, as it travels.
func outcome(ctx context.Context, t *testing.T, w *Worker, call schema.HTTPCall) schema.HTTPOutcome {
	t.Helper()
	return outcomeOf(ctx, t, w, execution(t, call))
}

func outcomeOf(ctx context.Context, t *testing.T, w *Worker, x *worker.Execution) schema.HTTPOutcome {
	t.Helper()
	call, err := callOf(x)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o, _ := w.perform(ctx, x, call)
	if ctx.Err() != nil && context.Cause(ctx) == context.DeadlineExceeded {
		t.Errorf("the call did not end: %+v", o)
	}
	v, err := wire.ValueOf(wire.JSON, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Raw()) > schema.MaxReplyBytes {
		t.Errorf("the outcome has %d bytes", len(v.Raw()))
	}
	var back schema.HTTPOutcome
	if err := wire.Decode(v, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

// serve runs a server that ends with the test.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// rawServer answers each connection with f, which writes the bytes of its response itself.
func rawServer(t *testing.T, f func(net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return rawServerOn(t, l, f)
}

func rawServerOn(t *testing.T, l net.Listener, f func(net.Conn)) (url string) {
	t.Helper()
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f(c)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-served })
	return "http://" + l.Addr().String()
}

// pipes connect a server and its callers under fake time, because synctest does not understand
// sockets.
type pipes struct {
	conns  chan net.Conn
	closed context.Context
	close  context.CancelFunc
	made   atomic.Int64 // connections
}

// piped makes every address that w dials reach one server, which accepts from the pipes.
func piped(w *Worker) *pipes {
	p := &pipes{conns: make(chan net.Conn)}
	p.closed, p.close = context.WithCancel(context.Background())
	w.transport.DialContext = p.dial
	return p
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		p.made.Add(1)
		return ours, nil
	case <-p.closed.Done():
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	return nil
}

// Addr is an address in the certificate of httptest's servers.
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }
