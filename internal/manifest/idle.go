package manifest

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// idleFields collects fields of plans without an effect at their stations, because of the
// station's kind. Each is reported once for a station and a field, because a file may have
// thousands of plans.
type idleFields struct {
	kinds map[string]schema.Kind // of stations; empty: unknown
	plans map[idleAt][]string
}

type idleAt struct{ station, field, kinds string }

// kinds are the kinds of the set's stations.
func (s *Set) kinds() map[string]schema.Kind {
	kinds := map[string]schema.Kind{}
	for _, v := range s.Stations {
		name, _ := v.Field("station").Text()
		kind, given := v.Field("kind").Text()
		if !given {
			kind = string(schema.KindAPI)
		}
		kinds[name] = schema.Kind(kind)
	}
	return kinds
}

// look collects the fields of a plan without an effect.
func (i *idleFields) look(ctx context.Context, c *client.Client, plan wire.Value) {
	if len(schema.IdleAt(plan, "")) == 0 {
		return // none depends on the kind
	}
	name := nameOf(plan)
	kind, known := i.kinds[name.Station]
	if !known {
		switch found, err := c.Stations().Get(ctx, name.Station); {
		case err == nil:
			kind = found.Kind
		case isNotFound(err):
			kind = schema.KindAPI
		}
		i.kinds[name.Station] = kind
	}
	if kind == "" {
		return
	}
	for _, f := range schema.IdleAt(plan, kind) {
		if i.plans == nil {
			i.plans = map[idleAt][]string{}
		}
		at := idleAt{name.Station, f.Name, f.For}
		i.plans[at] = append(i.plans[at], name.String())
	}
}

// report passes the collected fields to o.Note.
func (i *idleFields) report(o Options) {
	order := func(a, b idleAt) int { return strings.Compare(a.station+" "+a.field, b.station+" "+b.field) }
	for _, at := range slices.SortedFunc(maps.Keys(i.plans), order) {
		report(o.Note, "%s does nothing at station %s, which is of kind %s: it is for stations of kind %s (%s)",
			at.field, at.station, i.kinds[at.station], at.kinds, Few(i.plans[at]))
	}
}
