package view

import (
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Filter is the criteria of a list, prepared for matching a million plans. It reads the
// members of a definition from the bytes, one by one, because decoding a definition would cost
// more than the rest of a list.
type Filter struct {
	ask   *schema.ListPlans
	now   unit.Moment
	Reads bool // it has criteria on the definition
	tasks bool // it selects tasks alone

	station string
	below   bool // it selects all stations below station
	prefix  Prefix

	texts []wantedText
	text  string // in lower case; empty: any
}

// wantedText is a member of a definition and its required value.
type wantedText struct{ name, is string }

// NewFilter prepares the criteria of a list at a moment.
func NewFilter(query *command.ListPlans, now unit.Moment) *Filter {
	ask := &query.Filter
	f := &Filter{ask: ask, now: now, text: inLower(ask.Text), tasks: query.Tasks}
	f.station, f.below = CutWildcard(ask.Station)
	f.prefix = NewPrefix(ask.Prefix)
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

// Matches reports that p meets the criteria. The cheap ones are checked first.
func (f *Filter) Matches(p *state.Plan) bool {
	switch {
	case f.below && !inStation(p.Name.Station, f.station),
		!f.below && f.station != "" && p.Name.Station != f.station,
		!f.prefix.Has(p.Name),
		len(f.ask.Status) > 0 && !slices.Contains(f.ask.Status, string(p.Status())),
		!f.isDue(p):
		return false
	}
	return !f.Reads || f.MatchesDefinition(p)
}

// isDue checks the next due time, as shown, against the interval of f. A plan without one is
// not due.
func (f *Filter) isDue(p *state.Plan) bool {
	from, before := f.ask.DueFrom, f.ask.DueBefore
	if from.IsZero() && before.IsZero() {
		return true
	}
	due := state.NextDue(p, f.now)
	return !due.IsZero() && !due.Before(from) && (before.IsZero() || due.Before(before))
}

// MatchesDefinition reports that p's definition meets the criteria.
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

// typeOf returns the plan_type, which is a name or a number.
func typeOf(definition wire.Value) schema.PlanType {
	t := schema.TypeNone
	if v := definition.Field("plan_type"); !v.IsZero() {
		_ = t.DecodeWire(v) // it was checked when the plan was published
	}
	return t
}

// holdsText searches the text in the names by which users know a plan.
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

// A Prefix is the begin of "station/plan_id" of plans, which is a whole station and the begin of
// an id, or the begin of a station.
type Prefix struct {
	station, id string
	whole       bool
}

// NewPrefix takes a prefix apart. No station has a slash.
func NewPrefix(text string) Prefix {
	station, id, whole := strings.Cut(text, "/")
	return Prefix{station, id, whole}
}

// Has reports that a name begins with the prefix.
func (x Prefix) Has(n schema.PlanName) bool {
	if x.whole {
		return n.Station == x.station && strings.HasPrefix(n.PlanID, x.id)
	}
	return strings.HasPrefix(n.Station, x.station)
}

// First is the least name that may have the prefix. All names that have it follow each other.
func (x Prefix) First() schema.PlanName { return schema.PlanName{Station: x.station, PlanID: x.id} }
