package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// mostWorkers bounds the workers that are counted at a station.
const mostWorkers = 1000

// usedStations shows the next stations that were put or have plans, or one, with their counters.
func usedStations(t *turn, c command.ListStations) (out command.StationSlice) {
	names := []string{c.Station}
	if c.Station == "" {
		if names = stationNames(t.m, c.After, c.Limit+1); len(names) > c.Limit {
			names, out.More = names[:c.Limit], true
		}
	}
	for _, name := range names {
		used := schema.UsedStation{Station: schema.Station{Station: name}, StationUse: schema.StationUse{Stats: stationStats(t, name)}}
		if s := t.Stations[name]; s != nil && s.Record != nil {
			used.Station, used.Put = *s.Record, true
		}
		out.Used = append(out.Used, used)
	}
	return out
}

// stationNames are the first names, at most so many, behind one of the stations that were put or have
// plans. Stations with plans are found by leaps through the list of plans.
func stationNames(m *Machine, after string, most int) (names []string) {
	for name, s := range m.part.Stations {
		if s.Record != nil && name > after {
			names = append(names, name)
		}
	}
	at := after
	for range most {
		found := false
		// No name of a station holds a zero byte, so that this one lies before the next station.
		m.part.Sorted.Ascend(&state.Plan{Name: schema.PlanName{Station: at + "\x00"}}, func(p *state.Plan) bool {
			at, found = p.Name.Station, true
			return false
		})
		if !found {
			break
		}
		names = append(names, at)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), most)]
}

// stationStats has the counters of a station.
func stationStats(t *turn, name string) schema.StationStats {
	out := schema.StationStats{
		Station: name, Workers: t.Registry.Count(name, mostWorkers, t.Now),
		Waiting: map[schema.WaitFor]int64{}, Results: map[string]schema.ResultCounts{},
	}
	var hour tally.Slot
	counts := t.Book.Find(name)
	s := t.Stations[name]
	if counts != nil {
		out.Waiting, hour = counts.Waiting.Shown(), counts.Last(t.Now, tally.Minute, 60)
	}
	if s != nil {
		out.Plans, out.UnderWay = int64(s.Plans), s.UnderWay
		out.OldestWait = oldestWait(t, s).Time()
		out.Shared = s.Counts == &t.Book.Rest
	}
	out.Results["1h"] = schema.ResultCounts{States: hour.ByState(), Reasons: hour.ByReason()}
	return out
}

// oldestWait is since when an execution at s waits for room, a worker or a claim, by the heads of
// these queues; 0: none does.
func oldestWait(t *turn, s *state.Station) unit.Moment {
	at := s.Line.Oldest()
	if h, waits := t.Undelivered.First(waiting.Awaited{Name: s.Name}); waits {
		at = unit.Sooner(at, waitsSince(t, t.Handles.Of(h)))
	}
	if s.Claimable == nil {
		return at
	}
	for _, list := range []*state.OfferList{s.Claimable.Any, s.Claimable.Reserved} {
		if of, waits := list.Min(); waits {
			at = unit.Sooner(at, of.P.StartsAt(of.O))
		}
	}
	return at
}

// waitsSince is since when p waits; 0: it does not.
func waitsSince(t *turn, p *state.Plan) unit.Moment {
	if w := admission.WaitsOf(t.Partition, p, t.Now); w != nil {
		return unit.MomentOf(w.Since)
	}
	return 0
}
