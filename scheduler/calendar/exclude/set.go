package exclude

import (
	"maps"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Set has the calendars of an installation, and the rules of its plans. The zero Set has none.
type Set struct {
	calendars map[string]*Calendar
	rules     map[key]*Rule
}

// A key has the parameters of a rule.
type key struct {
	exclude, only string // ids, with commas between them
	excluded      schema.WhenExcluded
	zone          string
	change        schema.ClockChange
}

// Get returns a calendar; nil: there is none of that id.
func (s *Set) Get(id string) *Calendar { return s.calendars[id] }

// Len returns the number of calendars.
func (s *Set) Len() int { return len(s.calendars) }

// IDs returns the ids of the calendars, in order.
func (s *Set) IDs() []string { return slices.Sorted(maps.Keys(s.calendars)) }

// Put has c take the place of the calendar of an id; nil takes it away. It returns the rules that
// this concerns, in a fixed order, as they were.
func (s *Set) Put(id string, c *Calendar) []Was {
	if s.calendars == nil {
		s.calendars = map[string]*Calendar{}
	}
	if c == nil {
		delete(s.calendars, id)
	} else {
		s.calendars[id] = c
	}
	var were []Was
	for _, r := range s.rules {
		if r.Names(id) {
			were = append(were, Was{Rule: r, Content: r.Content()})
			r.content = nil
		}
	}
	slices.SortFunc(were, func(a, b Was) int { return strings.Compare(a.Rule.order, b.Rule.order) })
	return were
}

// PutBack undoes a Put that returned were.
func (s *Set) PutBack(id string, before *Calendar, were []Was) {
	s.Put(id, before)
	for _, w := range were {
		w.Rule.content = w.Content
	}
}

// A Was is a rule as it was before a change of its calendars.
type Was struct {
	Rule    *Rule
	Content *Content
}

// RuleOf returns the rule of a plan; nil: it names no calendar. Plans with the same choices share
// one.
func (s *Set) RuleOf(p *schema.Plan) *Rule {
	if s == nil || !p.HasCalendars() {
		return nil
	}
	k := key{
		exclude: strings.Join(p.Exclude, ","), only: strings.Join(p.Only, ","),
		excluded: p.Excluded, zone: p.Timezone, change: p.ClockChange,
	}
	if r := s.rules[k]; r != nil {
		return r
	}
	if s.rules == nil {
		s.rules = map[key]*Rule{}
	}
	r := newRule(s, k, p)
	s.rules[k] = r
	return r
}

// Drop forgets a rule that no plan has any more.
func (s *Set) Drop(r *Rule) {
	if s.rules[r.key] == r {
		delete(s.rules, r.key)
	}
}

// Missing returns an error about the first calendar that a plan names and that does not exist,
// with the nearest one that does.
func (s *Set) Missing(p *schema.Plan) error {
	for _, of := range []struct {
		field string
		ids   []string
	}{{"exclude", p.Exclude}, {"only", p.Only}} {
		for _, id := range of.ids {
			if s.calendars[id] != nil {
				continue
			}
			message := of.field + " names calendar " + id + ", which does not exist"
			if near := wire.Nearest(id, maps.Keys(s.calendars)); near != "" {
				message += "; did you mean " + near + "?"
			} else {
				message += "; calendars.put makes one"
			}
			return &schema.Error{Code: schema.CodeInvalidPlan, Field: of.field, Message: message}
		}
	}
	return nil
}

// Apply returns a schedule with the calendars of its plan.
func (s *Set) Apply(of calendar.Schedule, p *schema.Plan) calendar.Schedule {
	if r := s.RuleOf(p); r != nil {
		return of.With(r.Exclusion())
	}
	return of
}
