package client

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
)

// maxExportPlans is how many plans one page of an export is asked for.
const maxExportPlans = 1000

// Export returns all plans with the scheduler's whole state of them, by station, then id,
// page by page; an error ends the sequence. It may be read while plans run: each is whole,
// and as it was at one moment, but not all at the same. Their runs are not in it, nor are
// the records of stations, which [Stations.All] returns. The items that wait in a merge
// queue, which has an Inbox, are read by [Plan.Items], and restored with it.
//
// A definition is byte for byte as it is stored, but for headers of HTTP calls that are
// secrets by nature, which are hidden; Restore refuses a plan with one of those.
// Definitions in the client's encoding travel without a wrapping.
func (p Plans) Export(ctx context.Context) iter.Seq2[schema.PlanCopy, error] {
	return p.export(ctx, plansGroup)
}

// ExportWithSecrets is [Plans.Export] with nothing hidden. It takes the right to ask
// secrets.export.
func (p Plans) ExportWithSecrets(ctx context.Context) iter.Seq2[schema.PlanCopy, error] {
	return p.export(ctx, secretsGroup)
}

func (p Plans) export(ctx context.Context, group string) iter.Seq2[schema.PlanCopy, error] {
	return pages("", func(cursor string) ([]schema.PlanCopy, string, error) {
		page, err := readOne[schema.ExportPage](ctx, p.c, group, "export", schema.Export{Limit: maxExportPlans, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Plans, page.Next, nil
	})
}

// maxExportItems is how many items of an inbox travel together. It is small, because a
// restore pushes them one after the other.
const maxExportItems = 200

// Items returns the items of the plan's inbox in their order, in pages of at most 200, and
// removes none. Items that are pushed meanwhile are among them.
func (p Plan) Items(ctx context.Context) iter.Seq2[schema.ItemsCopy, error] {
	return func(yield func(schema.ItemsCopy, error) bool) {
		from, goes := int64(0), false
		for {
			q := schema.LookInbox{Station: p.name.Station, PlanID: p.name.PlanID, From: from, Limit: maxExportItems}
			page, err := readOne[schema.ItemsCopy](ctx, p.c, plansGroup, "items", q)
			if err != nil {
				yield(schema.ItemsCopy{}, err)
				return
			}
			next := page.Next
			page.Goes, page.From, page.Next = goes, from, 0
			if !yield(*page, nil) || next == 0 {
				return
			}
			list, err := page.List()
			if err != nil {
				yield(schema.ItemsCopy{}, fmt.Errorf("read the items of %s: %w", p.name, err))
				return
			}
			from, goes = next, goes || list.Len() > 0 // all of a page may have been completed
		}
	}
}

// Restore creates plans from copies of [Plans.Export], in requests of at most 1,000 plans and
// half a MiB each: their grids, counts and numbers continue. Executions that were in flight are
// tried again; catch_up decides about occurrences that fell due since then. A plan that exists
// is an error, or is kept; a restore with keep can be repeated. The items of an inbox are
// pushed, some at a time, so it is not known how many of a plan were pushed when its request
// failed.
//
// A plan that is refused does not stop the others, and is among the Errors of the answer, by
// its index in plans. An error stops the restore; the answer beside it counts the plans until
// then, beyond which more may have been restored.
func (p Plans) Restore(ctx context.Context, plans []schema.PlanCopy, onConflict schema.OnConflict) (*schema.Imported, error) {
	total := &schema.Imported{}
	for first := 0; first < len(plans); {
		request := schema.Restore{OnConflict: onConflict}
		size := 0
		for _, plan := range plans[first:min(len(plans), first+maxImportPlans)] {
			sent, err := plan.In(p.c.opts.Encoding)
			if err != nil {
				return total, fmt.Errorf("restore plan %d: %w", first+len(request.Plans), err)
			}
			size += len(sent.Plan.Raw()) + len(sent.Raw)*4/3 + len(sent.Record.Raw()) // base64, in JSON
			if sent.Items != nil {
				size += len(sent.Items.Items.Raw()) + (len(sent.Items.Raw)+len(sent.Items.RawData))*4/3
			}
			if size > maxImportBytes && len(request.Plans) > 0 {
				break
			}
			request.Plans = append(request.Plans, sent)
		}
		done, err := restorePlans(ctx, p.c, request)
		if err != nil {
			return total, err
		}
		tally(total, done, first)
		first += len(request.Plans)
	}
	return total, nil
}

// restorePlans makes one request, which may be repeated where existing plans are kept.
// With items it may not, because an inbox that got some of them would be kept with those,
// and the items of the next request would be there twice.
func restorePlans(ctx context.Context, c *Client, request schema.Restore) (*schema.Imported, error) {
	hasItems := slices.ContainsFunc(request.Plans, func(p schema.PlanCopy) bool { return p.Items != nil })
	if request.OnConflict == schema.ConflictKeep && !hasItems {
		return readOne[schema.Imported](ctx, c, plansGroup, "restore", request)
	}
	return change[schema.Imported](ctx, c, plansGroup, "restore", request)
}
