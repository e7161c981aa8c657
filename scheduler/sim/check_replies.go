package sim

import (
	"github.com/stationmaster-io/stationmaster/schema"
)

// replyModel holds the replies of workers, as they sent them and as NATS got them, and which executions
// have many respondents, or none. Its promise: the reply that a result, a vote or a record quotes
// was sent by a worker, about that very execution.
type replyModel struct {
	w        *world
	got      map[execID][]sentReply // by NATS
	sent     map[execID]map[schema.State]bool
	votes    map[execID]bool           // those with many respondents
	pubs     map[execID]bool           // those without a reply
	panicked map[schema.ReplyName]bool // executions whose replies are lost, because a machine panicked at them
}

func newReplyModel(w *world) *replyModel {
	return &replyModel{
		w: w, got: map[execID][]sentReply{}, sent: map[execID]map[schema.State]bool{},
		votes: map[execID]bool{}, pubs: map[execID]bool{}, panicked: map[schema.ReplyName]bool{},
	}
}

// sends records a reply that a worker is about to send.
func (b *replyModel) sends(key *replyKey) { b.record(key.id, key.state) }

func (b *replyModel) record(id execID, state schema.State) {
	if b.sent[id] == nil {
		b.sent[id] = map[schema.State]bool{}
	}
	b.sent[id][state] = true
}

// captured records a reply that NATS got.
func (b *replyModel) captured(reply sentReply) {
	if reply.key != nil {
		b.got[reply.key.id] = append(b.got[reply.key.id], reply)
	}
}

// published records that an execution is done as soon as it is published.
func (b *replyModel) published(id execID) {
	b.pubs[id] = true
	b.record(id, schema.StateOK)
}

// gaveBack reports that the worker of an execution has given it back.
func (b *replyModel) gaveBack(id execID) bool { return b.sent[id][schema.StateNotWorker] }

// begun reports that a worker sent a state of an execution which has begun. Of one with many
// respondents any reply will do.
func (b *replyModel) begun(id execID, state schema.State) bool {
	return b.sent[id][state] || b.votes[id] && len(b.sent[id]) > 0
}

// counted checks that each vote counted was sent, once by each worker.
func (b *replyModel) counted(l *life, r *schema.Result) {
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
	if oks > 0 && !b.sent[execID{l.incarnation, r.N}][schema.StateOK] {
		b.w.fail("%s: execution %d has %d votes for it, and no worker replied ok", l.name, r.N, oks)
	}
	if r.State == schema.StateOK && oks == 0 {
		b.w.fail("%s: execution %d is ok, and no worker replied so", l.name, r.N)
	}
}

// hasReply checks that a worker sent the reply in a result: the state, and of an error whether it was
// the last.
func (b *replyModel) hasReply(l *life, r *schema.Result) {
	id := repliedExecution(l, r)
	sent, is := b.sent[id], characterOf(id)
	was := true
	switch {
	case r.State == schema.StateOK:
		was = sent[schema.StateOK]
	case r.State == schema.StateError && r.Reason == "":
		was = sent[schema.StateError] && !is.last
	case r.State == schema.StateFailure && r.Reason == schema.ReasonWorker:
		was = sent[schema.StateFailure] || sent[schema.StateError] && is.last
	case r.Reason == schema.ReasonUnknownState:
		was = sent["perhaps"] || sent[schema.StateNotWorker]
	}
	if !was {
		b.w.fail("%s: execution %d ended %s (%s), which no worker reported", l.name, r.N, r.State, r.Reason)
	}
}

// wantsNoCallback reports that a result is an ok whose worker wants no callback.
func (b *replyModel) wantsNoCallback(l *life, r *schema.Result) bool {
	id := repliedExecution(l, r)
	return r.State == schema.StateOK && len(r.Votes) == 0 && !b.pubs[id] && characterOf(id).quiet
}
