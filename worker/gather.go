package worker

import (
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// gatherFor is how long a final state waits for others, counted from when the last
	// ones were sent: so one that comes alone goes at once, and of many that come in the
	// same millisecond one message is made.
	gatherFor = time.Millisecond
	// gatherBytes bounds the bodies in one message; a larger one goes alone.
	gatherBytes = 64 << 10
	// aloneFor is how long each goes alone when several were not acknowledged together,
	// which is the case when the scheduler is of a release that does not know of it.
	aloneFor = time.Minute
)

// A gathering holds the finals that are to be sent together.
type gathering struct {
	finals []*final
	bytes  int
	full   bool      // they wait for no others
	last   time.Time // when the last ones were sent
	alone  time.Time // until then, each is sent alone
}

// add takes f, and reports whether somebody has to look when it has waited. Company says
// that others are likely to come.
func (g *gathering) add(f *final, now time.Time, company bool) (wait bool) {
	g.finals = append(g.finals, f)
	g.bytes += len(f.msg.Data)
	if !company || g.bytes >= gatherBytes || len(g.finals) >= schema.MaxJoined || now.Before(g.alone) {
		g.full = true
	}
	return len(g.finals) == 1 && !g.full
}

// take returns the finals that are to be sent now, and how long others have to wait.
func (g *gathering) take(now time.Time) (ready []*final, wait time.Duration) {
	if len(g.finals) == 0 {
		return nil, 0
	}
	if wait = gatherFor - now.Sub(g.last); wait > 0 && !g.full {
		return nil, wait
	}
	ready = g.finals
	*g = gathering{last: now, alone: g.alone}
	return ready, 0
}

// A joint is a message that several finals went in.
type joint struct {
	seq    uint64
	finals []*final
	left   int // of them, those that are not acknowledged
}

// flush sends what has gathered for long enough, and returns how long the rest has to
// wait; zero when there is none.
func (r *reporter) flush(now time.Time) time.Duration {
	r.mu.Lock()
	ready, wait := r.gather.take(now)
	r.mu.Unlock()
	r.send(ready)
	return wait
}

// send publishes finals: those of one station and partition together, if they speak the
// same encoding.
func (r *reporter) send(finals []*final) {
	for len(finals) > 0 {
		n, size := 1, len(finals[0].msg.Data)
		for n < len(finals) && finals[n].goesWith(finals[0]) {
			if size += len(finals[n].msg.Data); size > gatherBytes {
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

// goesWith reports that f can go in one message with o. What is of another station, or
// speaks otherwise, begins the next one: a worker has mostly one of them.
func (f *final) goesWith(o *final) bool {
	return f.enc == o.enc && f.flow() == o.flow()
}

// flow is what replies of one station and partition have in common.
func (f *final) flow() string {
	return f.msg.Subject[:strings.LastIndexByte(f.msg.Subject, '*')]
}

// join makes the message in which finals go together.
func (r *reporter) join(finals []*final) *nats.Msg {
	first := finals[0]
	room := 0 // what a subject has in front of the plan is about what goes around a reply
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
	j := &joint{seq: r.seq, finals: finals}
	for _, f := range finals {
		if r.finals[f.seq] == f { // else it was sent again meanwhile, and taken
			f.with = j
			j.left++
		}
	}
	if j.left > 0 {
		r.joints[j.seq] = j
	}
	return &nats.Msg{
		Subject: schema.Joined(first.msg.Subject), Reply: r.inbox + token('j', j.seq),
		Header: schema.ContentHeader(first.enc), Data: w.Bytes(),
	}
}

// went returns those finals of a joint that are at the given places, or all of them when
// places is nil.
func (r *reporter) went(seq uint64, places []int) []*final {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.joints[seq]
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
