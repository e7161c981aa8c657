package front

import (
	"cmp"
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
)

// maxLooks bounds the looks of one list: some 400,000 plans that do not match. The
// page is short then, and goes on behind what was looked at.
const maxLooks = 200

// A merge reads the plans of all partitions as one list, by station, then id.
type merge struct {
	ctx     context.Context //nolint:containedctx // a merge lives within one talk
	front   *Front
	look    schema.LookPlans // but for After
	shelves []*shelf
	looks   int
	// end is set when the list ends early: behind it the next page begins.
	end *schema.PlanName
}

// A shelf is one partition's part of the list, which comes in slices.
type shelf struct {
	partition int
	found     []namedView
	after     schema.PlanName // whatever is not behind it was found
	more      bool            // plans lie behind after
}

type namedView struct {
	schema.PlanView
	name schema.PlanName
}

func (f *Front) mergePlans(ctx context.Context, filter schema.ListPlans, limit int, after schema.PlanName) *merge {
	// One more than the page holds tells whether another page follows.
	m := &merge{ctx: ctx, front: f, look: schema.LookPlans{Filter: filter, Limit: limit + 1}}
	for p := range f.partitions() {
		m.shelves = append(m.shelves, &shelf{partition: p, after: after, more: true})
	}
	return m
}

func (f *Front) partitions() int { return max(f.config.Space.Partitions, 1) }

// next returns the next plan; false when there is none, or looking has ended.
func (m *merge) next() (namedView, bool, error) {
	if err := m.fill(); err != nil {
		return namedView{}, false, err
	}
	var least *shelf
	for _, s := range m.shelves {
		if len(s.found) > 0 && (least == nil || compareNames(s.found[0].name, least.found[0].name) < 0) {
			least = s
		}
	}
	if least == nil {
		return namedView{}, false, nil
	}
	first := least.found[0]
	least.found = least.found[1:]
	return first, true, nil
}

// fill sees to it that every shelf shows its first plan: without it nobody knows
// which one is the least.
func (m *merge) fill() error {
	for {
		s := m.furthestBehind()
		if s == nil {
			return nil
		}
		if m.end == nil && m.looks == maxLooks+len(m.shelves) {
			m.endAt(s.after)
			continue
		}
		m.looks++
		if err := m.fetch(s); err != nil {
			return err
		}
		m.cut(s)
	}
}

// furthestBehind is the shelf that shows nothing, though there may be something, and
// was looked at the least far; nil when there is none. Taking that one first lets all
// come on evenly, so that a list which ends early has come on.
func (m *merge) furthestBehind() *shelf {
	var behind *shelf
	for _, s := range m.shelves {
		if len(s.found) == 0 && s.more && (behind == nil || compareNames(s.after, behind.after) < 0) {
			behind = s
		}
	}
	return behind
}

// fetch takes one look at a shelf.
func (m *merge) fetch(s *shelf) error {
	look := m.look
	look.After = s.after
	slice, err := ask[schema.PlanSlice](m.ctx, m.front, s.partition, look)
	if err != nil {
		return err
	}
	for _, v := range slice.Plans {
		station, ok1 := v.Plan.Field("station").Text()
		id, ok2 := v.Plan.Field("plan_id").Text()
		if !ok1 || !ok2 {
			return fmt.Errorf("a plan behind %s has no name", s.after)
		}
		s.found = append(s.found, namedView{v, schema.PlanName{Station: station, PlanID: id}})
	}
	s.after, s.more = slice.Last, slice.More
	return nil
}

// endAt ends the list early. Shelves that were not looked at so far still come up to
// there: they were held back by a plan that they showed.
func (m *merge) endAt(end schema.PlanName) {
	m.end = &end
	for _, s := range m.shelves {
		m.cut(s)
	}
}

// cut takes from a shelf what lies behind the end of the list.
func (m *merge) cut(s *shelf) {
	if m.end == nil {
		return
	}
	s.more = s.more && compareNames(s.after, *m.end) < 0
	for i, v := range s.found {
		if compareNames(v.name, *m.end) > 0 {
			s.found = s.found[:i]
			return
		}
	}
}

// resume is the cursor behind a list that ended early; empty when it is whole.
func (m *merge) resume() string {
	if m.end == nil {
		return ""
	}
	return planCursor(*m.end)
}

// compareNames is the order of lists (PROTOCOL A).
func compareNames(a, b schema.PlanName) int {
	return cmp.Or(cmp.Compare(a.Station, b.Station), cmp.Compare(a.PlanID, b.PlanID))
}
