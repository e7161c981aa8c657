package worker

import (
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// batchFor is the time that a final reply waits for others, counted from when the last
	// ones were sent, so that a single one goes at once, and many in the same millisecond
	// become one message.
	batchFor = time.Millisecond
	// batchBytes bounds the bodies in one message; a larger one goes alone.
	batchBytes = 64 << 10
	// aloneFor is the time for which each final goes alone after a batch without an
	// acknowledgement, because an older scheduler does not know batches.
	aloneFor = time.Minute
)

// A batch holds the finals to send together.
type batch struct {
	finals []*final
	bytes  int
	full   bool      // they wait for no others
	last   time.Time // when the last ones were sent
	alone  time.Time // until then, each is sent alone
}

// add takes f, and reports whether take has to be called once it has waited. More: others are
// likely to come.
func (g *batch) add(f *final, now time.Time, more bool) (wait bool) {
	g.finals = append(g.finals, f)
	g.bytes += len(f.msg.Data)
	if !more || g.bytes >= batchBytes || len(g.finals) >= schema.MaxJoined || now.Before(g.alone) {
		g.full = true
	}
	return len(g.finals) == 1 && !g.full
}

// take returns the finals to send now, and the time that the others have to wait.
func (g *batch) take(now time.Time) (ready []*final, wait time.Duration) {
	if len(g.finals) == 0 {
		return nil, 0
	}
	if wait = batchFor - now.Sub(g.last); wait > 0 && !g.full {
		return nil, wait
	}
	ready = g.finals
	*g = batch{last: now, alone: g.alone}
	return ready, 0
}

// A sentBatch is a message that several finals went in.
type sentBatch struct {
	seq    uint64
	finals []*final
	left   int // the number of finals without an acknowledgement
}

// flush sends the batch if it has waited long enough, and returns the time that it has to wait
// else; zero when it is empty.
func (r *reporter) flush(now time.Time) time.Duration {
	r.mu.Lock()
	ready, wait := r.batch.take(now)
	r.mu.Unlock()
	r.send(ready)
	return wait
}

// send publishes finals: those of one station, partition and encoding together.
func (r *reporter) send(finals []*final) {
	for len(finals) > 0 {
		n, size := 1, len(finals[0].msg.Data)
		for n < len(finals) && finals[n].goesWith(finals[0]) {
			if size += len(finals[n].msg.Data); size > batchBytes {
				break
			}
			n++
		}
		var msg *nats.Msg
		if n > 1 {
			msg = r.join(finals[:n])
		} else {
			msg = r.alone(finals[0])
		}
		if err := r.nc.PublishMsg(msg); err != nil {
			r.log.Debug("result not sent, will be repeated", "subject", shown(msg.Subject), "error", err)
		}
		finals = finals[n:]
	}
}

// goesWith reports whether f can go in one message with o. A final of another station, partition
// or encoding begins the next message; a worker has mostly one of each.
func (f *final) goesWith(o *final) bool {
	return f.enc == o.enc && f.flow() == o.flow()
}

// flow is the part of the subject that replies of one station and partition share.
func (f *final) flow() string {
	return f.msg.Subject[:strings.LastIndexByte(f.msg.Subject, '*')]
}

// join makes the message in which finals go together.
func (r *reporter) join(finals []*final) *nats.Msg {
	first := finals[0]
	room := 0 // the subject in front of the plan has about the size of the framing of a reply
	for _, f := range finals {
		room += len(f.msg.Subject) + len(f.msg.Data)
	}
	w := wire.NewWriter(first.enc, make([]byte, 0, room))
	schema.WriteJoined(w, func(yield func(string, []byte) bool) {
		for _, f := range finals {
			if !yield(f.msg.Subject, f.msg.Data) {
				return
			}
		}
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	j := &sentBatch{seq: r.seq, finals: finals}
	for _, f := range finals {
		if r.finals[f.seq] == f { // else it was sent again meanwhile, and taken
			f.with = j
			j.left++
		}
	}
	if j.left > 0 {
		r.batches[j.seq] = j
	}
	return &nats.Msg{
		Subject: schema.Joined(first.msg.Subject), Reply: r.inbox + token('j', j.seq),
		Header: schema.ContentHeader(first.enc), Data: w.Bytes(),
	}
}

// went returns the finals of a batch that are at the given places; nil: all of them.
func (r *reporter) went(seq uint64, places []int) []*final {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.batches[seq]
	switch {
	case j == nil:
		return nil
	case places == nil:
		return j.finals
	}
	var finals []*final
	for _, i := range places {
		if i < len(j.finals) {
			finals = append(finals, j.finals[i])
		}
	}
	return finals
}
