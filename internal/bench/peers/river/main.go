// Command river measures River on PostgreSQL by the rule of the benchmark beside it: a job
// counts when its completion was received, by a subscription, and is stored, by the count of
// completed rows, within the measured time; and there is no rate while the number of jobs that
// have ended and do not count grows. It is a module of its own, so that the product depends on neither.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"golang.org/x/sync/errgroup"
)

const (
	insertedAtOnce = 1000
	// ahead bounds the jobs that wait, because without it the table grows while it is
	// measured.
	ahead = 20_000
	// inFlight is the share of a second whose completions may gather for one batch.
	inFlight = 0.25
)

type nothing struct{}

func (nothing) Kind() string { return "nothing" }

type doesNothing struct {
	river.WorkerDefaults[nothing]
	ended *atomic.Int64
}

func (w *doesNothing) Work(context.Context, *river.Job[nothing]) error {
	w.ended.Add(1)
	return nil
}

// A run is one measurement.
type run struct {
	workers, inserters int
	warmUp, duration   time.Duration

	pool                      *pgxpool.Pool
	client                    *river.Client[pgx.Tx]
	inserted, ended, received atomic.Int64
}

func main() {
	var r run
	database := flag.String("database", "postgres://postgres@127.0.0.1:25432/postgres", "where PostgreSQL is")
	flag.IntVar(&r.workers, "workers", 2000, "how many jobs are worked at once")
	flag.IntVar(&r.inserters, "inserters", 2, "how many insert jobs, a thousand at once")
	flag.DurationVar(&r.warmUp, "warm-up", 5*time.Second, "how long jobs run before they are counted")
	flag.DurationVar(&r.duration, "duration", time.Minute, "how long they are counted")
	flag.Parse()
	if err := r.measure(context.Background(), *database); err != nil {
		fmt.Fprintln(os.Stderr, "river:", err)
		os.Exit(1)
	}
}

func (r *run) measure(ctx context.Context, database string) (err error) {
	if err := r.open(ctx, database); err != nil {
		return err
	}
	defer r.pool.Close()
	events, cancel := r.client.SubscribeConfig(&river.SubscribeConfig{ChanSize: 1 << 20, Kinds: []river.EventKind{river.EventKindJobCompleted}})
	defer cancel()
	if err := r.client.Start(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	inserting, stop := context.WithCancel(ctx)
	defer stop()
	parts, inserting := errgroup.WithContext(inserting)
	parts.Go(func() error {
		for {
			select {
			case <-events:
				r.received.Add(1)
			case <-inserting.Done():
				return nil
			}
		}
	})
	for range r.inserters {
		parts.Go(func() error { return r.insert(inserting) })
	}
	failed := r.window(inserting)
	stop()
	return errors.Join(failed, parts.Wait(), r.client.Stop(ctx))
}

func (r *run) open(ctx context.Context, database string) (err error) {
	if r.pool, err = pgxpool.New(ctx, database); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	driver := riverpgxv5.New(r.pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return fmt.Errorf("make tables: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("make tables: %w", err)
	}
	if _, err := r.pool.Exec(ctx, "TRUNCATE river_job"); err != nil {
		return fmt.Errorf("empty the table: %w", err)
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &doesNothing{ended: &r.ended})
	r.client, err = river.NewClient(driver, &river.Config{
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: r.workers}},
		Workers:           workers,
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: 20 * time.Millisecond,
		Logger:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	return err
}

// insert keeps jobs waiting until ctx ends.
func (r *run) insert(ctx context.Context) error {
	jobs := make([]river.InsertManyParams, insertedAtOnce)
	for i := range jobs {
		jobs[i].Args = nothing{}
	}
	for ctx.Err() == nil {
		if r.inserted.Load()-r.ended.Load() > ahead {
			pause(ctx, 5*time.Millisecond) // workers do not report that they need more
			continue
		}
		r.inserted.Add(insertedAtOnce)
		if _, err := r.client.InsertManyFast(ctx, jobs); err != nil && ctx.Err() == nil {
			return fmt.Errorf("insert: %w", err)
		}
	}
	return nil
}

// A standing is how far it was at one moment, asked between from and to.
type standing struct {
	from, to                time.Time
	ended, received, stored int64
}

func (s standing) done() int64   { return min(s.received, s.stored) }
func (s standing) behind() int64 { return s.ended - s.done() }

func (r *run) look(ctx context.Context) (s standing, err error) {
	s.from, s.ended, s.received = time.Now(), r.ended.Load(), r.received.Load()
	err = r.pool.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE state = 'completed'").Scan(&s.stored)
	s.to = time.Now()
	return s, err
}

// window measures, and prints the rate when it is one.
func (r *run) window(ctx context.Context) error {
	pause(ctx, r.warmUp)
	begin, err := r.look(ctx)
	if err != nil {
		return fmt.Errorf("look at the begin: %w", err)
	}
	pause(ctx, r.duration)
	end, err := r.look(ctx)
	if err != nil {
		return fmt.Errorf("look at the end: %w", err)
	}
	rate := float64(end.done()-begin.done()) / end.to.Sub(begin.from).Seconds()
	fmt.Printf("%d workers: %.0f jobs/s received and stored; behind at the begin %d, at the end %d\n", r.workers, rate, begin.behind(), end.behind())
	if grown := end.behind() - begin.behind(); rate <= 0 || grown > int64(r.workers)+int64(inFlight*rate) {
		return errors.New("not steady: this is no rate")
	}
	return nil
}

// pause waits for d, or for the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
