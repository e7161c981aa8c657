package view

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Filter is what a list asks for, made ready to be held against a million plans.
// What it asks of a definition it reads from the bytes, member by member: to decode
// one would cost more than all the rest of a list.
type Filter struct {
	ask   *schema.ListPlans
	now   unit.Moment
	Reads bool // it asks for something in the definition
	tasks bool // it asks for tasks alone

	station string
	below   bool // all stations below it are meant

	texts []wantedText
	text  string // in lower case; empty: any
}

// wantedText is a member of a definition and what it must be.
type wantedText struct{ name, is string }

func NewFilter(look *schema.LookPlans, now unit.Moment) *Filter {
	ask := &look.Filter
	f := &Filter{ask: ask, now: now, text: inLower(ask.Text), tasks: look.Tasks}
	f.station, f.below = CutWildcard(ask.Station)
	for _, w := range []wantedText{
		{"caller", ask.Caller}, {"tenant_id", ask.TenantID}, {"category", ask.Category},
		{"creator", ask.Creator},
	} {
		if w.is != "" {
			f.texts = append(f.texts, w)
		}
	}
	f.Reads = f.tasks || len(f.texts) > 0 || f.text != "" || ask.PlanType != "" || len(ask.Labels) > 0
	return f
}

// Matches holds f against p. What costs nothing is asked first.
func (f *Filter) Matches(p *state.Plan) bool {
	switch {
	case f.below && !inStation(p.Name.Station, f.station),
		!f.below && f.station != "" && p.Name.Station != f.station,
		len(f.ask.Status) > 0 && !slices.Contains(f.ask.Status, string(p.Status())),
		!f.isDue(p):
		return false
	}
	return !f.Reads || f.MatchesDefinition(p)
}

// isDue holds the times that f asks for against the next due time as it is shown. A
// plan that has none is due at no time.
func (f *Filter) isDue(p *state.Plan) bool {
	from, before := f.ask.DueFrom, f.ask.DueBefore
	if from.IsZero() && before.IsZero() {
		return true
	}
	due := NextDue(p, f.now)
	return !due.IsZero() && !due.Before(from) && (before.IsZero() || due.Before(before))
}

func (f *Filter) MatchesDefinition(p *state.Plan) bool {
	definition := wire.Trust(p.Enc, p.Raw)
	if f.tasks && !p.IsTask() {
		return false
	}
	for _, w := range f.texts {
		if got, _ := definition.Field(w.name).Text(); got != w.is {
			return false
		}
	}
	if len(f.ask.Labels) > 0 && !schema.HasLabels(definition.Field("labels"), f.ask.Labels) {
		return false
	}
	if f.text != "" && !f.holdsText(p.Name.PlanID, definition) {
		return false
	}
	return f.ask.PlanType == "" || typeOf(definition) == f.ask.PlanType
}

// typeOf reads the plan_type, a word or the seed's number.
func typeOf(definition wire.Value) schema.PlanType {
	t := schema.TypeNone
	if v := definition.Field("plan_type"); !v.IsZero() {
		_ = t.DecodeWire(v) // it was checked when the plan came
	}
	return t
}

// holdsText looks for the text in what people know a plan by.
func (f *Filter) holdsText(id string, definition wire.Value) bool {
	if containsFold(id, f.text) {
		return true
	}
	for _, name := range [...]string{"command", "request_id", "description"} {
		if s, ok := definition.Field(name).Text(); ok && containsFold(s, f.text) {
			return true
		}
	}
	return containsFold(schema.KnownAs(definition), f.text)
}

// containsFold reports whether s holds text, which is in lower case. Only ASCII
// letters have cases here.
func containsFold(s, text string) bool {
	for i := 0; i+len(text) <= len(s); i++ {
		n := 0
		for n < len(text) && lower(s[i+n]) == text[n] {
			n++
		}
		if n == len(text) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// inLower is s with ASCII letters in lower case.
func inLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}

// CutWildcard splits the filter "a.>" into "a" and true.
func CutWildcard(station string) (string, bool) {
	if n := len(station) - 2; n > 0 && station[n:] == ".>" {
		return station[:n], true
	}
	return station, false
}

// inStation reports whether station lies below prefix, token by token.
func inStation(station, prefix string) bool {
	return len(station) > len(prefix) && station[len(prefix)] == '.' && station[:len(prefix)] == prefix
}
