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
	pasts     map[string][]Past // of those that were replaced
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

// Changed returns the ids of the calendars that have pasts, in order.
func (s *Set) Changed() []string { return slices.Sorted(maps.Keys(s.pasts)) }

// Put has c take the place of the calendar of an id, which was others before; nil takes it away. It
// returns the rules that this concerns, in a fixed order, as they were.
func (s *Set) Put(id string, c *Calendar, pasts ...Past) []Was {
	if s.calendars == nil {
		s.calendars, s.pasts = map[string]*Calendar{}, map[string][]Past{}
	}
	were := s.Naming(id)
	delete(s.calendars, id)
	delete(s.pasts, id)
	if c != nil {
		s.calendars[id] = c
	}
	if len(pasts) > 0 {
		s.pasts[id] = pasts
	}
	for _, w := range were {
		w.Rule.content = nil
	}
	return were
}

// PutBack undoes a Put that returned were.
func (s *Set) PutBack(id string, before *Calendar, pasts []Past, were []Was) {
	s.Put(id, before, pasts...)
	for _, w := range were {
		w.Rule.content = w.Content
	}
}

// Naming are the rules that name a calendar, in a fixed order, as they are.
func (s *Set) Naming(id string) (all []Was) {
	for _, r := range s.rules {
		if r.Names(id) {
			all = append(all, Was{Rule: r, Content: r.Content()})
		}
	}
	slices.SortFunc(all, func(a, b Was) int { return strings.Compare(a.Rule.order, b.Rule.order) })
	return all
}

// A Was is a rule with its content at a time, such as before a change of its calendars.
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
