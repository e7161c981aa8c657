package bench

import (
	"context"
	"strings"
	"testing"
	"time"
)

// apartSuite makes a suite that runs its parts as processes of this program.
func apartSuite(dir string) *suite {
	// With a calm of an hour it never waits for the disk.
	return &suite{calm: time.Hour, Options: Options{Dir: dir, Log: quiet, Rounds: 1, Duration: time.Second, Serve: serveProgram, Part: partProgram}}
}

func TestEachPartIsAProcess(t *testing.T) {
	for name, what := range map[string]shape{
		"a worker of ten lines":       {nodes: 1},
		"a worker of our library":     {nodes: 1, library: true},
		"nats-server apart":           {nodes: 1, apart: true},
		"the least that must be done": {nodes: 1, least: true},
		"the least, of three servers": {nodes: 3, least: true},
	} {
		t.Run(name, func(t *testing.T) {
			what.plans, what.sampled = 20, sampling{Every: 2}
			measured(t, func(dir string) (f deployedFigures, err error) {
				err = apartSuite(dir).deploy(t.Context(), what, func(ctx context.Context, d *deployment) (err error) {
					f, err = d.highest(ctx, what.plans, time.Second)
					return err
				})
				return f, err
			}, func(f deployedFigures) bool {
				return f.Executions > 20 && f.CPUPerExecution > 0 && len(f.Received) > 10 && f.Received[0] > 0
			})
		})
	}
}

func TestAPartReportsItsError(t *testing.T) {
	for role, want := range map[string]string{"worker": "connect worker", "observer": "connect observer", "publisher": "connect publisher"} {
		p, err := startPart(partProgram(t.Context(), role), role, partConfig{URL: "nats://127.0.0.1:1"})
		if err == nil {
			_ = p.stop()
			t.Errorf("%s: no error", role)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", role, err)
		}
	}
	if err := Part(t.Context(), "nobody", nil, nil); err == nil {
		t.Error("a role that there is not")
	}
}

func TestARecordThatDoesNotAgree(t *testing.T) {
	good := func() record {
		plans := func() []planCount { return []planCount{{N: 2, Sum: 3}, {N: 1, Sum: 1}} }
		return record{worked: partReply{N: 3, Plans: plans()}, received: partReply{N: 3, Other: 1, Plans: plans()}, stored: 4}
	}
	if err := good().agrees(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*record){
		"one stored too few":        func(r *record) { r.stored-- },
		"one heard too many":        func(r *record) { r.received.N++ },
		"one answered too many":     func(r *record) { r.worked.N++ },
		"another one heard":         func(r *record) { r.received.Plans[0].Sum++ },
		"one heard of another plan": func(r *record) { r.received.Plans[0].N--; r.received.Plans[1].N++ },
	} {
		r := good()
		spoil(&r)
		if err := r.agrees(); err == nil {
			t.Errorf("%s: nothing noticed", name)
		}
	}
}

func TestUntilReceivedJoinsBothSides(t *testing.T) {
	r := record{
		worked:   partReply{Samples: []sample{{Plan: 1, N: 1, Ended: 100}, {Plan: 1, N: 2, Ended: 200}, {Plan: 2, N: 1, Ended: 300}, {Plan: 3, N: 9, Ended: 300}}},
		received: partReply{Samples: []sample{{Plan: 2, N: 1, Came: 330}, {Plan: 1, N: 1, Came: 110}, {Plan: 1, N: 2, Came: 205}}},
	}
	got := r.untilReceived(func(x sample) bool { return x.Ended > 100 })
	if len(got) != 2 || got[0] != 5 || got[1] != 30 || got.longest() != 30 || got.quantile(0.5) != 5 {
		t.Errorf("%v", []time.Duration(got))
	}
}
