package main

import (
	"context"
	"strings"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/cronjob"
	"github.com/stationmaster-io/stationmaster/queue"
	"github.com/stationmaster-io/stationmaster/schema"
)

// HTTP jobs and merge queues are plans whose ids are made of the names that people gave them.
// Commands take either, as in "http/nightly sync" and "queue/digest-789", and show both.

// byKnownName turns the name that people know a plan by into that of the plan.
func byKnownName(arg string) string {
	station, name, _ := strings.Cut(arg, "/")
	switch {
	case station == schema.HTTPStation && name != "":
		return station + "/" + cronjob.IDOf(name)
	case isOfQueues(station) && name != "" && !strings.HasPrefix(name, "q_"):
		return station + "/" + queue.PlanID(name)
	default:
		return arg
	}
}

func isOfQueues(station string) bool {
	return station == queue.Station || strings.HasPrefix(station, queue.Station+".")
}

// knownAs is the name that people know a plan by, if it is not its id.
func knownAs(v *schema.PlanView) string {
	if v.State.Inbox != nil && v.State.Inbox.Key != "" {
		return v.State.Inbox.Key
	}
	return schema.KnownAs(v.Plan)
}

// A namer finds out what people know plans by, of which only the name is at hand.
type namer struct {
	client *client.Client
	known  map[schema.PlanName]string
}

// mostKnown bounds what a namer remembers.
const mostKnown = 10_000

// name is that of a plan for people. One that is gone has its id alone.
func (n *namer) name(ctx context.Context, p schema.PlanName) schema.PlanName {
	if p.Station != schema.HTTPStation && !isOfQueues(p.Station) {
		return p
	}
	known, is := n.known[p]
	if !is {
		if view, err := n.client.Get(ctx, p); err == nil {
			known = knownAs(view)
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
