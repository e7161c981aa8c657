package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/listener"
	"github.com/stationmaster-io/stationmaster/scheduler"
)

// probes is the HTTP side of a node, which answers whether it is alive and ready, and has its
// metrics.
type probes struct {
	server   *http.Server
	listener net.Listener
	served   chan struct{} // closed when serving has ended
}

// An httpSide is the address of the HTTP side, and its handlers.
type httpSide struct {
	address  string
	most     int // connections
	ready    func() error
	standing func() string // the lines of /readyz behind the first
	metrics  http.Handler
	rest     http.Handler // every path without a probe
	failed   func(error)  // called when serving ends by itself
	log      *slog.Logger
}

// listenHTTP takes the address and answers there until close. It is the first step of a
// start, so that a node whose address is in use ends before it has touched anything else.
//
// The probes ask for no token, because monitoring systems have none. So they name no plan
// and no station: readyz names nodes, and streams that are damaged or capture executions,
// and no label of a metric has a value that users choose.
func listenHTTP(ctx context.Context, side httpSide) (*probes, error) {
	var config net.ListenConfig
	socket, err := config.Listen(ctx, "tcp", side.address)
	if err != nil {
		return nil, fmt.Errorf("serve http: %w (--http-listen takes another address)", err)
	}
	bounded := listener.New(socket, listener.Options{Name: "HTTP", Most: side.most, Logger: side.log})
	p := &probes{listener: bounded, server: side.server(), served: make(chan struct{})}
	go func() {
		defer close(p.served)
		if err := p.server.Serve(bounded); !errors.Is(err, http.ErrServerClosed) {
			side.failed(fmt.Errorf("serve http: %w", err))
		}
	}()
	return p, nil
}

const (
	// sentWithin bounds the time in which a request is read, and takenWithin the time in
	// which its answer is written, so that a client of the probes cannot hold a connection
	// for ever. The gateway sets both anew for its own requests.
	sentWithin  = 5 * time.Second
	takenWithin = time.Minute
)

// server is the HTTP server with all of side's handlers.
func (side httpSide) server() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		code, line := http.StatusOK, "ready"
		if err := side.ready(); err != nil {
			code, line = http.StatusServiceUnavailable, "not ready: "+err.Error()
		}
		writeText(w, code, line+side.standing())
	})
	mux.Handle("GET /metrics", side.metrics)
	mux.Handle("/", side.rest) // also a probe's path with another method
	return &http.Server{
		Handler:        closeAfterChunks(pathsAsTheyAre(mux, side.rest)),
		ReadTimeout:    sentWithin,
		WriteTimeout:   takenWithin,
		IdleTimeout:    time.Minute,
		MaxHeaderBytes: 64 << 10,
		ConnState:      noted,
		ErrorLog:       slog.NewLogLogger(side.log.Handler(), slog.LevelWarn),
	}
}

// pathsAsTheyAre passes all other paths to rest without the mux, because the mux would
// redirect a path with two slashes in a row before rest could refuse it with a reason.
func pathsAsTheyAre(probes, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/readyz", "/metrics":
			probes.ServeHTTP(w, r)
		default:
			rest.ServeHTTP(w, r)
		}
	})
}

// noted sets a connection's state at the listener, busy or idle.
func noted(conn net.Conn, state http.ConnState) {
	bounded, ok := conn.(*listener.Conn)
	if !ok {
		return
	}
	switch state {
	case http.StateActive:
		bounded.Is(listener.Busy)
	case http.StateIdle:
		bounded.Is(listener.Idle)
	}
}

// closeAfterChunks closes a connection behind a chunked request. The request may have had a
// length as well, which net/http drops silently, and a proxy that went by the length takes
// the bytes behind it for another request (RFC 9112, 6.1).
func closeAfterChunks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// leadersText returns a line for each partition.
func leadersText(leaders []scheduler.Leadership) string {
	var lines strings.Builder
	for _, l := range leaders {
		if l.Node == "" {
			fmt.Fprintf(&lines, "\npartition %d: no leader is known", l.Partition)
		} else {
			fmt.Fprintf(&lines, "\npartition %d: %s leads, epoch %d", l.Partition, l.Node, l.Epoch)
		}
	}
	return lines.String()
}

func writeText(w http.ResponseWriter, code int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, line+"\n") // the client may be gone
}

func (p *probes) address() string { return p.listener.Addr().String() }

// close lets answers under way finish while ctx lasts.
func (p *probes) close(ctx context.Context) error {
	err := p.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("stop http: %w", err), p.server.Close())
	}
	<-p.served
	return err
}
