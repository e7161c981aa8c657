package main

import (
	"context"
	"strings"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
)

// HTTP jobs and merge queues are plans whose ids are made from the names that people gave
// them. Commands accept both names, as in "http/nightly sync" and "queue/digest-789", and
// show both. A queue is at the station that its first push named, which may be any.

// knownBy lists the plans that STATION/ID may refer to, the likeliest first, because the id
// of one may be the name of another. It is empty when STATION/ID cannot be a plan's name.
func knownBy(arg string) (names []schema.PlanName) {
	station, name, _ := strings.Cut(arg, "/")
	if station == schema.HTTPStation && name != "" {
		return cronjob.Known(name)
	}
	if exact, err := schema.ParsePlanName(arg); err == nil {
		names = append(names, exact)
	}
	if name != "" && !queue.IsPlanID(name) && schema.CheckStation(station) == nil {
		names = append(names, schema.PlanName{Station: station, PlanID: queue.PlanID(name)})
		if station == queue.Station {
			names = append(names, schema.PlanName{Station: queue.HoldStation, PlanID: queue.PlanID(name)})
		}
	}
	return names
}

// typedAs returns the name of a plan as the user typed it, followed by its real name where that
// is another.
func typedAs(arg string, name schema.PlanName) string {
	if arg == name.String() {
		return arg
	}
	return arg + " (" + name.PlanID + ")"
}

func isOfQueues(station string) bool {
	return station == queue.Station || strings.HasPrefix(station, queue.Station+".")
}

// A namer looks up the names that people use, by the names of plans.
type namer struct {
	client *client.Client
	known  map[schema.PlanName]string
}

// mostKnown bounds the memory of a namer.
const mostKnown = 10_000

// name is a plan's name for people. A removed plan has its id alone.
func (n *namer) name(ctx context.Context, p schema.PlanName) schema.PlanName {
	if p.Station != schema.HTTPStation && !isOfQueues(p.Station) && !queue.IsPlanID(p.PlanID) {
		return p
	}
	known, is := n.known[p]
	if !is {
		if view, err := n.client.PlanNamed(p).Get(ctx); err == nil {
			known = view.DisplayName()
		}
		if n.known == nil || len(n.known) == mostKnown {
			n.known = map[schema.PlanName]string{}
		}
		n.known[p] = known
	}
	if known != "" {
		p.PlanID = known
	}
	return p
}
