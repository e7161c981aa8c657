package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// brief is long enough for some hundred appends and two checkpoints.
const brief = 1200 * time.Millisecond

// leavesNothing fails the test when its measurement left files or goroutines behind.
// Call it first.
func leavesNothing(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		// The server's cached clock is one for the process and starts with its package.
		goleak.VerifyNone(t, before, goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.init.0.func1"))
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return dir
}

func TestBareAgreesWithItsStreams(t *testing.T) {
	for _, b := range []Bare{{Sync: true}, {}, {Sync: true, SyncResults: true}} {
		b.Outstanding, b.Plans, b.Duration = 100, 250, brief
		steadily(t, func() error {
			f, err := b.Run(t.Context(), leavesNothing(t))
			if err != nil {
				return err
			}
			t.Logf("%+v: %+v", b, f)
			if f.Executions < 100 || f.Appends == 0 || f.CPUPerExecution <= 0 {
				return fmt.Errorf("figures are empty: %+v", f)
			}
			if f.P50 <= 0 || f.P99 < f.P50 || f.P99 > brief {
				return fmt.Errorf("cycle p50 %v, p99 %v", f.P50, f.P99)
			}
			// Two rows an execution, and those of the warm-up.
			if rows := f.RowsPerAppend * float64(f.Appends); rows < float64(2*f.Executions)-0.5 {
				return fmt.Errorf("%v rows for %d executions", rows, f.Executions)
			}
			return nil
		})
	}
}

// A loop has no rate when its results are stored slower than executions end.
func TestBareRefusesAGrowingBacklog(t *testing.T) {
	_, l := testLoop(t, Bare{Outstanding: 10, Duration: 100 * time.Millisecond})
	grown := window{
		begin: standing{from: time.Now()},
		end:   standing{to: time.Now().Add(time.Second), ended: 50_000, received: 50_000, stored: 10_000},
	}
	var refused *notSteady
	if err := l.measure(sighting{window: grown}); !errors.As(err, &refused) {
		t.Errorf("error %v", err)
	}
}

func TestBareLeast(t *testing.T) {
	measured(t, func(dir string) (Figures, error) {
		return BareLeast{Outstanding: 100, Duration: brief}.Run(t.Context(), dir)
	}, func(f Figures) bool { return f.Executions > 100 && f.PerSecond > 0 && f.CPUPerExecution > 0 })
	if f, err := (BareLeast{PayloadBytes: 15}).Run(t.Context(), t.TempDir()); err == nil {
		t.Errorf("without room for its numbers: %+v", f)
	}
}

func TestBareLeastEndsWithItsContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	dir := leavesNothing(t)
	defer onceAppended(ctx, dir, func() { cancel(enough) })()
	defer cancel(nil)
	if _, err := (BareLeast{Duration: time.Minute}).Run(ctx, dir); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}

func TestBareWithAsManyPlansAsExecutions(t *testing.T) {
	_, err := Bare{Outstanding: 3, Plans: 3, Duration: 50 * time.Millisecond, PayloadBytes: 1}.Run(t.Context(), leavesNothing(t))
	if err != nil {
		t.Fatal(err)
	}
}

func TestBareVerifyNoticesADifference(t *testing.T) {
	for name, spoil := range map[string]func(*loop) error{
		"an append of somebody else": func(l *loop) error {
			_, err := l.nc.Request(journalSubject, nil, time.Minute)
			return err
		},
		"a result too many": func(l *loop) error {
			_, err := l.nc.Request(resultPrefix+"x", nil, time.Minute)
			return err
		},
		"a row of somebody else": func(l *loop) error {
			_, err := l.nc.Request(bucketPrefix+"x", nil, time.Minute)
			return err
		},
		"a row not counted": func(l *loop) error { l.journal.rows--; return nil },
		"a reply too many": func(l *loop) error {
			return errors.Join(l.nc.Publish("plan.reply.0.other", nil), l.nc.Flush())
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, l := steadyLoop(t)
			if err := l.verify(t.Context()); err != nil {
				t.Fatalf("before: %v", err)
			}
			if err := spoil(l); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if err := l.verify(ctx); err == nil {
				t.Error("nothing noticed")
			}
			if len(e.failed) > 0 {
				t.Errorf("engine: %v", <-e.failed)
			}
		})
	}
}

// steadyLoop returns a loop that ran for a while, at a steady rate.
func steadyLoop(t *testing.T) (*engine, *loop) {
	t.Helper()
	for try := 1; ; try++ {
		e, l := testLoop(t, Bare{Outstanding: 10, Duration: 300 * time.Millisecond})
		err := l.run(t.Context())
		if err == nil {
			return e, l
		}
		var refused *notSteady // of a short window a pause of the disk is a large part
		if !errors.As(err, &refused) || try == 10 {
			t.Fatal(err)
		}
	}
}

func testLoop(t *testing.T, b Bare) (*engine, *loop) {
	t.Helper()
	e, err := startEngine(leavesNothing(t), b.Sync)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	})
	l, err := newLoop(t.Context(), e, b.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	return e, l
}

func TestBareEndsWithItsContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, l := testLoop(t, Bare{Outstanding: 10, Duration: time.Minute})
	defer time.AfterFunc(100*time.Millisecond, func() { cancel(enough) }).Stop()
	if err := l.run(ctx); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}

func TestBareFailsWithItsWorker(t *testing.T) {
	e, l := testLoop(t, Bare{Outstanding: 10, Duration: time.Minute})
	e.fail(errors.New("worker: reply: broken"))
	if err := l.run(t.Context()); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error %v", err)
	}
}

func TestBareRefuses(t *testing.T) {
	for _, b := range []Bare{
		{Outstanding: 11, Plans: 10},
		{Outstanding: -1},
		{PayloadBytes: -1},
		{WarmUp: -1},
		{Duration: -1},
	} {
		if f, err := b.Run(t.Context(), t.TempDir()); err == nil {
			t.Errorf("%+v: %+v", b, f)
		}
	}
}

func TestBareBurst(t *testing.T) {
	measured(t, func(dir string) (BurstFigures, error) {
		return BareBurst{Messages: 5000}.Run(t.Context(), dir)
	}, func(f BurstFigures) bool { return rising(f.P50, f.P99, f.Last) })
}

func TestBareSteady(t *testing.T) {
	measured(t, func(dir string) (BurstFigures, error) {
		return BareSteady{PerSecond: 500, Duration: 400 * time.Millisecond, Sync: true}.Run(t.Context(), dir)
	}, func(f BurstFigures) bool { return rising(f.P50, f.P99, f.Last) })
	if f, err := (BareSteady{PayloadBytes: 7}).Run(t.Context(), t.TempDir()); err == nil {
		t.Errorf("without room for a number: %+v", f)
	}
}

func TestBareSteadyEndsWithItsContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	dir := leavesNothing(t)
	defer onceAppended(ctx, dir, func() { cancel(enough) })()
	defer cancel(nil)
	if _, err := (BareSteady{Duration: time.Minute}).Run(ctx, dir); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}

// onceAppended calls do when a stream of the server in dir has a message, unless ctx ends
// before. The returned function waits until do has returned, or ctx has ended.
func onceAppended(ctx context.Context, dir string, do func()) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		poll := time.NewTicker(10 * time.Millisecond)
		defer poll.Stop()
		for !appended(dir) {
			select {
			case <-poll.C:
			case <-ctx.Done():
				return
			}
		}
		do()
	}()
	return func() { <-done }
}

// appended reports that a stream of the server in dir has a message on disk.
func appended(dir string) (yes bool) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".blk" {
			info, err := d.Info()
			yes = yes || err == nil && info.Size() > 0
		}
		return nil // a file that was removed meanwhile does not count
	})
	return yes
}

func TestBareRequests(t *testing.T) {
	measured(t, func(dir string) (RequestFigures, error) {
		return BareRequests{Requesters: 8, Duration: 200 * time.Millisecond, Sync: true}.Run(t.Context(), dir)
	}, func(f RequestFigures) bool {
		return f.P50 > 0 && f.P50 <= f.P99 && f.CPUPerRequest > 0 && f.RowsPerAppend >= 1 && f.RowsPerAppend <= 8
	})
}

func TestBareRequestsEndWithTheirContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	dir := leavesNothing(t)
	defer onceAppended(ctx, dir, func() { cancel(enough) })()
	defer cancel(nil)
	if _, err := (BareRequests{Duration: time.Minute}).Run(ctx, dir); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}
