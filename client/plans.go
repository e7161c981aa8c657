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

	calendarsGroup = "calendars"
	workersGroup   = "workers"
)

// Plans is the handle of all plans.
type Plans struct{ c *Client }

// Plans returns the handle of all plans. [Client.Plan] is that of one.
func (c *Client) Plans() Plans { return Plans{c} }

// Create creates a plan, and returns when it is durable. A plan without an id gets one,
// which is made here, so that the request can be repeated: see [Options.Repeats]. A
// repeated request creates one plan: with an id that was made here, because it is sent
// under on_conflict keep; with a given id only when its OnConflict is keep or update,
// because this plan could not be distinguished from another of the same name otherwise. (A
// plan that was created, ran and closed between two tries is created again.)
func (p Plans) Create(ctx context.Context, plan schema.Plan) (*schema.Created, error) {
	made := plan.PlanID == ""
	if made {
		plan.PlanID = schema.NewID()
	}
	again := made || plan.OnConflict == schema.ConflictKeep || plan.OnConflict == schema.ConflictUpdate
	var created schema.Created
	create := func(try int) error {
		if made && try > 0 {
			plan.OnConflict = schema.ConflictKeep
		}
		created = schema.Created{}
		return p.c.Do(ctx, plansGroup, "create", &plan, &created)
	}
	var err error
	if again {
		err = p.c.repeat(ctx, create)
	} else {
		err = create(0)
	}
	if err != nil {
		return nil, err
	}
	created.Created = created.Created || made // an earlier try had created it
	return &created, nil
}

// Which returns the first of one or more names that a plan has; else the first that has
// runs; else the first. It serves users to whom a name may mean more than one plan.
func (p Plans) Which(ctx context.Context, names []schema.PlanName) (schema.PlanName, error) {
	if len(names) == 1 {
		return names[0], nil
	}
	for _, name := range names {
		_, err := p.c.PlanNamed(name).Get(ctx)
		if !errors.Is(err, ErrNotFound) {
			return name, err
		}
	}
	for _, name := range names {
		page, err := p.c.Runs().List(ctx, schema.ListRuns{Station: name.Station, PlanID: name.PlanID, Limit: 1})
		if err != nil || len(page.Runs) > 0 {
			return name, err
		}
	}
	return names[0], nil
}

// List returns one page of plans, by station, then id. A page with a Next may be short, or
// empty.
func (p Plans) List(ctx context.Context, request schema.ListPlans) (*schema.PlanPage, error) {
	return readOne[schema.PlanPage](ctx, p.c, plansGroup, "list", request)
}

// All returns the plans that match, page by page; an error ends the sequence.
func (p Plans) All(ctx context.Context, request schema.ListPlans) iter.Seq2[schema.PlanView, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.PlanView, string, error) {
		request.Cursor = cursor
		page, err := p.List(ctx, request)
		if err != nil {
			return nil, "", err
		}
		return page.Plans, page.Next, nil
	})
}

// Preview returns up to count (1 to 1,000; 0: 6) due times that the plan would have if
// it were accepted at from and each run finished at once. A zero from is now. The
// plan need not name a station.
func (p Plans) Preview(ctx context.Context, plan schema.Plan, from time.Time, count int) ([]schema.PreviewedOccurrence, error) {
	definition, err := value(p.c, &plan)
	if err != nil {
		return nil, fmt.Errorf("preview: %w", err)
	}
	request := schema.Preview{Plan: definition, From: from, Count: int64(count)}
	answer, err := readOne[schema.Previewed](ctx, p.c, plansGroup, "preview", request)
	if err != nil {
		return nil, err
	}
	return answer.Occurrences, nil
}

// Bounds of one import request: as many plans as the service takes, and half of a NATS
// server's default maximum, because one plan may have that much.
const (
	maxImportPlans = 1000
	maxImportBytes = 512 << 10
)

// Import creates many plans, in requests of at most 1,000 and half a MiB each. A bad plan
// does not stop the others, and is among the Errors of the result, by its index in plans.
// An error stops it; the result beside it counts the plans imported until then, beyond
// which some more may have been.
func (p Plans) Import(ctx context.Context, plans []schema.Plan, onConflict schema.OnConflict) (*schema.Imported, error) {
	total := &schema.Imported{}
	for first := 0; first < len(plans); {
		request := schema.Import{OnConflict: onConflict}
		size := 0
		for i := range plans[first:min(len(plans), first+maxImportPlans)] {
			definition, err := value(p.c, &plans[first+i])
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
		if err := p.c.Do(ctx, plansGroup, "import", request, &done); err != nil {
			return total, err
		}
		tally(total, &done, first)
		first += len(request.Plans)
	}
	return total, nil
}

// tally adds the counts of one request, whose plans begin with the first-th.
func tally(total, done *schema.Imported, first int) {
	total.Created += done.Created
	total.Updated += done.Updated
	total.Kept += done.Kept
	for _, i := range done.Finished {
		total.Finished = append(total.Finished, i+int64(first))
	}
	for _, e := range done.Errors {
		e.Index += int64(first)
		total.Errors = append(total.Errors, e)
	}
}

func value(c *Client, plan *schema.Plan) (wire.Value, error) {
	v, err := wire.ValueOf(c.opts.Encoding, plan)
	if err != nil {
		return wire.Value{}, fmt.Errorf("encode the plan: %w", err)
	}
	return v, c.checkTexts(c.space.Service(plansGroup, ""), plan, v.Raw())
}
