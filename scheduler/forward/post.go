package forward

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

// pendingBytes bounds the errands that wait at a post; beyond it they are dropped, and who
// sent them is left in doubt.
const pendingBytes = 64 << 20

// A Leader carries out what comes in at a Post. Its methods are called by one goroutine,
// for which others wait.
type Leader interface {
	// Stuck reports that it cannot write.
	Stuck() bool
	// Take has c carried out, as long as somebody waits for that, which is until by (zero:
	// nobody knows until when). It calls answer once, from any goroutine, with what c is
	// answered or an error; ErrElsewhere says that c may be sent to another. It does not
	// call it when it cannot tell whether another has taken c.
	Take(c schema.Command, by time.Time, answer func(any, error))
}

// A Post is the leader's own subject, kept by whoever has the lease: where nobody answers
// there for a moment, the holder counts as dead, and a take-over may last longer.
type Post struct {
	line      *Line
	incidents *incident.Reporter
	sub       *nats.Subscription
	leader    atomic.Pointer[Leader] // nil until it listens
}

// Man subscribes to the leader's own subject. Until Lead is called, who asks there is told
// that nothing was done. A panic at what comes in is reported and answered.
func (l *Line) Man(incidents *incident.Reporter) (*Post, error) {
	p := &Post{line: l, incidents: incidents}
	subject := l.space.Lead(l.partition)
	var err error
	if p.sub, err = l.conn.Subscribe(subject, p.receive); err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	if err := p.sub.SetPendingLimits(-1, pendingBytes); err != nil {
		p.Leave()
		return nil, fmt.Errorf("limit what waits of %s: %w", subject, err)
	}
	return p, nil
}

// Lead has l answer from now on.
func (p *Post) Lead(l Leader) { p.leader.Store(&l) }

// Leave gives the post up before anybody leads: what has arrived is dropped.
func (p *Post) Leave() { p.unsubscribed(p.sub.Unsubscribe()) }

// Close gives the post up. What has arrived is handled still, so that whoever asked is told
// to ask the next leader, and need not find out by waiting.
func (p *Post) Close() { p.unsubscribed(p.sub.Drain()) }

func (p *Post) unsubscribed(err error) {
	if err != nil {
		p.line.log.Debug("unsubscribe", "subject", p.sub.Subject, "error", err)
	}
}

// receive hands what comes in to the leader.
func (p *Post) receive(m *nats.Msg) {
	p.incidents.Contain(metrics.AtMessage, func() { p.handle(m) }, func(number string) {
		p.answer(m.Reply, nil, nil, incident.Refusal(number))
	})
}

// handle does what came in. An empty message only asks whether a leader is there, any other
// is a command that came in at another node. Who takes over does nothing yet, and says so.
func (p *Post) handle(m *nats.Msg) {
	if !p.line.space.Answerable(m.Reply) {
		return
	}
	leader := p.leader.Load()
	switch {
	case leader == nil:
		p.answer(m.Reply, nil, nil, ErrElsewhere)
		return
	case len(m.Data) == 0:
		p.line.publish(m.Reply, presence((*leader).Stuck()))
		return
	}
	r, c, by, err := decodeErrand(m.Data)
	if err != nil {
		p.answer(m.Reply, r, nil, err)
		return
	}
	(*leader).Take(c, by, func(answer any, err error) { p.answer(m.Reply, r, answer, err) })
}

// answer answers an errand that took route r.
func (p *Post) answer(to string, r *route, answer any, asked error) {
	body, err := encodeTidings(r, answer, asked)
	if err != nil {
		p.line.log.Error("the answer to another node's request cannot be encoded", "error", err)
		return
	}
	p.line.publish(to, body)
}
