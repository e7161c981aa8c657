package storing

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
)

const (
	// trimAbove is how many markers of removed rows may be in the bucket, or as many as it has rows,
	// before they are trimmed.
	trimAbove = 50_000
	// trimEvery is how often they are counted, and trimSteps how many steps of a trim follow a batch
	// of rows when there are twice as many.
	trimEvery = 5 * time.Second
	trimSteps = 8
	// rowsOfPlan is how many rows a plan has.
	rowsOfPlan = 2
)

// A trim removes the markers of removed rows, because they do not expire: rows that were removed
// may be back in the bucket behind a kill -9 of nats-server, which only a later marker makes void
// (ADR 0044). Rows in front of goal are written again, at the end, until there are markers alone;
// these are in files of nats-server of their own, and all are removed below cut.
//
//	first … rows and markers … goal │ padding │ cut … rows, markers, and the rows written again
type trim struct {
	looked  time.Time // when the markers were counted last
	removed bool      // rows were removed since, or it is not known
	hurried bool      // there are too many markers for one step after each batch

	goal, cut uint64 // 0: no trim is under way
	next      uint64 // the first message in front of goal that was not looked at
}

// tidy goes on with a trim, or begins one when there are many markers. An error ends the table; one
// of a reading is only logged, because the next call tries again.
func (t *table) tidy(ctx context.Context) error {
	if t.trim.goal == 0 {
		if begun, err := t.beginTrim(ctx); !begun || err != nil {
			return err
		}
	}
	steps := 1
	if t.trim.hurried {
		steps = trimSteps
	}
	for range steps {
		if ended, err := t.trimStep(ctx); ended || err != nil {
			return err
		}
	}
	return nil
}

// beginTrim counts the markers, if it is time to, and separates them from later ones by padding.
func (t *table) beginTrim(ctx context.Context) (begun bool, err error) {
	if !t.trim.removed || time.Since(t.trim.looked) < trimEvery {
		return false, nil
	}
	t.trim.looked = time.Now()
	span, err := t.bucket.Span(ctx)
	if err != nil {
		t.log.Debug("the markers of removed rows were not counted", "error", err)
		return false, nil
	}
	t.trim.removed = false
	rows := uint64(max(t.plans(), 0)) * rowsOfPlan
	most := max(t.trimAbove, rows)
	if span.Count <= rows+most || span.Room < 2*broker.PaddingBytes {
		return false, nil
	}
	padding := t.bucket.Padding()
	if err := t.again(ctx, padding); err != nil {
		return false, err
	}
	t.trim.goal, t.trim.cut, t.trim.next = span.Last+1, t.chain.Revision()+uint64(len(padding)), 1
	t.trim.hurried = span.Count > rows+2*most
	return true, nil
}

// trimStep writes some rows again, or removes the markers when there are no such rows any more.
func (t *table) trimStep(ctx context.Context) (ended bool, err error) {
	rows, next, err := t.bucket.Head(ctx, t.trim.next, t.trim.goal, rowsAtOnce)
	if err != nil {
		if ctx.Err() == nil {
			t.log.Debug("the head of the bucket was not read", "error", err)
		}
		return true, nil
	}
	if len(rows) > 0 {
		msgs := make([]*nats.Msg, len(rows))
		for i, row := range rows {
			msgs[i] = t.bucket.Set(row.Key, row.Value)
		}
		if err := t.again(ctx, msgs); err != nil {
			return false, err
		}
	}
	if t.trim.next = next; next < t.trim.goal {
		return false, nil
	}
	if err := t.bucket.Trim(ctx, t.trim.cut); err != nil && ctx.Err() == nil {
		t.log.Warn("markers of removed rows stay in the bucket, and take room", "error", err)
	}
	t.trim.goal, t.trim.removed = 0, true
	return true, nil
}

// again writes messages with the present checkpoint. Nobody else writes rows meanwhile.
func (t *table) again(ctx context.Context, msgs []*nats.Msg) error {
	t.mu.Lock()
	mark := t.checkpoint.Mark()
	t.mu.Unlock()
	if err := t.chain.Write(ctx, msgs, mark); err != nil {
		return fmt.Errorf("write rows of the bucket again: %w", err)
	}
	return nil
}
