package bench

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestRunPrintsOursBesideBare(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	steadily(t, func() error {
		out.Reset()
		return Run(t.Context(), &out, Options{
			Only: []string{"throughput", "creates"}, Rounds: 1, Duration: time.Second, Dir: dir, Log: quiet,
		})
	})
	t.Log(out.String())
	rows := map[string]int{"executions/s, 2,000 outstanding": 0, "executions/s, 256 outstanding": 0, "plans created/s": 0}
	for line := range strings.Lines(out.String()) {
		for figure := range rows {
			// With ours, bare, and their ratio, unless a note has the cause of a missing rate.
			if strings.HasPrefix(line, figure) && (!strings.Contains(line, "  -") || strings.Contains(out.String(), "; no rate.")) &&
				!strings.Contains(line, "not steady") {
				rows[figure]++
			}
		}
	}
	for figure, n := range rows {
		if n != 1 {
			t.Errorf("%q: %d rows", figure, n)
		}
	}
	for _, note := range []string{"was on that disk after", "was deleted in", "took these CPUs, in ms: throughput "} {
		if !strings.Contains(out.String(), note) {
			t.Errorf("no word of %q", note)
		}
	}
	if strings.Contains(out.String(), "lateness") {
		t.Error("a section ran that was not asked for")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, o := range []Options{
		{Only: []string{"thruput"}},
		{Rounds: -1},
		{Duration: -1},
		{Dir: "/dev/null/nowhere"},
	} {
		if err := Run(t.Context(), io.Discard, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer time.AfterFunc(200*time.Millisecond, func() { cancel(enough) }).Stop()
	dir := leavesNothing(t)
	err := Run(ctx, io.Discard, Options{Only: []string{"memory", "throughput"}, Duration: time.Minute, Dir: dir, Log: quiet})
	if !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}

// The figures of the other sections are printed when one section fails.
func TestRunGoesOnAfterAFailure(t *testing.T) {
	var out strings.Builder
	err := Run(t.Context(), &out, Options{
		Only: []string{"memory", "restart"}, Rounds: 1, Dir: t.TempDir(), Log: quiet,
		Serve: func(ctx context.Context, _ string, _ ...string) *exec.Cmd {
			return exec.CommandContext(ctx, "/dev/null/nothing")
		},
	})
	if err == nil || !strings.Contains(err.Error(), "measure restart") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(out.String(), "heap of an idle plan") {
		t.Errorf("printed:\n%s", &out)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		of   samples
		want float64
	}{{nil, 0}, {samples{3}, 3}, {samples{9, 1, 2}, 2}, {samples{4, 1, 2, 9}, 3}} {
		if got := c.of.median(); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.of, got, c.want)
		}
	}
}

func TestRatioIsOfTheRounds(t *testing.T) {
	for _, c := range []struct {
		ours, bare samples
		want       float64
	}{
		{nil, nil, 0},
		{samples{1}, nil, 0},
		{samples{3}, samples{4}, 0.75},
		// The second round was slow for both; the third for ours alone.
		{samples{60, 20, 10}, samples{100, 40, 100}, 0.5},
	} {
		if got := c.ours.over(c.bare); got != c.want {
			t.Errorf("%v over %v is %v, want %v", c.ours, c.bare, got, c.want)
		}
	}
}

func TestPaceIsThatOfTheProcessors(t *testing.T) {
	if took := pace(); took <= 0 {
		t.Errorf("a fixed piece of work took %v", took)
	}
}

func TestAProgramThatIsNotReady(t *testing.T) {
	url, err := readyURL(strings.NewReader("one\nstationmaster: the disk is full\n"))
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("%q, %v", url, err)
	}
}
