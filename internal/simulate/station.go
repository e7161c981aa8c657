package simulate

import (
	"slices"
	"strconv"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A station has the workers of one station.
//
// They are as those of package worker: one that is busy is silent, except that it has the
// scheduler extend the time of an execution that takes longer than it may; one without a free
// place leaves the others in its queue, and begins none whose time to start has passed.
type station struct {
	name   string
	record *schema.Station // nil: it was never put
	places int             // executions at once; 0: enough
	busy   int
	queue  []*execution // of an api station: those that wait for a place, from head on
	head   int
	// claimers are the workers of a pull station.
	claimers []*claimer
	named    []string // the worker ids that plans name
	several  int      // the most workers that an execution takes
	seen     int64    // when the voters were announced
	most     int
	waits    map[string]int64 // the longest by cause, in microseconds
}

// A claimer is a worker that claims.
type claimer struct {
	station *station
	id      string
	limit   int // of a claim
	waiting bool
	busy    int
}

// Causes of waits.
const (
	waitWorker = "worker"
	waitRoom   = "room"
	waitTurn   = "turn"
)

func (w *world) stationOf(name string) *station {
	s := w.stations[name]
	if s == nil {
		s = &station{name: name, places: w.options.Workers[name], waits: map[string]int64{}, several: 1}
		w.stations[name] = s
		w.names = append(w.names, name)
	}
	return s
}

func (s *station) kind() schema.Kind {
	if s.record == nil || s.record.Kind == "" {
		return schema.KindAPI
	}
	return s.record.Kind
}

// expect prepares for the workers that a plan needs.
func (s *station) expect(p *schema.Plan) {
	s.several = max(s.several, int(p.WorkerCount))
	for _, id := range p.WorkerIDs {
		if !slices.Contains(s.named, id) {
			s.named = append(s.named, id)
		}
	}
}

// wait notes a wait in microseconds.
func (s *station) wait(cause string, micros int64) {
	if micros > 0 {
		s.waits[cause] = max(s.waits[cause], micros)
	}
}

// forgetClaims has no worker wait for its claim, because the machine that knew the claims is gone.
func (w *world) forgetClaims() {
	for _, s := range w.stations {
		for _, c := range s.claimers {
			c.waiting = false
		}
	}
}

// claimAll has the workers of the pull stations claim, those that do not wait for their claim.
func (w *world) claimAll() {
	for _, name := range w.names {
		s := w.stations[name]
		if s.kind() != schema.KindPull {
			continue
		}
		if s.claimers == nil {
			s.claimers = s.newClaimers()
		}
		for _, c := range s.claimers {
			w.claim(c)
		}
	}
}

// newClaimers are one worker for each place, or as many as the plans need at least.
func (s *station) newClaimers() (all []*claimer) {
	count, limit := s.places, 1
	if count == 0 {
		count, limit = s.several+len(s.named), schema.MaxClaim
	}
	for i := range count {
		id := "w" + strconv.Itoa(i+1)
		if i < len(s.named) {
			id = s.named[i]
		}
		all = append(all, &claimer{station: s, id: id, limit: limit})
	}
	return all
}

// claimWait is longer than any simulation, because a claim that ends without work is repeated.
const claimWait = 200 * 365 * 24 * time.Hour

// claim has a worker with a free place ask for work.
func (w *world) claim(c *claimer) {
	if c.waiting || w.down || c.limit == 1 && c.busy > 0 {
		return
	}
	c.waiting = true
	w.then(event.Ask{From: c, What: command.ClaimWork{
		WorkerID: c.id, Stations: []string{c.station.name}, Limit: c.limit, Wait: claimWait,
	}})
}

// granted has a worker begin the execution that it claimed.
func (w *world) granted(c *claimer, executions []*event.Outgoing) {
	c.waiting = false
	for _, out := range executions {
		x := w.arrived(out)
		if x == nil {
			continue
		}
		x.claimer = c
		c.busy++
		w.begin(x)
	}
	w.claim(c)
}

// dispatched has a worker of an api, vote or pub station get an execution.
func (w *world) dispatched(out *event.Outgoing) {
	x := w.arrived(out)
	if x == nil {
		return
	}
	s := x.plan.station
	switch {
	case out.Pub:
		w.begin(x)
		w.then(event.Dispatched{Name: out.Name, Incarnation: out.Incarnation, N: out.N})
	case out.Vote:
		x.voters = s.voters(x.plan)
		w.begin(x)
	case s.places > 0 && s.busy >= s.places:
		s.queue = append(s.queue, x)
	default:
		w.begin(x)
	}
}

// voters is how many workers answer a vote.
func (s *station) voters(p *plan) int {
	switch {
	case p.definition.Voters != nil && *p.definition.Voters > 0:
		return int(*p.definition.Voters)
	case s.record != nil && s.record.Voters != nil && *s.record.Voters > 0:
		return int(*s.record.Voters)
	}
	return max(s.places, 1)
}

// announceEvery is the interval in which voters announce themselves, in microseconds.
const announceEvery = int64(10 * time.Second / time.Microsecond)

// announce has the voters be present, before executions are sent to as many as there are.
func (w *world) announce() {
	for _, s := range w.votes {
		if s.seen != 0 && w.now < s.seen+announceEvery {
			continue
		}
		s.seen = w.now
		for i := range max(s.places, 1) {
			w.step(event.StationPresence{Worker: schema.Worker{WorkerID: "w" + strconv.Itoa(i+1)}, Station: s.name})
		}
	}
}

// free has the worker of an execution end its work on it, and take the next one.
func (w *world) free(x *execution) {
	s := x.plan.station
	if !x.holds {
		return
	}
	x.holds = false
	s.busy--
	if c := x.claimer; c != nil {
		c.busy--
		w.claim(c)
		return
	}
	for s.head < len(s.queue) && s.busy < s.places {
		next := s.queue[s.head]
		s.queue[s.head] = nil
		s.head++
		if !next.ended && (next.startBy == 0 || w.now <= next.startBy) {
			w.begin(next)
		}
	}
	if s.head == len(s.queue) {
		s.queue, s.head = s.queue[:0], 0
	}
}
