package bench

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLatenessAtALoad(t *testing.T) {
	measured(t, func(dir string) (point, error) {
		return apartSuite(dir).pointAt(t.Context(), 50, time.Second)
	}, func(p point) bool {
		return len(p.Late) >= 50 && len(p.Received) == len(p.Late) && p.PerSecond > 0 &&
			rising(p.Late.quantile(0.5), p.Late.quantile(0.99), p.Late.longest())
	})
}

func TestLatenessOfWhatIsDueAtOnce(t *testing.T) {
	what := shape{nodes: 1, plans: 300, sampled: sampling{Every: 1}}
	measured(t, func(dir string) (p point, err error) {
		err = apartSuite(dir).deploy(t.Context(), what, func(ctx context.Context, d *deployment) (err error) {
			p, err = d.atOnce(ctx, what.plans)
			return err
		})
		return p, err
	}, func(p point) bool { return len(p.Late) == 300 && len(p.Received) == 300 && p.Late[0] > 0 })
}

func TestAPointRefusesWhatMustNotBe(t *testing.T) {
	from := time.Unix(1000, 0)
	at := func(d time.Duration) int64 { return from.Add(d).UnixNano() }
	good := record{
		worked:   partReply{Samples: []sample{{Plan: 1, N: 1, Due: at(0), Came: at(2), Ended: at(3)}, {Plan: 1, N: 2, Due: at(time.Second), Came: at(2 * time.Second)}}},
		received: partReply{Samples: []sample{{Plan: 1, N: 1, Came: at(10)}}},
	}
	p, err := good.point(from, from.Add(time.Second))
	if err != nil || len(p.Late) != 1 || p.Late[0] != 2 || p.Received[0] != 7 {
		t.Errorf("%+v, %v", p, err)
	}
	for name, r := range map[string]record{
		"none came":     {},
		"one early":     {worked: partReply{Samples: []sample{{Plan: 1, N: 1, Due: at(5), Came: at(4)}}}, received: good.received},
		"none received": {worked: good.worked},
	} {
		if p, err := r.point(from, from.Add(time.Second)); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// somePoints returns points like those of a real machine.
func somePoints() (points []point) {
	for i, share := range shares {
		ms := time.Duration(i+1) * time.Millisecond
		points = append(points, point{Share: share, Late: intervals{ms / 4, ms, 3 * ms * ms / time.Millisecond}, Received: intervals{ms / 2, ms, 9 * ms}})
	}
	return points
}

func TestThePictureIsWellFormed(t *testing.T) {
	drawn := picture(somePoints(), 23_100)
	for decoder := xml.NewDecoder(strings.NewReader(string(drawn))); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for want, times := range map[string]int{"<polyline": 6, "<circle": 6 * len(shares), "90 %": 2, "23,100 executions/s": 1, ">longest<": 2, "NaN": 0} {
		if got := strings.Count(string(drawn), want); got != times {
			t.Errorf("%d of %q, want %d", got, want, times)
		}
	}
	if file := os.Getenv("BENCH_TEST_PICTURE"); file != "" {
		if err := os.WriteFile(file, drawn, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The sections write their rows, and the picture.
func TestCurveIsDrawn(t *testing.T) {
	steadily(t, func() error {
		s := apartSuite(leavesNothing(t))
		file := filepath.Join(t.TempDir(), "curve.svg")
		highest := 200.0
		s.highest, s.Picture = &highest, file
		if err := s.curve(t.Context()); err != nil {
			return err
		}
		if _, err := os.Stat(file); err != nil {
			return err
		}
		if len(s.report.Rows) != 6*(len(shares)+2) && len(s.report.Notes) == 0 {
			t.Errorf("%d rows, and no word of why", len(s.report.Rows))
		}
		return nil
	})
}
