package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A target is an HTTP server of this process, which is owned by one measurement.
type target struct {
	url    string
	server *http.Server
	served chan error
}

func startTarget(ctx context.Context, h http.HandlerFunc) (*target, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start target: %w", err)
	}
	t := &target{
		url:    "http://" + listener.Addr().String() + "/",
		server: &http.Server{Handler: h, ReadHeaderTimeout: stopWithin},
		served: make(chan error, 1),
	}
	go func() { t.served <- t.server.Serve(listener) }()
	return t, nil
}

func (t *target) close() error {
	err := t.server.Close()
	if ended := <-t.served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("serve target: %w", ended))
	}
	return err
}

// overHTTP turns plans that are due into plans of station http that call url.
func (d due) overHTTP(url string) due {
	message, err := wire.ValueOf(wire.JSON, schema.HTTPCall{TargetURL: url})
	if err != nil {
		panic(fmt.Sprintf("bench: encode a call: %v", err)) // because it is a text
	}
	for i := range d.plans {
		p := &d.plans[i]
		p.Station, p.Command, p.Messages = schema.HTTPStation, schema.HTTPCommand, []wire.Value{message}
	}
	return d
}

// runHTTP is [due.run] for plans of station http: it measures the lateness at the target
// of calls by the site's own HTTP worker.
func (d due) runHTTP(ctx context.Context, dir string, log *slog.Logger) (_ dueFigures, err error) {
	l := newLateness(len(d.plans), d.count, d.from)
	t, err := startTarget(ctx, func(_ http.ResponseWriter, r *http.Request) {
		x, err := called(r)
		if err != nil {
			l.fail(err)
			return
		}
		_, _ = l.handle(r.Context(), x) // it notes its errors itself
	})
	if err != nil {
		return dueFigures{}, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	s, err := startSite(ctx, dir, log, func(c *node.Config) {
		c.HTTPWorker = node.HTTPWorker{Concurrency: node.Default().HTTPWorker.Concurrency, AllowPrivate: true}
	})
	if err != nil {
		return dueFigures{}, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	return d.overHTTP(t.url).await(ctx, s, l)
}

// called returns the execution behind a call, as far as its headers show it.
func called(r *http.Request) (*worker.Execution, error) {
	id, number, _ := strings.Cut(r.Header.Get("X-Run-Id"), ".")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("a call of run %q: %w", r.Header.Get("X-Run-Id"), err)
	}
	due, err := time.Parse(time.RFC3339, r.Header.Get("X-Plan-Time"))
	if err != nil {
		return nil, fmt.Errorf("a call of run %q: %w", r.Header.Get("X-Run-Id"), err)
	}
	x := &worker.Execution{N: n}
	x.PlanID, x.PlanTime = id, due
	return x, nil
}

// bareCalls is the yardstick of calls: net/http's own client, with as many
// connections as the HTTP worker opens to one host.
type bareCalls struct{ Calls, Connections int }

// run returns the time that all of the calls took.
func (b bareCalls) run(ctx context.Context) (took time.Duration, err error) {
	t, err := startTarget(ctx, func(http.ResponseWriter, *http.Request) {})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	transport := &http.Transport{MaxConnsPerHost: b.Connections, MaxIdleConnsPerHost: b.Connections}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	callers, ctx := errgroup.WithContext(ctx)
	callers.SetLimit(b.Connections)
	began := time.Now()
	for range b.Calls {
		callers.Go(func() error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
			if err != nil {
				return fmt.Errorf("call target: %w", err)
			}
			resp, err := client.Do(req)
			if err != nil {
				return fmt.Errorf("call target: %w", err)
			}
			_, err = io.Copy(io.Discard, resp.Body)
			return errors.Join(err, resp.Body.Close())
		})
	}
	err = callers.Wait()
	return time.Since(began), err
}

// http measures the lateness of calls, when many plans are due at once and when a
// thousand are due each second.
func (s *suite) http(ctx context.Context) error {
	const calls, connections = 5000, 64
	var last, half, cpu, bare, bareCPU samples
	err := s.alternate(ctx, func() error {
		f, err := burst(calls, time.Now()).runHTTP(ctx, s.Dir, s.Log)
		last.add(millis(f.Last))
		half.add(millis(f.P50))
		cpu.add(micros(f.CPUPerExecution))
		return err
	}, func() error {
		before := processCPU()
		took, err := bareCalls{calls, connections}.run(ctx)
		bare.add(millis(took))
		bareCPU.add(micros((processCPU() - before) / calls))
		return err
	})
	if err != nil {
		return err
	}
	s.row("5,000 HTTP calls due at once, ms: the last arrives", last, bare, "at most 3,000")
	s.row("  p50", half, nil, "")
	s.row("  CPU of each, µs", cpu, bareCPU, "")

	var late, longest samples
	for range s.Rounds {
		if err := s.settle(ctx); err != nil {
			return err
		}
		f, err := accuracy(1000, s.lasting(15*time.Second), time.Now()).runHTTP(ctx, s.Dir, s.Log)
		if err != nil {
			return err
		}
		late.add(millis(f.P99))
		longest.add(millis(f.Last))
	}
	s.row("lateness at 1,000 HTTP calls/s, ms: p99", late, nil, "at most 50")
	s.row("  longest", longest, nil, "")
	s.note("Of HTTP calls, bare is net/http's own client with %d connections; the target is in this process, too.", connections)
	return nil
}
