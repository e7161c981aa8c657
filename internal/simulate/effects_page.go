package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// mostNamed bounds the plans that the page names below the effects, all together.
const mostNamed = 20_000

// A shownEffect is a line of the page.
type shownEffect struct {
	Days, What, Where string
	Urgent            bool // it is a change of clocks that concerns plans
	Plans             string
	Outcome           string
	Groups            []shownGroup
	More              int // plans that are not named
}

// A shownGroup is the plans with one outcome.
type shownGroup struct {
	Outcome, Plans string
	Lines          []shownLine

	plans int
}

// A shownLine is plans of one station.
type shownLine struct{ Station, IDs string }

// shownEffects are the lines of the page, of which those behind a bound name no plans.
func shownEffects(all []*Effect) (shown []shownEffect) {
	named := 0
	for _, e := range all {
		s := shownEffect{
			Days: e.dayText(), Urgent: e.Kind != EffectCalendar && e.Plans > 0,
			Plans: fmt.Sprintf("%d of %d plans", e.Plans, e.Of), Outcome: e.Outcome.String(),
		}
		s.What, s.Where = e.texts()
		room := max(0, mostNamed-named)
		s.Groups = groupsOf(e.Concerned[:min(len(e.Concerned), room)])
		s.More = max(0, len(e.Concerned)-room)
		named += len(e.Concerned) - s.More
		shown = append(shown, s)
	}
	return shown
}

// dayText is the days of an effect, with the weekday of one.
func (e *Effect) dayText() string {
	first, err := time.Parse(time.DateOnly, e.Day)
	switch {
	case err != nil: // no effect has such a day
		return e.Day
	case e.Until == "":
		return first.Format("Mon 2006-01-02")
	}
	return fmt.Sprintf("%d days, %s to %s", e.Days, e.Day, e.Until)
}

// texts are the event, and its zone or calendar.
func (e *Effect) texts() (what, where string) {
	switch {
	case e.Kind == EffectGap:
		return "Clocks go forward, " + e.Clock.From + " to " + e.Clock.To, e.Zone
	case e.Kind == EffectOverlap:
		return "Clocks go back, " + e.Clock.From + " to " + e.Clock.To, e.Zone
	case e.Only:
		return "Not on " + e.Calendar, "only"
	case e.Window != "":
		return e.Window, e.Calendar
	}
	return cmp.Or(e.Name, e.Calendar), e.Calendar
}

// String is an outcome in words, the worst first; "nothing changes" for none.
func (o Outcome) String() string {
	var parts []string
	for _, part := range o.parts() {
		parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
	}
	if len(parts) == 0 {
		return "nothing changes"
	}
	return strings.Join(parts, ", ")
}

// A partOfOutcome is due times that become the same.
type partOfOutcome struct {
	n    int64
	word string
}

func (o *Outcome) parts() []partOfOutcome {
	all := []partOfOutcome{
		{o.Skipped, "skipped"}, {o.Twice, "run twice"}, {o.Merged, "merged into others"}, {o.Moved, "moved"}, {o.Once, "run once, at a time that is there twice"},
	}
	return slices.DeleteFunc(all, func(p partOfOutcome) bool { return p.n == 0 })
}

// groupsOf are plans by outcome, those of most plans first, and by station in them.
func groupsOf(concerned []Concern) (groups []shownGroup) {
	byOutcome := map[string][]Concern{}
	for _, c := range concerned {
		byOutcome[c.Outcome.String()] = append(byOutcome[c.Outcome.String()], c)
	}
	for outcome, plans := range byOutcome {
		g := shownGroup{Outcome: outcome + " each", Plans: fmt.Sprintf("%d plans", len(plans)), plans: len(plans)}
		if g.plans == 1 {
			g.Outcome, g.Plans = outcome, "1 plan"
		}
		for len(plans) > 0 { // which are in the order of their stations
			n := slices.IndexFunc(plans, func(c Concern) bool { return c.Station != plans[0].Station })
			if n < 0 {
				n = len(plans)
			}
			ids := make([]string, n)
			for i, c := range plans[:n] {
				ids[i] = c.PlanID
			}
			g.Lines = append(g.Lines, shownLine{plans[0].Station, strings.Join(ids, ", ")})
			plans = plans[n:]
		}
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b shownGroup) int {
		return cmp.Or(cmp.Compare(b.plans, a.plans), cmp.Compare(a.Outcome, b.Outcome))
	})
	return groups
}
