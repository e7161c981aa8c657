package admission

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Wants computes the queues that p belongs in. Of the queues themselves it reads only whether p
// stands in the line of its station, and whether other plans do only where p's next occurrence
// is to be skipped at a station without room (see [AsksForRoom]).
func Wants(m *partition.Partition, p *state.Plan, now unit.Moment) waiting.Wants {
	w := waiting.Wants{Ends: nextEnd(m, p), Opens: NextTurn(m, p)}
	pull, missed := p.Station.IsPull(), false
	for i, o := range p.Open {
		w.Live += int64(len(o.Live))
		for _, x := range o.Live {
			missed = missed || x.Misses > 0
		}
		at := p.StartsAt(o)
		switch {
		case at == 0 || causeInPlan(m, p, o, at, at) != free:
		case pull && at <= now:
			w.Claims = append(w.Claims, waiting.Start{Entry: i, At: at})
		default:
			w.Starts = unit.Sooner(w.Starts, at)
			w.Turn = w.Turn || !pull && at <= now
		}
	}
	if missed {
		w.Undelivered = awaited(m, p)
	}
	return w
}

// nextEnd is when an execution of p ends or is sent again.
func nextEnd(m *partition.Partition, p *state.Plan) (at unit.Moment) {
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Retry != 0 && p.IsBlamed() {
				continue // it is not sent until a person has acted
			}
			at = unit.Sooner(at, x.EndsAt())
		}
	}
	if p.Inbox != nil && !p.AtWork() {
		at = unit.Sooner(at, p.Inbox.AbandonedAt())
	}
	if p.IsGone() && !p.IsOut() {
		at = m.Since // the rest is to be skipped at once
	}
	return at
}

// awaited are the workers that p waits for because an execution had no responders: the named
// workers, or else any of its station.
func awaited(m *partition.Partition, p *state.Plan) []waiting.Awaited {
	named := m.Named(p)
	if len(named) == 0 {
		return []waiting.Awaited{{Name: p.Name.Station}}
	}
	all := make([]waiting.Awaited, len(named))
	for i, id := range named {
		all[i] = waiting.Awaited{Worker: true, Name: id}
	}
	return all
}

// AsksForRoom reports that the verdict on p's next occurrence depends on whether its station has
// room at the moment, because it is skipped if there is none. Such a plan is not looked at
// because of others, so its timer may be that of its last look.
func AsksForRoom(m *partition.Partition, p *state.Plan) bool {
	return p.Next.K != 0 && len(p.Open) > 0 && m.Limit(p.Station) > 0 && m.TermsOf(p).Concurrency == schema.FullSkip
}
