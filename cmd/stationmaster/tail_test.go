package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Each result is one line, however its plan was written, and one message that cannot be
// read does not end the others.
func TestTailShowsALineEach(t *testing.T) {
	message, err := wire.Scan([]byte("{\n\"a\":1\n}"), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = show(&printer{w: &out, json: true}, func(yield func(*schema.Result, error) bool) {
		if yield(nil, fmt.Errorf("read x: %w", client.ErrUnreadable)) {
			yield(&schema.Result{Messages: []wire.Value{message}}, nil)
		}
	}, nil)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err != nil || len(lines) != 2 || !strings.Contains(lines[1], `{ "a":1 }`) {
		t.Errorf("%v\n%s", err, &out)
	}
	broken := errors.New("closed")
	if err := show(&printer{w: &out}, func(yield func(*schema.Result, error) bool) { yield(nil, broken) }, nil); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// A skip or a timeout is printed once where results are shown, too.
func TestTailShowsAResultOnce(t *testing.T) {
	for kind, shown := range map[schema.NoticeKind]bool{
		schema.NoticeSkipped: false, schema.NoticeTimeout: false, schema.NoticePaused: true, schema.NoticeNotWorker: true,
	} {
		if got := traceBeside(&schema.Notice{Kind: kind}) != ""; got != shown {
			t.Errorf("%s is printed: %t", kind, got)
		}
	}
	var out strings.Builder
	notices := func(yield func(*schema.Notice, error) bool) {
		_ = yield(&schema.Notice{Kind: schema.NoticeSkipped}, nil) && yield(&schema.Notice{Kind: schema.NoticePaused}, nil)
	}
	if err := show(&printer{w: &out}, notices, traceBeside); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%v\n%s", err, &out)
	}
}

// plansDue answers as a scheduler whose plans are due at a time.
type plansDue struct {
	at    time.Time
	asked int
}

func (p *plansDue) get(context.Context, schema.PlanName) (*schema.PlanView, error) {
	p.asked++
	if p.at.IsZero() {
		return nil, errors.New("not found")
	}
	return &schema.PlanView{State: schema.PlanState{PlanTime: p.at}}, nil
}

// The next due time follows a settled result, and is not looked up for each result of a
// busy installation.
func TestTailShowsTheNextDueTime(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	plans := &plansDue{at: now.Add(time.Hour)}
	n := &nextDue{get: plans.get, now: func() time.Time { return now }}
	for _, c := range []struct {
		after time.Duration
		final bool
		want  string
	}{
		{0, false, ""}, {0, true, " → next 13:00:00"}, {nextEvery / 2, true, ""}, {nextEvery, true, " → next 13:00:00"},
	} {
		now = now.Add(c.after)
		if got := n.of(t.Context(), &schema.Result{Final: c.final}); got != c.want {
			t.Errorf("after %v: %q, want %q", c.after, got, c.want)
		}
	}
	plans.at = time.Time{}
	now = now.Add(time.Second)
	if got := n.of(t.Context(), &schema.Result{Final: true}); got != "" || plans.asked != 3 {
		t.Errorf("%q, asked %d times", got, plans.asked)
	}
}
