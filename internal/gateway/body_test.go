package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// A pipeListener accepts one in-memory connection, which works under fake time.
type pipeListener struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// A fromHere is a connection from this machine.
type fromHere struct{ net.Conn }

func (fromHere) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// A body that stalls is cut off soon; one that goes on slowly is, too, in the end.
func TestASlowBodyIsCutOff(t *testing.T) {
	for name, tt := range map[string]struct {
		pause time.Duration // between two bytes; 0: there is only one
		after time.Duration
	}{
		"at a halt":    {0, 5 * time.Second},
		"byte by byte": {4 * time.Second, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				asking, err := client.New(brokertest.Connect(t, ns), client.Options{})
				if err != nil {
					t.Fatal(err)
				}
				served := gateway.New(gateway.Config{Client: asking, Log: slog.New(slog.DiscardHandler)})
				listener := &pipeListener{make(chan net.Conn, 1), make(chan struct{})}
				web := &http.Server{Handler: served}
				ended := make(chan error, 1)
				go func() { ended <- web.Serve(listener) }()
				ours, theirs := net.Pipe()
				listener.conn <- fromHere{theirs}
				began := time.Now()
				if _, err := fmt.Fprint(ours, "POST /api/v1/plans HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{"); err != nil {
					t.Fatal(err)
				}
				trickled := make(chan struct{})
				go func() {
					defer close(trickled)
					for tt.pause > 0 {
						time.Sleep(tt.pause)
						if _, err := ours.Write([]byte(" ")); err != nil {
							return
						}
					}
				}()
				line, err := bufio.NewReader(ours).ReadString('\n')
				if err != nil || !strings.HasPrefix(line, "HTTP/1.1 400 ") {
					t.Errorf("%q, %v", line, err)
				}
				if took := time.Since(began); took != tt.after {
					t.Errorf("cut off after %v, want %v", took, tt.after)
				}
				_ = ours.Close()
				<-trickled
				if err := web.Close(); err != nil {
					t.Error(err)
				}
				if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
					t.Error(err)
				}
				if err := served.Close(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
