package forward

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
)

// pendingBytes bounds the pending requests of a subscription. NATS drops more, and their
// senders do not know whether they were carried out.
const pendingBytes = 64 << 20

// A Leader carries out the commands that a Subscription receives. Its methods are called by
// one goroutine, which must not be blocked.
type Leader interface {
	// Stuck reports that it cannot write.
	Stuck() bool
	// Take has c carried out before its client's deadline. It calls answer once, from any goroutine,
	// with the answer to c or an error; after ErrElsewhere, c may be sent to another. It does not
	// call answer when it is unknown whether another leader has taken c.
	Take(c command.Dated, answer func(any, error))
}

// A Subscription is that of the lease's holder to the leader's subject. A probe without
// responders means that the holder is dead, and a take-over may take longer than that.
type Subscription struct {
	line      *Line
	incidents *incident.Reporter
	sub       *nats.Subscription
	leader    atomic.Pointer[Leader] // nil until Lead

	mu      sync.Mutex
	refers  bool      // Refer was called
	pending []pending // commands that came before that
	// referred has the runs of which commands were answered with ErrElsewhere, by line. The
	// others of such a run are so, too, because they would pass those.
	referred map[string]int64
}

// A pending command waits for Refer.
type pending struct {
	reply string
	run   int64
}

// pendingAtMost bounds the commands that wait for Refer. The senders of others are not answered.
const pendingAtMost = 10_000

// linesAtMost bounds the lines whose runs are remembered; there is one for each node.
const linesAtMost = 1000

// Subscribe subscribes to the leader's subject. Until Refer or Lead is called, commands are not
// answered, because an earlier leader may have received them, too, and be at them. A panic in a
// handler is reported and answered.
func (l *Line) Subscribe(incidents *incident.Reporter) (*Subscription, error) {
	s := &Subscription{line: l, incidents: incidents, referred: map[string]int64{}}
	subject := subjectOf(l.space, l.partition)
	var err error
	if s.sub, err = l.conn.Subscribe(subject, s.receive); err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	if err := s.sub.SetPendingLimits(-1, pendingBytes); err != nil {
		s.Leave()
		return nil, fmt.Errorf("limit the pending messages of %s: %w", subject, err)
	}
	return s, nil
}

// Refer has all commands answered with ErrElsewhere that came and will come before Lead. Call it
// when no other node has carried out any of them, nor will.
func (s *Subscription) Refer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refers = true
	for _, c := range s.pending {
		s.refer(c)
	}
	s.pending = nil
}

// Lead makes l answer from now on.
func (s *Subscription) Lead(l Leader) {
	s.leader.Store(&l)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = nil
}

// Leave ends the subscription of a node that has not led, and drops pending messages.
func (s *Subscription) Leave() { s.unsubscribed(s.sub.Unsubscribe()) }

// Close ends the subscription. Pending messages are still handled, so that their senders are
// referred to the next leader at once, and not by a timeout.
func (s *Subscription) Close() { s.unsubscribed(s.sub.Drain()) }

func (s *Subscription) unsubscribed(err error) {
	if err != nil {
		s.line.log.Debug("unsubscribe", "subject", s.sub.Subject, "error", err)
	}
}

// receive handles a message; a panic is contained.
func (s *Subscription) receive(m *nats.Msg) {
	s.incidents.Contain(metrics.AtMessage, func() { s.handle(m) }, func(number string) {
		s.answer(m.Reply, nil, nil, incident.Refusal(number))
	})
}

// handle passes a message to the leader. An empty one is a probe, any other is a command from
// another node.
func (s *Subscription) handle(m *nats.Msg) {
	if !s.line.space.Answerable(m.Reply) {
		return
	}
	leader := s.leader.Load()
	switch {
	case leader == nil && len(m.Data) == 0:
		s.answer(m.Reply, nil, nil, ErrElsewhere)
		return
	case len(m.Data) == 0:
		s.line.publish(m.Reply, presence((*leader).Stuck()))
		return
	}
	r, c, run, err := decodeRequest(m.Data)
	switch {
	case s.passesOn(leader == nil, pending{m.Reply, run}):
	case err != nil:
		s.answer(m.Reply, r, nil, err)
	default:
		(*leader).Take(c, func(answer any, err error) { s.answer(m.Reply, r, answer, err) })
	}
}

// passesOn reports that this node does not carry out c, and answers so as soon as that is certain of
// all others. A node that takes over carries out nothing.
func (s *Subscription) passesOn(takesOver bool, c pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !takesOver && (c.run <= 0 || c.run != s.referred[inboxOf(c.reply)]):
		return false
	case !takesOver || s.refers:
		s.refer(c)
	case len(s.pending) < pendingAtMost:
		s.pending = append(s.pending, c)
	}
	return true
}

// refer answers c with ErrElsewhere. The lock is held.
func (s *Subscription) refer(c pending) {
	if len(s.referred) < linesAtMost {
		s.referred[inboxOf(c.reply)] = c.run
	}
	s.answer(c.reply, nil, nil, ErrElsewhere)
}

// answer answers a request that took route r.
func (s *Subscription) answer(to string, r *route, answer any, asked error) {
	body, err := encodeResponse(r, answer, asked)
	if err != nil {
		s.line.log.Error("the answer to another node's request cannot be encoded", "error", err)
		return
	}
	s.line.publish(to, body)
}
