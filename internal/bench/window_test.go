package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// scripted makes an outside that reads one standing after the other.
func scripted(standings ...standing) outside {
	i := -1
	return outside{
		ended:    func(context.Context) (int64, error) { i++; return standings[i].ended, nil },
		received: func(context.Context) (int64, error) { return standings[i].received, nil },
		stored:   func(context.Context) (int64, error) { return standings[i].stored, nil },
		cpu:      func() (time.Duration, error) { return standings[i].cpu, nil },
	}
}

func TestOnlyReceivedAndStoredResultsCount(t *testing.T) {
	const lasting = 20 * time.Millisecond
	for name, c := range map[string]struct {
		begin, end standing
		executions int64
		steady     bool
	}{
		"all received and stored":      {standing{ended: 10, received: 10, stored: 10}, standing{ended: 110, received: 110, stored: 110}, 100, true},
		"some received and not stored": {standing{ended: 10, received: 10, stored: 4}, standing{ended: 110, received: 110, stored: 104}, 100, true},
		"some stored and not received": {standing{ended: 10, received: 4, stored: 10}, standing{ended: 110, received: 104, stored: 110}, 100, true},
		"what was behind is caught up": {standing{ended: 9000, received: 0, stored: 0}, standing{ended: 9100, received: 9100, stored: 9100}, 9100, true},
		"storing stays behind":         {standing{}, standing{ended: 90_000, received: 90_000, stored: 1000}, 1000, false},
		"hearing stays behind":         {standing{}, standing{ended: 90_000, received: 1000, stored: 90_000}, 1000, false},
		"none received":                {standing{}, standing{ended: 90_000, stored: 90_000}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.end.cpu = time.Second
			w, err := scripted(c.begin, c.end).window(t.Context(), 0, lasting)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.executions(); got != c.executions {
				t.Errorf("%d executions, want %d", got, c.executions)
			}
			if w.elapsed() < lasting {
				t.Errorf("it took %v", w.elapsed())
			}
			if c.executions > 0 && w.cpuPerExecution() != time.Second/time.Duration(c.executions) {
				t.Errorf("processor time %v each", w.cpuPerExecution())
			}
			if err := w.steady(10); (err == nil) != c.steady {
				t.Errorf("steady: %v", err)
			}
		})
	}
}

// The work in flight may be the executions under way, and a quarter of a second of results, but
// no more.
func TestSteadyAllowsWhatIsInFlight(t *testing.T) {
	began := time.Now()
	w := window{
		begin: standing{from: began, to: began},
		end:   standing{from: began.Add(time.Second), to: began.Add(time.Second), received: 1000, stored: 1000},
	}
	for behind, steady := range map[int64]bool{0: true, 300: true, 301: false} {
		w.end.ended = 1000 + behind
		err := w.steady(50)
		var refused *notSteady
		if (err == nil) != steady || !steady && !errors.As(err, &refused) {
			t.Errorf("%d behind: %v", behind, err)
		}
	}
}

func TestAWindowThatIsNotSteadyIsMeasuredAtALowerLoad(t *testing.T) {
	for name, c := range map[string]struct {
		steadyAt int
		loads    string
		note     string
	}{
		"at once":      {2000, "[2000]", ""},
		"at a quarter": {500, "[2000 1000 500]", "measured with 500 instead"},
		"at none":      {0, "[2000 1000 500]", "with 500: not steady: 0 executions were not received or not stored at the begin and 90,000 at the end of 1s, and 7 may be in flight; no rate."},
	} {
		t.Run(name, func(t *testing.T) {
			var s suite
			var loads []int
			began := time.Now()
			err := s.atSteadyLoad("executions/s", 2000, func(load int) error {
				if loads = append(loads, load); load <= c.steadyAt {
					return nil
				}
				grown := window{begin: standing{from: began}, end: standing{to: began.Add(time.Second), ended: 90_000}}
				return fmt.Errorf("bare: %w", &notSteady{grown, 7})
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(loads); got != c.loads {
				t.Errorf("measured at %s, want %s", got, c.loads)
			}
			if notes := strings.Join(s.report.Notes, "\n"); !strings.Contains(notes, c.note) || (c.note == "") != (notes == "") {
				t.Errorf("noted: %s", notes)
			}
		})
	}
	var s suite
	broken := errors.New("broken")
	if err := s.atSteadyLoad("executions/s", 2000, func(int) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("another error: %v", err)
	}
}

func TestAWindowEndsWithItsContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	var n atomic.Int64
	from := outside{ended: counted(&n), received: counted(&n), cpu: ownCPU, stored: func(context.Context) (int64, error) { return 0, nil }}
	measured, stop := inBackground(ctx, from, 0, time.Minute)
	if seen := <-measured; !errors.Is(seen.err, enough) {
		t.Errorf("error %v", seen.err)
	}
	stop()
}

func TestResultsHoldTheirNumber(t *testing.T) {
	for body, want := range map[string]int64{
		`{"plan_id":"x","n":7,"state":"ok"}`: 7,
		`{"n":12}`:                           12,
		`{"plan_id":"x"}`:                    0,
		`{"n":"7"}`:                          0,
		`{"n":7`:                             0,
	} {
		if got, err := resultNumber([]byte(body)); got != want || (err == nil) != (want != 0) {
			t.Errorf("%s: %d, %v", body, got, err)
		}
	}
}

func TestAHearingNoticesAResultTooFewOrTooMany(t *testing.T) {
	for _, more := range []int64{-1, 1} {
		_, did, h := finished(t)
		did.done.Add(more)
		if err := h.finish(t.Context(), did); err == nil {
			t.Errorf("nothing noticed of %d more", more)
		}
	}
}
