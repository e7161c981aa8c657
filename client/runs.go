package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Runs is the handle of the runs of all plans.
type Runs struct{ c *Client }

// Runs returns the handle of the runs of all plans. [Plan.Runs] are those of one.
func (c *Client) Runs() Runs { return Runs{c} }

// A RunPage is a page of runs, newest first. The last page has no Next.
type RunPage struct {
	Runs []schema.Result // without EndTime: in flight, or waiting
	Next string          // the cursor of the next page; empty: there is none
}

// List returns one page of runs, newest first: results, and executions that are in flight or
// waiting, which have no EndTime. Runs of closed plans are among them.
func (r Runs) List(ctx context.Context, request schema.ListRuns) (*RunPage, error) {
	answer, err := readOne[schema.RunPage](ctx, r.c, plansGroup, "runs", request)
	if err != nil {
		return nil, err
	}
	page := &RunPage{Runs: make([]schema.Result, len(answer.Runs)), Next: answer.Next}
	for i, run := range answer.Runs {
		if err := wire.DecodeLoose(run, &page.Runs[i]); err != nil {
			return nil, fmt.Errorf("read run %d of the page: %w", i, err)
		}
	}
	return page, nil
}

// All returns the runs that match, newest first, page by page; an error ends the sequence.
func (r Runs) All(ctx context.Context, request schema.ListRuns) iter.Seq2[schema.Result, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.Result, string, error) {
		request.Cursor = cursor
		page, err := r.List(ctx, request)
		if err != nil {
			return nil, "", err
		}
		return page.Runs, page.Next, nil
	})
}
