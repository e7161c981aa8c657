package front

import (
	"context"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/ahead"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// list answers with plans by station, then id.
func (ps plans) list(r *request) error {
	var q schema.ListPlans
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkList(&q); err != nil {
		return err
	}
	parse := parsePosition
	if q.Order == schema.OrderDue {
		parse = parseDuePlace
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parse)
	if err != nil {
		return err
	}
	asked := q
	q.Limit, q.Cursor, q.Words, q.Total = 0, "", "", false
	return r.async(func(ctx context.Context) (any, error) {
		page := newPage(r.enc, "plans", limit)
		page.tells = true
		if asked.Total {
			if page.total, err = ps.front.countPlans(ctx, q); err != nil {
				return nil, err
			}
		}
		return ps.front.planPageFrom(ctx, page, command.ListPlans{Filter: q}, after, func(enc wire.Encoding, v command.PlanView) (wire.Value, error) {
			return ps.entry(enc, v, &asked)
		})
	})
}

// A count is how many plans match a list.
type count struct {
	plans   int64
	partial bool // there are more
}

// countPlans counts the plans that match, for no longer than lookingTime.
func (f *Front) countPlans(ctx context.Context, q schema.ListPlans) (*count, error) {
	total, late := &count{}, time.Now().Add(lookingTime)
	q.Order = ""
	for p := range f.partitions() {
		query := command.ListPlans{Filter: q, Limit: maxLimit, Count: true}
		for more := true; more; {
			if time.Now().After(late) {
				total.partial = true
				return total, nil
			}
			slice, err := f.slice(ctx, p, query)
			if err != nil {
				return nil, err
			}
			total.plans += slice.Count
			query.After, more = slice.Last, slice.More
		}
	}
	return total, nil
}

// planPage fills a page with the plans behind after, each as entry encodes it, and leaves out
// those for which entry returns the zero value.
func (f *Front) planPage(ctx context.Context, page *page, query command.ListPlans, after schema.PlanName,
	entry func(wire.Encoding, command.PlanView) (wire.Value, error),
) (any, error) {
	return f.planPageFrom(ctx, page, query, position{name: after}, entry)
}

// planPageFrom is planPage in any order.
func (f *Front) planPageFrom(ctx context.Context, page *page, query command.ListPlans, after position,
	entry func(wire.Encoding, command.PlanView) (wire.Value, error),
) (any, error) {
	query.Limit = page.limit + 1
	m := f.mergeFrom(ctx, query, after)
	m.short = true
	for {
		view, more, err := m.next()
		if err != nil {
			return nil, err
		}
		if !more {
			if m.end != nil && page.tells {
				page.lookedAt = m.lookedAt
			}
			return page.end(m.resume()), nil
		}
		shown, err := entry(page.enc, view.PlanView)
		if err != nil {
			return nil, err
		}
		if !shown.IsZero() && !page.add(shown) {
			return page.end(m.cursor(after)), nil
		}
		after = view.position
	}
}

// entry encodes a plan as an entry of a page. The page with the plan must fit into a message,
// so a plan that is too large in this encoding is cut; otherwise the plans behind it could not
// be listed.
func (ps plans) entry(enc wire.Encoding, view command.PlanView, q *schema.ListPlans) (wire.Value, error) {
	defer ps.front.sides[reading].hold()()
	if q.Words != "" {
		view.Words = ahead.Words(&view, q.Words)
	}
	if q.Fields == schema.FieldsBrief {
		view.KnownAs = view.DisplayName()
		view.Plan = without(view.Plan, "messages", "ext")
	} else {
		view.Plan = schema.HidePlan(view.Plan)
	}
	entry, err := wire.ValueOf(enc, view.PlanView)
	if excess := len(entry.Raw()) - ps.front.mostEntry(); err == nil && excess > 0 {
		view.Plan = view.Plan.In(enc)
		view.Plan = shorten(view.Plan, len(view.Plan.Raw())-excess)
		return wire.ValueOf(enc, view.PlanView)
	}
	return entry, err
}

// checkList checks the filters of plans.list.
func (r *request) checkList(q *schema.ListPlans) error {
	if q.Station != "" {
		if err := r.checkStationFilter(q.Station); err != nil {
			return err
		}
	}
	for _, s := range q.Status {
		if err := among(r, schema.Words("status"), "status", s); err != nil {
			return err
		}
	}
	for _, w := range q.Waits {
		if err := among(r, schema.Words("waits"), "waits", w); err != nil {
			return err
		}
	}
	if q.PlanType != "" {
		if err := among(r, schema.Words("plan_type"), "plan_type", string(q.PlanType)); err != nil {
			return err
		}
	}
	for _, w := range []struct{ field, given, word string }{{"order", q.Order, schema.OrderDue}, {"fields", q.Fields, schema.FieldsBrief}} {
		if w.given != "" {
			if err := among(r, []string{w.word}, w.field, w.given); err != nil {
				return err
			}
		}
	}
	if q.Words != "" {
		if err := among(r, schema.Langs(), "words", q.Words); err != nil {
			return err
		}
	}
	if len(q.Prefix) > maxSearch {
		return r.invalid("prefix", "prefix has %d bytes; at most %d are looked for", len(q.Prefix), maxSearch)
	}
	if len(q.Text) > maxSearch {
		return r.invalid("text", "text has %d bytes; at most %d are looked for", len(q.Text), maxSearch)
	}
	if !q.DueFrom.IsZero() && !q.DueBefore.IsZero() && !q.DueFrom.Before(q.DueBefore) {
		return r.invalid("due_before", "due_before is not after due_from; no plan is due in between")
	}
	return nil
}

func (r *request) checkStationFilter(station string) error {
	if err := schema.CheckStation(strings.TrimSuffix(station, ".>")); err != nil {
		return r.invalid("station", "station %v; a filter is a station, or a prefix that ends in .>", err)
	}
	return nil
}

// maxSearch bounds the text of a search, in bytes.
const maxSearch = 256
