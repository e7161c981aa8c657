package front

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// lookingTime bounds the search for a page of a list, because a client waits five seconds by
// default. A page that runs out of it is short, and the next one goes on behind the last plan
// looked at. A leader without other load shows most of a million plans in that time.
const lookingTime = 2 * time.Second

// A page of plans that has looked at manyLooked ends after shortLook, because people wait for it:
// another one goes on. A short table is looked at whole, however slow the machine is.
const (
	manyLooked = 100_000
	shortLook  = 120 * time.Millisecond
)

// A position is one in a list of plans. It is a name, where the due place is zero or behind all
// that are due, and else the moment when a plan is due, its partition and its handle there.
type position struct {
	due       command.DuePlace
	partition int
	name      schema.PlanName
}

// positionOf returns the place of a plan of a partition.
func positionOf(due command.DuePlace, partition int, name schema.PlanName) position {
	if due.At == 0 {
		partition = 0 // the order is that of names
	}
	return position{due, partition, name}
}

func (a position) compare(b position) int {
	if a.due.Rest != b.due.Rest {
		if a.due.Rest {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(a.due.At, b.due.At), cmp.Compare(a.partition, b.partition),
		cmp.Compare(a.due.Handle, b.due.Handle), compareNames(a.name, b.name))
}

// in returns where the list of a partition goes on behind the place.
func (a position) in(partition int) position {
	switch {
	case a.due.At == 0 || partition == a.partition:
	case partition < a.partition:
		a.due.Handle = math.MaxUint32
	default:
		a.due.Handle = -1
	}
	return positionOf(a.due, partition, a.name)
}

// A merge reads the plans of all partitions as one list, by station, then id, or by due time.
type merge struct {
	ctx      context.Context //nolint:containedctx // a merge lives within one async handler
	front    *Front
	query    command.ListPlans // but for After
	sources  []*source
	short    bool      // a page that ends early is one that goes on
	late     time.Time // when the search for a page ends
	lookedAt int       // plans
	// end is set when the list ends early, because the next page begins behind it.
	end *position
}

// A source is one partition's part of the list, which comes in slices.
type source struct {
	partition int
	found     []namedView
	after     position // all that is not behind it was found
	more      bool     // plans lie behind after
	looked    bool
}

type namedView struct {
	command.PlanView
	position
}

// mergePlans reads the plans that look selects from all partitions, behind after. A look for
// one more plan than a page holds shows whether another page follows.
func (f *Front) mergePlans(ctx context.Context, query command.ListPlans, after schema.PlanName) *merge {
	return f.mergeFrom(ctx, query, position{name: after})
}

// mergeFrom is mergePlans in any order.
func (f *Front) mergeFrom(ctx context.Context, query command.ListPlans, after position) *merge {
	m := &merge{ctx: ctx, front: f, late: time.Now().Add(lookingTime), query: query}
	for p := range f.partitions() {
		m.sources = append(m.sources, &source{partition: p, after: after.in(p), more: true})
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
		if len(s.found) > 0 && (least == nil || s.found[0].compare(least.found[0].position) < 0) {
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
		if m.end == nil && m.looked() && m.isLate() {
			m.endAt(s.after)
			continue
		}
		if err := m.fetch(s); err != nil {
			return err
		}
		m.cut(s)
	}
}

// isLate reports that a page has been searched for long enough.
func (m *merge) isLate() bool {
	now := time.Now()
	return now.After(m.late) || m.short && m.lookedAt >= manyLooked && now.After(m.late.Add(shortLook-lookingTime))
}

// furthestBehind is the source that shows nothing, though there may be more, and has been read
// the least far; nil when there is none. Taking that one first lets all advance evenly, so
// that a list which ends early has advanced.
func (m *merge) furthestBehind() *source {
	var behind *source
	for _, s := range m.sources {
		if len(s.found) == 0 && s.more && (behind == nil || s.after.compare(behind.after) < 0) {
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
	query.After, query.Due = s.after.name, s.after.due
	slice, err := m.front.slice(m.ctx, s.partition, query)
	if err != nil {
		return err
	}
	for _, v := range slice.Plans {
		station, ok1 := v.Plan.Field("station").Text()
		id, ok2 := v.Plan.Field("plan_id").Text()
		if !ok1 || !ok2 {
			return fmt.Errorf("a plan behind %s has no name", s.after.name)
		}
		s.found = append(s.found, namedView{v, positionOf(v.Due, s.partition, schema.PlanName{Station: station, PlanID: id})})
	}
	m.lookedAt += slice.Looked
	s.after, s.more, s.looked = positionOf(slice.Due, s.partition, slice.Last), slice.More, true
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
func (m *merge) endAt(end position) {
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
	s.more = s.more && s.after.compare(*m.end) < 0
	for i, v := range s.found {
		if v.compare(*m.end) > 0 {
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
	return m.cursor(*m.end)
}

// cursor is that of the page behind a place.
func (m *merge) cursor(at position) string {
	if m.query.Filter.Order == schema.OrderDue {
		return dueCursor(at)
	}
	return planCursor(at.name)
}

// endName names the plan where a list by name ended early; nil: it is whole.
func (m *merge) endName() *schema.PlanName {
	if m.end == nil {
		return nil
	}
	return &m.end.name
}

// compareNames is the order of lists.
func compareNames(a, b schema.PlanName) int {
	return cmp.Or(cmp.Compare(a.Station, b.Station), cmp.Compare(a.PlanID, b.PlanID))
}
