package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The names of the services that this client speaks to.
const (
	plansGroup    = "plans"
	stationsGroup = "stations"
	workersGroup  = "workers"
)

// Create creates a plan, and returns when it is durable. A plan without an id
// gets one, which is made here, so that the request can be repeated: see
// [Options.Repeats]. What is repeated is created once: with an id that was made
// here, under on_conflict keep; with a given one only when its OnConflict is keep
// or update, because otherwise nobody could tell this plan from another of the
// same name. (A plan that came, ran and closed between two tries is made again.)
// The plan itself is not changed.
func (c *Client) Create(ctx context.Context, plan *schema.Plan) (*schema.Created, error) {
	sent := *plan
	made := sent.PlanID == ""
	if made {
		sent.PlanID = schema.NewID()
	}
	again := made || sent.OnConflict == schema.ConflictKeep || sent.OnConflict == schema.ConflictUpdate
	var created schema.Created
	create := func(try int) error {
		if made && try > 0 {
			sent.OnConflict = schema.ConflictKeep
		}
		created = schema.Created{}
		return c.Do(ctx, plansGroup, "create", &sent, &created)
	}
	var err error
	if again {
		err = c.repeat(ctx, create)
	} else {
		err = create(0)
	}
	if err != nil {
		return nil, err
	}
	created.Created = created.Created || made // an earlier try had made it
	return &created, nil
}

// Get returns a plan and where it stands. A plan that has closed is not found.
func (c *Client) Get(ctx context.Context, name schema.PlanName) (*schema.PlanView, error) {
	return readOne[schema.PlanView](ctx, c, plansGroup, "get", name)
}

// Which returns the one of several plans, of which there is one at least, that is there, else
// the one that has runs, else the first: people know plans by more than their names.
func (c *Client) Which(ctx context.Context, names []schema.PlanName) (schema.PlanName, error) {
	if len(names) == 1 {
		return names[0], nil
	}
	for _, name := range names {
		_, err := c.Get(ctx, name)
		if !errors.Is(err, &schema.Error{Code: schema.CodeNotFound}) {
			return name, err
		}
	}
	one := int64(1)
	for _, name := range names {
		page, err := c.Runs(ctx, schema.ListRuns{Station: name.Station, PlanID: name.PlanID, Limit: &one})
		if err != nil || len(page.Runs) > 0 {
			return name, err
		}
	}
	return names[0], nil
}

// List returns one page of plans, by station, then id. A page may be short, or
// empty, while its Next is there.
func (c *Client) List(ctx context.Context, request schema.ListPlans) (*schema.PlanPage, error) {
	return readOne[schema.PlanPage](ctx, c, plansGroup, "list", request)
}

// Plans returns all plans that match, page by page; an error ends the sequence.
func (c *Client) Plans(ctx context.Context, request schema.ListPlans) iter.Seq2[schema.PlanView, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.PlanView, string, error) {
		request.Cursor = cursor
		page, err := c.List(ctx, request)
		if err != nil {
			return nil, "", err
		}
		return page.Plans, page.Next, nil
	})
}

// A RunPage is a page of runs.
type RunPage struct {
	Runs []schema.Result // newest first
	Next string          // the cursor of the next page; empty: this is the last one
}

// Runs returns one page of a plan's runs: its results, and what is under way or
// waiting, which has no EndTime. Those of a closed plan can be read too.
func (c *Client) Runs(ctx context.Context, request schema.ListRuns) (*RunPage, error) {
	answer, err := readOne[schema.RunPage](ctx, c, plansGroup, "runs", request)
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

// AllRuns returns all runs that match, newest first; an error ends the sequence.
func (c *Client) AllRuns(ctx context.Context, request schema.ListRuns) iter.Seq2[schema.Result, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.Result, string, error) {
		request.Cursor = cursor
		page, err := c.Runs(ctx, request)
		if err != nil {
			return nil, "", err
		}
		return page.Runs, page.Next, nil
	})
}

// Preview returns up to count (1 to 1,000) due times that the plan would have if
// it were accepted at from and each run finished at once. A zero from is now. The
// plan need not name a station.
func (c *Client) Preview(ctx context.Context, plan *schema.Plan, from time.Time, count int) ([]schema.PreviewedOccurrence, error) {
	definition, err := value(c, plan)
	if err != nil {
		return nil, fmt.Errorf("preview: %w", err)
	}
	n := int64(count)
	request := schema.Preview{Plan: definition, From: from, Count: &n}
	answer, err := readOne[schema.Previewed](ctx, c, plansGroup, "preview", request)
	if err != nil {
		return nil, err
	}
	return answer.Occurrences, nil
}

// What one import request holds: as many plans as the service takes, and half of
// what a NATS server takes by default, as one plan may have that much.
const (
	maxImportPlans = 1000
	maxImportBytes = 512 << 10
)

// Import creates many plans, in requests of at most 1,000 and half a MiB each. A
// bad plan does not stop the others: it is among the Errors of what is returned,
// by its index in plans. An error stops it; what is returned with it counts what
// was done until then, beyond which some more may have been.
func (c *Client) Import(ctx context.Context, plans []*schema.Plan, onConflict schema.OnConflict) (*schema.Imported, error) {
	total := &schema.Imported{}
	for first := 0; first < len(plans); {
		request := schema.Import{OnConflict: onConflict}
		size := 0
		for _, plan := range plans[first:min(len(plans), first+maxImportPlans)] {
			definition, err := value(c, plan)
			if err != nil {
				return total, fmt.Errorf("import plan %d: %w", first+len(request.Plans), err)
			}
			size += len(definition.Raw())
			if size > maxImportBytes && len(request.Plans) > 0 {
				break
			}
			request.Plans = append(request.Plans, definition)
		}
		var done schema.Imported
		if err := c.Do(ctx, plansGroup, "import", request, &done); err != nil {
			return total, err
		}
		tally(total, &done, first)
		first += len(request.Plans)
	}
	return total, nil
}

// tally adds what was done to plans from the first-th on.
func tally(total, done *schema.Imported, first int) {
	total.Created += done.Created
	total.Updated += done.Updated
	total.Kept += done.Kept
	for _, e := range done.Errors {
		e.Index += int64(first)
		total.Errors = append(total.Errors, e)
	}
}

func value(c *Client, plan *schema.Plan) (wire.Value, error) {
	if plan == nil {
		return wire.Value{}, errors.New("there is no plan")
	}
	v, err := wire.ValueOf(c.opts.Encoding, plan)
	if err != nil {
		return wire.Value{}, fmt.Errorf("encode the plan: %w", err)
	}
	return v, nil
}

// change makes one request whose answer is an A.
func change[A any](ctx context.Context, c *Client, group, endpoint string, request any) (*A, error) {
	answer := new(A)
	if err := c.Do(ctx, group, endpoint, request, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// readOne is change for requests that may be repeated.
func readOne[A any](ctx context.Context, c *Client, group, endpoint string, request any) (*A, error) {
	answer := new(A)
	if err := c.read(ctx, group, endpoint, request, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// pages yields the items of all pages, from cursor on.
func pages[T any](cursor string, page func(cursor string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for at := cursor; ; {
			items, next, err := page(at)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			at = next
		}
	}
}
