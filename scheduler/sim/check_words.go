package sim

import (
	"github.com/stationmaster-io/stationmaster/schema"
)

// wordBook holds the replies of workers, as they sent them and as NATS got them, and which executions
// have many respondents, or none. Its promise: the reply that a result, a vote or a record quotes
// was sent by a worker, about that very execution.
type wordBook struct {
	w        *world
	got      map[execID][]word // by NATS
	heard    map[execID]map[schema.State]bool
	votes    map[execID]bool           // those with many respondents
	pubs     map[execID]bool           // those without a reply
	panicked map[schema.ReplyName]bool // executions whose replies are lost, because a machine panicked at them
}

func newWordBook(w *world) *wordBook {
	return &wordBook{
		w: w, got: map[execID][]word{}, heard: map[execID]map[schema.State]bool{},
		votes: map[execID]bool{}, pubs: map[execID]bool{}, panicked: map[schema.ReplyName]bool{},
	}
}

// said records a reply that a worker is about to send.
func (b *wordBook) said(key *wordKey) { b.says(key.id, key.state) }

func (b *wordBook) says(id execID, state schema.State) {
	if b.heard[id] == nil {
		b.heard[id] = map[schema.State]bool{}
	}
	b.heard[id][state] = true
}

// captured records a reply that NATS got.
func (b *wordBook) captured(said word) {
	if said.key != nil {
		b.got[said.key.id] = append(b.got[said.key.id], said)
	}
}

// published records that an execution is done as soon as it is published.
func (b *wordBook) published(id execID) {
	b.pubs[id] = true
	b.says(id, schema.StateOK)
}

// gaveBack reports that the worker of an execution has given it back.
func (b *wordBook) gaveBack(id execID) bool { return b.heard[id][schema.StateNotWorker] }

// begun reports that a worker sent a state of an execution which has begun. Of one with many
// respondents any reply will do.
func (b *wordBook) begun(id execID, state schema.State) bool {
	return b.heard[id][state] || b.votes[id] && len(b.heard[id]) > 0
}

// counted checks that each vote counted was sent, once by each worker.
func (b *wordBook) counted(l *life, r *schema.Result) {
	seen := map[string]bool{}
	oks := 0
	for _, v := range r.Votes {
		if v.WorkerID != "" && seen[v.WorkerID] {
			b.w.fail("%s: %s has voted twice on execution %d", l.name, v.WorkerID, r.N)
		}
		seen[v.WorkerID] = true
		if v.State == schema.StateOK {
			oks++
		}
	}
	if oks > 0 && !b.heard[execID{l.incarnation, r.N}][schema.StateOK] {
		b.w.fail("%s: execution %d has %d votes for it, and no worker said ok", l.name, r.N, oks)
	}
	if r.State == schema.StateOK && oks == 0 {
		b.w.fail("%s: execution %d is ok, and nobody said so", l.name, r.N)
	}
}

// wasSaid checks that a worker sent the reply in a result: the state, and of an error whether it was
// the last.
func (b *wordBook) wasSaid(l *life, r *schema.Result) {
	id := saidOf(l, r)
	heard, is := b.heard[id], characterOf(id)
	said := true
	switch {
	case r.State == schema.StateOK:
		said = heard[schema.StateOK]
	case r.State == schema.StateError && r.Reason == "":
		said = heard[schema.StateError] && !is.last
	case r.State == schema.StateFailure && r.Reason == schema.ReasonWorker:
		said = heard[schema.StateFailure] || heard[schema.StateError] && is.last
	case r.Reason == schema.ReasonUnknownState:
		said = heard["perhaps"] || heard[schema.StateNotWorker]
	}
	if !said {
		b.w.fail("%s: execution %d ended %s (%s), which no worker said", l.name, r.N, r.State, r.Reason)
	}
}

// wantsNobodyTold reports that a result is an ok whose worker wants no callback.
func (b *wordBook) wantsNobodyTold(l *life, r *schema.Result) bool {
	id := saidOf(l, r)
	return r.State == schema.StateOK && len(r.Votes) == 0 && !b.pubs[id] && characterOf(id).quiet
}
