package bench

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

var quiet = slog.New(slog.DiscardHandler)

func TestThroughputAgreesWithTheStream(t *testing.T) {
	measured(t, func(dir string) (throughputFigures, error) {
		return throughput{Outstanding: 50, Duration: 500 * time.Millisecond}.run(t.Context(), dir, quiet)
	}, func(f throughputFigures) bool {
		return f.Executions != 0 && f.Stored >= f.Executions && f.CPUPerExecution > 0
	})
}

// The counts agree also after the stream has removed the oldest results of a plan.
func TestThroughputBeyondTheLimitOfResults(t *testing.T) {
	const kept = 2 * 100
	for duration, stored := time.Second, int64(0); stored <= kept; duration *= 2 { // a slow disk takes longer
		steadily(t, func() error {
			f, err := throughput{Outstanding: 2, Duration: duration}.run(t.Context(), leavesNothing(t), quiet)
			stored = f.Stored
			return err
		})
	}
}

func TestVerifyNoticesADifference(t *testing.T) {
	for name, spoil := range map[string]func(context.Context, *site, *tally) error{
		"an execution that the worker did not count": func(_ context.Context, _ *site, did *tally) error {
			did.done.Add(-1)
			return nil
		},
		"executions of another plan": func(_ context.Context, _ *site, did *tally) error {
			did.last[0].Add(1)
			did.last[1].Add(-1)
			return nil
		},
		"a result of somebody else": func(ctx context.Context, s *site, _ *tally) error {
			nc, err := s.connect(ctx, "somebody else")
			if err != nil {
				return err
			}
			// The observer gets it in any case; the stream stores it if it captures broadcasts.
			return errors.Join(nc.Publish(schema.Space{}.Result(oursStation, planID(0)), []byte(`{"n":4}`)), nc.Flush())
		},
		"an execution that came twice": func(_ context.Context, _ *site, did *tally) error {
			x := &worker.Execution{N: did.last[0].Load()}
			x.PlanID = planID(0)
			did.count(x)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			s, did, h := finished(t)
			l := audit(t, s)
			if _, err := verify(ctx, l, did); err != nil {
				t.Fatalf("before: %v", err)
			}
			if err := spoil(ctx, s, did); err != nil {
				t.Fatal(err)
			}
			_, err := verify(ctx, l, did)
			if err := errors.Join(err, h.finish(ctx, did)); err == nil {
				t.Error("nothing noticed")
			}
		})
	}
}

// audit opens the ledger of s.
func audit(t *testing.T, s *site) *ledger {
	t.Helper()
	nc, err := s.connect(t.Context(), "auditor")
	if err != nil {
		t.Fatal(err)
	}
	l, err := openLedger(t.Context(), nc)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// finished returns a site with two plans that have run three times each.
func finished(t *testing.T) (*site, *tally, *resultObserver) {
	t.Helper()
	ctx := t.Context()
	s, err := startSite(ctx, t.TempDir(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	c, _, err := s.client(ctx, "publisher")
	if err != nil {
		t.Fatal(err)
	}
	did := newTally(2)
	h, err := observe(ctx, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.serve(ctx, quiet, did.handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
	})
	closed, err := c.Events().Follow(oursStation, schema.NoticeClosed)
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Stop()
	again, thrice := int64(0), int64(3)
	plan := schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &again, PlanRepet: &thrice}}
	if err := importAll(ctx, c, plansOf(2, plan, nil)); err != nil {
		t.Fatal(err)
	}
	left := 2
	for _, err := range closed.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if left--; left == 0 {
			break
		}
	}
	if _, err := c.Runs().List(ctx, schema.ListRuns{Station: oursStation, PlanID: planID(0)}); err != nil {
		t.Fatal(err)
	}
	return s, did, h
}

// No measurement spans two leaders, because the later one counts its batches anew, so that
// they no longer count the results.
func TestNothingIsMeasuredAcrossTwoLeaders(t *testing.T) {
	ctx, store := t.Context(), t.TempDir()
	open := func() (*site, *ledger) {
		s, err := openSite(ctx, store, quiet)
		if err != nil {
			t.Fatal(err)
		}
		return s, audit(t, s)
	}
	s, before := open()
	if err := s.close(ctx); err != nil {
		t.Fatal(err)
	}
	s, l := open()
	l.epoch = before.epoch
	if _, err := l.stored(ctx); !errors.Is(err, errStoodDown) {
		t.Errorf("nothing noticed: %v", err)
	}
	if err := s.close(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestFollowsNoticesWhatMustNotBe(t *testing.T) {
	good := `{"plan_id":"` + planID(1) + `","n":7,"state":"ok"}`
	if err := follows([]byte(good), []int64{0, 6}); err != nil {
		t.Errorf("the next one: %v", err)
	}
	for name, c := range map[string]struct {
		body string
		seen []int64
	}{
		"a gap":             {good, []int64{0, 5}},
		"a repetition":      {good, []int64{0, 7}},
		"another plan":      {good, []int64{0}},
		"an id not of ours": {`{"plan_id":"x","n":7,"state":"ok"}`, []int64{0, 6}},
		"not ok":            {`{"plan_id":"` + planID(1) + `","n":7,"state":"timeout"}`, []int64{0, 6}},
		"not a result":      {"hello", []int64{0, 6}},
	} {
		if err := follows([]byte(c.body), c.seen); err == nil {
			t.Errorf("%s: nothing noticed", name)
		}
	}
}

func TestAccuracyCountsEveryExecution(t *testing.T) {
	measured(t, func(dir string) (dueFigures, error) {
		return accuracy(50, time.Second, time.Now()).run(t.Context(), dir, quiet)
	}, func(f dueFigures) bool {
		return f.Executions == 50 && rising(f.P50, f.P99, f.Last) && f.Result50 > 0 && f.Result99 >= f.Result50
	})
}

func TestBurstCountsEveryPlan(t *testing.T) {
	measured(t, func(dir string) (dueFigures, error) {
		return burst(300, time.Now()).run(t.Context(), dir, quiet)
	}, func(f dueFigures) bool { return f.Executions == 300 && rising(f.P50, f.P99, f.Last) })
}

func TestHTTPCallsAreCounted(t *testing.T) {
	measured(t, func(dir string) (dueFigures, error) {
		return burst(300, time.Now()).runHTTP(t.Context(), dir, quiet)
	}, func(f dueFigures) bool {
		return f.Executions == 300 && f.P50 > 0 && f.P50 <= f.P99 && f.CPUPerExecution > 0
	})
	took, err := bareCalls{Calls: 300, Connections: 8}.run(t.Context())
	if err != nil || took <= 0 {
		t.Errorf("bare: %v, %v", took, err)
	}
}

func TestDueThatCannotBeMeasured(t *testing.T) {
	_, err := burst(10, time.Now().Add(-time.Minute)).run(t.Context(), leavesNothing(t), quiet)
	if err == nil || !strings.Contains(err.Error(), "after they were due") {
		t.Errorf("created too late: %v", err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	l := newLateness(1, 1, time.Now())
	cancel(enough)
	if _, err := l.await(ctx); !errors.Is(err, enough) {
		t.Errorf("none came: %v", err)
	}
}

func TestLatenessNoticesWhatComesEarly(t *testing.T) {
	now := time.Now()
	l := newLateness(1, 1, now)
	x := &worker.Execution{N: 1}
	x.PlanID, x.PlanTime = planID(0), now.Add(time.Minute)
	if _, err := l.handle(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	if f, err := l.await(t.Context()); err == nil || !strings.Contains(err.Error(), "before it was due") {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestCreatesAreListed(t *testing.T) {
	measured(t, func(dir string) (createFigures, error) {
		return creates{Publishers: 8, Conns: 2, Duration: 300 * time.Millisecond}.run(t.Context(), dir, quiet)
	}, func(f createFigures) bool {
		return f.Created != 0 && f.P50 > 0 && f.P50 <= f.P99 && f.CPUPerCreate > 0
	})
}

func TestImportIsListed(t *testing.T) {
	f, err := imports{Plans: 1500}.run(t.Context(), leavesNothing(t), quiet)
	if err != nil {
		t.Fatal(err)
	}
	if f.Took <= 0 {
		t.Errorf("figures %+v", f)
	}
}

func TestImportedTwiceIsNoticed(t *testing.T) {
	s, _, _ := finished(t)
	c, _, err := s.client(t.Context(), "importer")
	if err != nil {
		t.Fatal(err)
	}
	if err := holds(t.Context(), c, 1); err == nil {
		t.Error("a plan too few was not noticed")
	}
	plans := plansOf(3, idle(time.Now()), nil)
	if err := importAll(t.Context(), c, plans); err != nil {
		t.Fatal(err)
	}
	if err := importAll(t.Context(), c, plans); !errors.Is(err, schema.CodeAlreadyExists) {
		t.Errorf("a second time: %v", err)
	}
}

func TestMemoryOfAPlan(t *testing.T) {
	each, err := memory{Plans: 5000}.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if each < 200 { // because the payload alone takes as much
		t.Errorf("%v bytes a plan", each)
	}
	if each, err = (memory{Plans: 2000, Payload: 64 << 10}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if each > 16<<10 { // because large definitions are evicted
		t.Errorf("%v bytes a plan with a payload of 64 KiB", each)
	}
}

func TestRestartFindsItsPlans(t *testing.T) {
	took, err := restart{Plans: 1200}.clean(t.Context(), leavesNothing(t), quiet)
	if err != nil || took <= 0 {
		t.Errorf("clean: %v, %v", took, err)
	}
	took, err = restart{Plans: 1200}.killed(t.Context(), leavesNothing(t), quiet, serveProgram)
	if err != nil || took <= 0 {
		t.Errorf("killed: %v, %v", took, err)
	}
}

func TestTasksAreCounted(t *testing.T) {
	for _, before := range []bool{false, true} {
		f, err := tasks{Tasks: 1500, Concurrency: 10, Prefetch: 10, Before: before}.run(t.Context(), leavesNothing(t), quiet)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", f)
		if f.PerSecond <= 0 || f.CPUPerTask <= 0 {
			t.Errorf("figures %+v", f)
		}
	}
	took, err := handOver{Tasks: 20}.run(t.Context(), leavesNothing(t), quiet)
	if err != nil {
		t.Fatal(err)
	}
	if took.total != 20 || took.quantile(0.5) <= 0 {
		t.Errorf("%d tasks, p50 %v", took.total, took.quantile(0.5))
	}
}
