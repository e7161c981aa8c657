package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// workers are the workers of all stations, whether NATS knows their subscriptions or not.
type workers struct {
	w      *world
	absent map[string]bool // stations without workers at the moment
	groups map[string][]*worker
}

// groupSize is how many workers a station has.
const groupSize = 3

func newWorkers(w *world) *workers {
	all := &workers{w: w, absent: map[string]bool{}, groups: map[string][]*worker{}}
	served := slices.Clone(stationNames)
	for _, s := range stationNames {
		served = append(served, schema.CallbackPlanOf(schema.PlanName{Station: s}).Station)
	}
	for _, s := range served {
		for i := range groupSize {
			id := fmt.Sprintf("%s-%d", strings.ReplaceAll(s, ".", "_"), i)
			if i == 1 {
				id += strings.Repeat("w", schema.MaxName-len(id))
			}
			all.groups[s] = append(all.groups[s], &worker{w: w, id: id, station: s, runs: map[execID]*effort{}})
		}
	}
	return all
}

// desert takes the workers of a station away for a while; their records announce their return.
func (all *workers) desert() {
	station := one(all.w, stationNames...)
	all.w.note("%s has no workers", station)
	all.absent[station] = true
	for _, k := range all.groups[station] {
		for _, e := range k.runs {
			e.stopped = true // the worker died of it
		}
		if all.w.rng.IntN(3) == 0 { // its record has run out
			all.announce(event.WorkerSeen{Worker: schema.Worker{WorkerID: k.id}, Gone: true})
		}
	}
	all.w.after(one(all.w, all.w.within(5*time.Second), all.w.within(2*time.Minute)), func() { all.arrive(station) })
}

func (all *workers) arrive(station string) {
	if !all.absent[station] {
		return
	}
	delete(all.absent, station)
	all.w.note("%s has workers", station)
	for _, k := range all.groups[station] {
		all.announce(k.presence())
	}
}

// announce brings a worker's record to the current leader.
func (all *workers) announce(seen event.WorkerSeen) {
	for _, n := range all.w.nodes {
		if !all.w.fault(all.w.odds.replyLost, "presence lost") {
			all.w.sendToLeader(n, all.w.network(), seen)
		}
	}
}

// presence is the record that the worker puts.
func (k *worker) presence() event.WorkerSeen {
	return event.WorkerSeen{Worker: schema.Worker{WorkerID: k.id, Stations: []string{k.station}}}
}

// present are the records of the workers that run.
func (all *workers) present() (seen []event.Event) {
	for _, s := range stationNames {
		for _, k := range all.groups[s] {
			if !all.absent[s] {
				seen = append(seen, k.presence())
			}
		}
	}
	return seen
}

func (all *workers) recover() {
	for _, s := range stationNames {
		all.arrive(s)
	}
}

// sendToLeader has a leader's subscription bring an event, if it has one when that
// arrives and is not cut off.
func (w *world) sendToLeader(n *node, in time.Duration, ev event.Event) {
	if l := n.leader; receives(l) {
		l.incoming(in, ev)
	}
}

// deliver brings an execution to the workers of its station, or proves that there
// are none.
func (all *workers) deliver(l *leader, x *event.Outgoing) {
	w := all.w
	if l.n.cut || w.fault(w.odds.execLost, "execution lost") {
		return
	}
	if x.Pub {
		return // no worker replies
	}
	about := aboutOf(x)
	to := all.addressed(x)
	if len(to) == 0 {
		w.check.sends.undelivered(x)
		w.after(w.network(), l.mine(func() {
			if !l.n.cut {
				l.events = append(l.events, event.NoResponders{About: about})
				l.turnSoon()
			}
		}))
		return
	}
	if w.fault(w.odds.execDouble, "execution doubled") {
		to = append(to, to[0])
	}
	for _, k := range to {
		in := w.network()
		if w.fault(w.odds.execLate, "execution late") {
			in = w.within(90 * time.Second)
		}
		e := &effort{worker: k, about: about, id: execID{x.Incarnation, x.N}, vote: x.Vote, notified: !x.ItemsNotice.IsZero() && x.Items == 0}
		startBy := x.StartBy
		w.after(in, func() { k.work(e, startBy) })
	}
}

// addressed are the workers that get an execution: the one that it names, all members
// for a vote, else one of the group.
func (all *workers) addressed(x *event.Outgoing) []*worker {
	if x.To != "" {
		for _, s := range stationNames {
			for _, k := range all.groups[s] {
				if k.id == x.To && !all.absent[s] {
					return []*worker{k}
				}
			}
		}
		return nil
	}
	group := all.groups[x.Name.Station]
	switch {
	case all.absent[x.Name.Station]:
		return nil
	case x.Vote:
		return slices.Clone(group)
	default:
		return []*worker{group[all.w.rng.IntN(len(group))]}
	}
}

// cancel sends workers a cancellation, which may be lost or ignored.
func (all *workers) cancel(c schema.Cancel) {
	if all.w.fault(all.w.odds.execLost, "cancel lost") {
		return
	}
	for _, k := range all.groups[c.Station] {
		for id, e := range k.runs {
			if e.about.PlanID == c.PlanID && id.n == c.N && !all.w.ignoresCancel(id) {
				e.stopped = true
			}
		}
	}
}

// stationNames and planIDs are few, so that ids are used again while replies about them are still on
// their way.
var (
	stationNames = []string{"s", "s.deep", "news", "other", poolStation, jobStation}
	planIDs      = []string{"a", "b", "c", "d", "e"}
)
