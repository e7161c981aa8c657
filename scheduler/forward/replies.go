package forward

import (
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// replies receives the answers to the commands of a line, on a subscription of its own, because a
// request of the NATS client sends and waits in one call, so that of two that run at once the
// later one may be sent first.
type replies struct {
	conn *nats.Conn

	mu      sync.Mutex
	sub     *nats.Subscription // nil until the first is awaited, and after close
	inbox   string             // before each subject
	last    uint64
	awaited map[string]*reply // by subject
	closed  bool
}

// A reply is the answer to one command.
type reply struct {
	of      *replies
	subject string
	came    chan *nats.Msg // holds one; others are dropped
}

func newReplies(conn *nats.Conn) *replies {
	return &replies{conn: conn, awaited: map[string]*reply{}}
}

// await returns a reply that is received from now on.
func (r *replies) await() (*reply, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nats.ErrConnectionClosed
	}
	if r.sub == nil {
		r.inbox = r.conn.NewInbox() + "."
		sub, err := r.conn.Subscribe(r.inbox+"*", r.receive)
		if err != nil {
			return nil, err
		}
		r.sub = sub
	}
	r.last++
	a := &reply{of: r, subject: r.inbox + strconv.FormatUint(r.last, 10), came: make(chan *nats.Msg, 1)}
	r.awaited[a.subject] = a
	return a, nil
}

func (r *replies) receive(m *nats.Msg) {
	r.mu.Lock()
	a := r.awaited[m.Subject]
	r.mu.Unlock()
	if a == nil {
		return // too late, or a second one
	}
	select {
	case a.came <- m:
	default:
	}
}

// forget ends the wait for a reply.
func (a *reply) forget() {
	a.of.mu.Lock()
	defer a.of.mu.Unlock()
	delete(a.of.awaited, a.subject)
}

func (r *replies) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	sub := r.sub
	r.sub, r.closed = nil, true
	if sub == nil {
		return nil
	}
	return sub.Unsubscribe()
}

// inboxOf returns the common beginning of the subjects of all answers to one line.
func inboxOf(reply string) string { return reply[:strings.LastIndexByte(reply, '.')+1] }
