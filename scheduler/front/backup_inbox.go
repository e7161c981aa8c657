package front

import (
	"context"
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// items answers with a page of the items in a plan's inbox, for a backup, of any kind of
// consumer. It takes no item, and counts from the first item that the plan ever had, so that
// pages do not overlap while items are completed.
func (ps plans) items(r *request) error {
	var q schema.LookInbox
	if err := r.decode(&q); err != nil {
		return err
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	c := command.ListItems{Station: q.Station, PlanID: q.PlanID, Number: int64(limitOf(q.Limit)), From: q.From}
	return r.async(func(ctx context.Context) (any, error) {
		got, err := ask[command.Claimed](ctx, ps.front, ps.front.partition(q.PlanID), c)
		if err != nil {
			return nil, err
		}
		out := schema.CopyItems(got.Items, got.Data, r.enc)
		out.Next = got.Next
		return out, nil
	})
}

// errRefilled refuses an inbox in a restore by records.
var errRefilled = errors.New("it is restored by pushing its waiting items")

// refillDelay keeps the restored items of a queue that is due together, because it would
// otherwise hand over the first as soon as it has it.
const refillDelay = 2 * time.Second

// refill pushes the items of a backup into an inbox of the same name and terms, in order. A
// request that continues an earlier one adds to the inbox which that one restored.
func (ps plans) refill(ctx context.Context, r *request, c schema.PlanCopy, onConflict schema.OnConflict) outcome {
	o := outcome{onConflict: onConflict}
	o.created, o.err = ps.pushAgain(ctx, r, c, onConflict)
	return o
}

func (ps plans) pushAgain(ctx context.Context, r *request, c schema.PlanCopy, onConflict schema.OnConflict) (created bool, err error) {
	definition, err := definitionOf(c)
	if err != nil {
		return false, err
	}
	d, err := ps.checked(ctx, r, definition, schema.ParseOptions{Stored: true})
	if err != nil {
		return false, err
	}
	terms, items, err := inboxOf(c)
	if err != nil {
		return false, err
	}
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	place := ps.front.partition(name.PlanID)
	if !c.Items.Goes {
		_, err := ask[command.PlanView](ctx, ps.front, place, command.GetPlan{Name: name})
		switch {
		case err == nil && onConflict == schema.ConflictKeep:
			return false, nil
		case err == nil:
			return false, &schema.Error{Code: schema.CodeConflict, Field: "plan_id", Message: "there is a plan " + name.String() + " already; on_conflict keep leaves it as it is"}
		case !errors.Is(err, schema.CodeNotFound):
			return false, err
		}
		switch handed, err := ps.handedOver(ctx, name, terms.Record); {
		case err != nil:
			return false, err
		case handed && onConflict == schema.ConflictKeep:
			return false, errFinished
		case handed:
			return false, handedOverHere()
		}
	}
	if r.dry {
		return true, nil
	}
	due := c.PlanTime
	if soon := ps.front.config.Now().Add(refillDelay); due.Before(soon) {
		due = soon
	}
	_, err = askMany[schema.Pushed](ctx, ps.front, len(items), func(i int) (int, command.Command) {
		push := command.PushItem{
			Name: name, Definition: d, Item: items[i], PlanTime: due, Retime: schema.RetimeNew, Terms: terms, Trace: r.trace, Restored: true,
		}
		terms.Data, terms.Record = wire.Value{}, wire.Value{} // the first has it merged, or has made the queue
		return place, push
	})
	return err == nil, err
}
