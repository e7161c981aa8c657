package front

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// lookingTime bounds the search for a page of a list, because a client waits five seconds by
// default. A page that runs out of it is short, and the next one goes on behind the last plan
// looked at. A leader without other load shows most of a million plans in that time.
const lookingTime = 2 * time.Second

// A merge reads the plans of all partitions as one list, by station, then id.
type merge struct {
	ctx     context.Context //nolint:containedctx // a merge lives within one async handler
	front   *Front
	query   command.ListPlans // but for After
	sources []*source
	late    time.Time // when the search for a page ends
	// end is set when the list ends early: behind it the next page begins.
	end *schema.PlanName
}

// A source is one partition's part of the list, which comes in slices.
type source struct {
	partition int
	found     []namedView
	after     schema.PlanName // all that is not behind it was found
	more      bool            // plans lie behind after
	looked    bool
}

type namedView struct {
	command.PlanView
	name schema.PlanName
}

// mergePlans reads the plans that look selects from all partitions, behind after. A look for
// one more plan than a page holds shows whether another page follows.
func (f *Front) mergePlans(ctx context.Context, query command.ListPlans, after schema.PlanName) *merge {
	m := &merge{ctx: ctx, front: f, late: time.Now().Add(lookingTime), query: query}
	for p := range f.partitions() {
		m.sources = append(m.sources, &source{partition: p, after: after, more: true})
	}
	return m
}

// finds reports whether look finds a plan.
func (f *Front) finds(ctx context.Context, query command.ListPlans) (bool, error) {
	query.Limit = 1
	_, some, err := f.mergePlans(ctx, query, schema.PlanName{}).next()
	return some, err
}

// next returns the next plan; false when there is none, or the list has ended early.
func (m *merge) next() (namedView, bool, error) {
	if err := m.fill(); err != nil {
		return namedView{}, false, err
	}
	var least *source
	for _, s := range m.sources {
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

// fill loads every source that shows no plan, because the least plan is known only if each
// shows its first one.
func (m *merge) fill() error {
	for {
		s := m.furthestBehind()
		if s == nil {
			return nil
		}
		if m.end == nil && m.looked() && time.Now().After(m.late) {
			m.endAt(s.after)
			continue
		}
		if err := m.fetch(s); err != nil {
			return err
		}
		m.cut(s)
	}
}

// furthestBehind is the source that shows nothing, though there may be more, and has been read
// the least far; nil when there is none. Taking that one first lets all advance evenly, so
// that a list which ends early has advanced.
func (m *merge) furthestBehind() *source {
	var behind *source
	for _, s := range m.sources {
		if len(s.found) == 0 && s.more && (behind == nil || compareNames(s.after, behind.after) < 0) {
			behind = s
		}
	}
	return behind
}

// looked reports that every source has been read. An early end where the list began would make
// the next page begin there, too.
func (m *merge) looked() bool {
	return !slices.ContainsFunc(m.sources, func(s *source) bool { return !s.looked })
}

// fetch reads one slice of a source.
func (m *merge) fetch(s *source) error {
	query := m.query
	query.After = s.after
	slice, err := m.front.slice(m.ctx, s.partition, query)
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
	s.after, s.more, s.looked = slice.Last, slice.More, true
	return nil
}

// slice asks for one slice, when fewer than maxListReads others are under way.
func (f *Front) slice(ctx context.Context, partition int, c command.ListPlans) (command.PlanSlice, error) {
	select {
	case f.listReads <- struct{}{}:
		defer func() { <-f.listReads }()
	case <-ctx.Done():
		return command.PlanSlice{}, context.Cause(ctx)
	}
	return ask[command.PlanSlice](ctx, f, partition, c)
}

// endAt ends the list early. Sources that have not been read so far are read up to there,
// because only a plan that they showed held them back.
func (m *merge) endAt(end schema.PlanName) {
	m.end = &end
	for _, s := range m.sources {
		m.cut(s)
	}
}

// cut removes from a source the plans behind the end of the list.
func (m *merge) cut(s *source) {
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

// compareNames is the order of lists.
func compareNames(a, b schema.PlanName) int {
	return cmp.Or(cmp.Compare(a.Station, b.Station), cmp.Compare(a.PlanID, b.PlanID))
}
