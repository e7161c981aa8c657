package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// workers are those of all stations: they serve, and NATS knows them or does not.
type workers struct {
	w      *world
	absent map[string]bool // stations that nobody serves at the moment
	groups map[string][]*worker
}

// worker is one member of a station's queue group. What it says arrives in the order
// in which it is said, as on one connection, unless a fault has it otherwise.
type worker struct {
	w       *world
	id      string
	station string
	last    time.Time          // when its latest word arrives
	runs    map[execID]*effort // what it is at
}

// effort is what a worker does about one execution.
type effort struct {
	worker  *worker
	about   schema.ReplyName
	id      execID
	vote    bool // others are asked, too
	stopped bool // it was told to stop
	acked   bool // its end was acknowledged
}

// execID names an execution for ever.
type execID struct {
	incarnation uint64
	n           int64
}

// wordKey is one word that was said; two copies of it have the same.
type wordKey struct {
	id    execID
	state schema.State
}

// word is something said about an execution as it travels.
type word struct {
	key   *wordKey // nil: a stranger's
	at    time.Time
	heard machine.Heard
}

// captured is the word as it is read from the capture, which keeps no inbox.
func (d word) captured() machine.Heard {
	ev := d.heard
	ev.From, ev.Captured = nil, true
	return ev
}

// groupSize is how many workers a station has.
const groupSize = 3

func newWorkers(w *world) *workers {
	all := &workers{w: w, absent: map[string]bool{}, groups: map[string][]*worker{}}
	for _, s := range stationNames {
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

// desert takes the workers of a station away for a while; they come back and say so.
func (all *workers) desert() {
	station := one(all.w, stationNames...)
	all.w.note("%s has no workers", station)
	all.absent[station] = true
	for _, k := range all.groups[station] {
		for _, e := range k.runs {
			e.stopped = true // it died of it
		}
		if all.w.rng.IntN(3) == 0 { // its record has run out
			all.tell(machine.Seen{Worker: schema.Worker{WorkerID: k.id}, Gone: true})
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
		all.tell(k.presence())
	}
}

// tell has a worker's record brought to whoever leads.
func (all *workers) tell(seen machine.Seen) {
	for _, n := range all.w.nodes {
		if !all.w.fault(all.w.odds.replyLost, "presence lost") {
			all.w.tellLeader(n, all.w.network(), seen)
		}
	}
}

// presence is the record that the worker puts.
func (k *worker) presence() machine.Seen {
	return machine.Seen{Worker: schema.Worker{WorkerID: k.id, Stations: []string{k.station}}}
}

// present are the records of those that are there.
func (all *workers) present() (seen []machine.Event) {
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

// tellLeader has a leader's subscription bring an event, if it has one when that
// arrives and is not cut off.
func (w *world) tellLeader(n *node, in time.Duration, ev machine.Event) {
	l := n.leader
	if l == nil || !l.listens || n.cut {
		return
	}
	w.after(in, l.mine(func() {
		l.events = append(l.events, ev)
		l.turnSoon()
	}))
}

// deliver brings an execution to the workers of its station, or proves that there
// are none.
func (all *workers) deliver(l *leader, x *machine.Outgoing) {
	w := all.w
	if l.n.cut || w.fault(w.odds.execLost, "execution lost") {
		return
	}
	if x.Pub {
		return // nobody replies
	}
	about := schema.ReplyName{Station: x.Name.Station, PlanID: x.Name.PlanID, N: x.N, Nonce: string(x.Nonce.AppendHex(nil))}
	to := all.addressed(x)
	if len(to) == 0 {
		w.check.unserved(x)
		w.after(w.network(), l.mine(func() {
			if !l.n.cut {
				l.events = append(l.events, machine.Nobody{About: about})
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
		e := &effort{worker: k, about: about, id: execID{x.Incarnation, x.N}, vote: x.Vote}
		startBy := x.StartBy
		w.after(in, func() { k.work(e, startBy) })
	}
}

// addressed are the workers that get an execution: the one that it names, all members
// for a vote, else one of the group.
func (all *workers) addressed(x *machine.Outgoing) []*worker {
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

// cancel tells workers to stop; whether they hear it is another matter.
func (all *workers) cancel(c schema.Cancel) {
	if all.w.fault(all.w.odds.execLost, "cancel lost") {
		return
	}
	for _, k := range all.groups[c.Station] {
		for id, e := range k.runs {
			if e.about.PlanID == c.PlanID && id.n == c.N && !all.w.deaf(id) {
				e.stopped = true
			}
		}
	}
}

// deaf workers do not heed a cancellation; a property of the execution, since the
// order in which a map is walked must not matter.
func (w *world) deaf(id execID) bool { return (id.incarnation+uint64(id.n))%3 == 0 }

// calmVotes are as many as the largest vote waits for; all that a worker says of a vote
// when it is calm is nameless.
const calmVotes = 8

// work is what a worker does about an execution: anything.
func (k *worker) work(e *effort, startBy time.Time) {
	w := k.w
	k.runs[e.id] = e
	soon, later := w.within(200*time.Millisecond), w.within(40*time.Second)
	if w.calm {
		for range calmVotes {
			if k.say(e, w.within(time.Second), schema.StateOK); !e.vote {
				return
			}
		}
		return
	}
	if !startBy.IsZero() && w.now.After(startBy) && w.chance(0.5) {
		delete(k.runs, e.id)
		return // a library does not start it
	}
	switch n := w.rng.IntN(100); {
	case n < 40:
		k.say(e, soon, schema.StateOK)
	case n < 46:
		k.insist(e, soon, one(w, schema.StateOK, schema.StateError), 6)
	case n < 50: // twice, and then not at all
		k.say(e, soon, schema.StateOK)
		k.say(e, soon*2, schema.StateOK)
		k.say(e, later, schema.StateError)
	case n < 58:
		k.say(e, soon, schema.StateError)
	case n < 60:
		k.say(e, soon, schema.StateFailure)
		k.say(e, later, schema.StateOK) // after all
	case n < 61:
		k.say(e, soon, "perhaps")
	case n < 72: // slow
		k.say(e, soon, schema.StateRunning)
		k.say(e, soon*2, schema.StateRunning)
		k.say(e, soon+later, one(w, schema.StateOK, schema.StateOK, schema.StateError))
	case n < 78:
		k.say(e, soon, schema.StateWaiting)
		k.say(e, soon+later, schema.StateWaiting)
		k.say(e, soon+2*later, schema.StateOK)
	case n < 82:
		k.say(e, soon, schema.StateRunning) // and dies
	case n < 88:
		k.say(e, later, schema.StateOK)
	case n < 93:
		k.insist(e, later, schema.StateOK, 6)
	case n < 96:
		k.forge(e, soon)
	default: // silent
	}
}

// insist repeats a word until it is acknowledged, as libraries do.
func (k *worker) insist(e *effort, after time.Duration, state schema.State, times int) {
	k.w.after(after, func() {
		if e.acked || e.stopped {
			return
		}
		k.say(e, 0, state)
		if times > 1 {
			k.insist(e, time.Second+k.w.within(5*time.Second), state, times-1)
		}
	})
}

// forge answers with a nonce that was never given.
func (k *worker) forge(e *effort, after time.Duration) {
	w := k.w
	heard := w.word(e, one(w, schema.StateOK, schema.StateFailure))
	heard.About.Nonce = fmt.Sprintf("%016x", w.rng.Uint64())
	w.report.Faults["forged reply"]++
	w.after(after, func() { w.reply(k, word{heard: heard}) })
}

// say sends a word, unless the worker was told to stop meanwhile.
func (k *worker) say(e *effort, after time.Duration, state schema.State) {
	w := k.w
	w.after(after, func() {
		if e.stopped {
			return
		}
		if state != schema.StateRunning && state != schema.StateWaiting {
			delete(k.runs, e.id)
		}
		key := &wordKey{id: e.id, state: state}
		w.check.said(key)
		w.reply(k, word{key: key, heard: w.word(e, state)})
	})
}

// reply carries a word to NATS, which captures it, and on to whoever listens.
func (w *world) reply(k *worker, said word) {
	if w.fault(w.odds.replyLost, "reply lost") {
		return
	}
	copies := 1
	if w.fault(w.odds.replyDouble, "reply doubled") {
		copies = 2
	}
	for range copies {
		at := w.now.Add(w.network())
		switch {
		case w.fault(w.odds.replyLate, "reply late"):
			at = w.now.Add(w.within(20 * time.Second)) // past what is said after it
		case at.Before(k.last):
			at = k.last
		default:
			k.last = at
		}
		w.after(at.Sub(w.now), func() {
			said.at = w.now
			w.disk.capture(said)
			w.check.captured(said)
			for _, n := range w.nodes {
				if !w.fault(w.odds.replyLost/4, "reply lost at the leader") {
					w.tellLeader(n, w.network(), said.heard)
				}
			}
		})
	}
}

// word is what a worker says, with all that it may add.
func (w *world) word(e *effort, state schema.State) machine.Heard {
	ev := machine.Heard{About: e.about, Reply: schema.Reply{State: state}}
	enc := one(w, wire.JSON, wire.MsgPack)
	if w.chance(0.6) {
		ev.From = &asker{e, state}
	}
	if w.chance(0.4) && !w.calm {
		ev.Reply.WorkerID = e.worker.id
	}
	if w.chance(0.5) {
		ev.Reply.Content = wire.Text(enc, strings.Repeat("\x02c", w.rng.IntN(50)))
	}
	if w.chance(0.003) {
		ev.Reply.Content = wire.Text(enc, strings.Repeat("\x03", w.rng.IntN(300<<10)))
	}
	if w.chance(0.25) {
		span := schema.Seconds(w.rng.IntN(30))
		ev.Reply.Extend, ev.Reply.Delay = &span, &span
	}
	return ev
}

// asker is a worker that wants to hear that its word was taken.
type asker struct {
	effort *effort
	state  schema.State
}

// hear brings an acknowledgement, if it arrives.
func (a *asker) hear(ack schema.Ack) {
	w := a.effort.worker.w
	if w.fault(w.odds.answerLost, "acknowledgement lost") {
		return
	}
	w.after(w.network(), func() {
		a.effort.acked = true
		if ack.Cancel {
			a.effort.stopped = true
		}
	})
}

// stationNames and planIDs are few, so that ids are used again while what was said
// of them is still on its way.
var (
	stationNames = []string{"s", "s.deep", "news", "other"}
	planIDs      = []string{"a", "b", "c", "d", "e"}
)

func names() []schema.PlanName {
	var all []schema.PlanName
	for _, s := range slices.Sorted(slices.Values(stationNames)) {
		for _, id := range planIDs {
			all = append(all, schema.PlanName{Station: s, PlanID: id})
		}
	}
	return all
}
