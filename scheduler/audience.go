package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// audienceWindow is how long the answer "nobody listens" is believed, and so
	// the most that a new listener misses of a busy leader's events.
	audienceWindow = 50 * time.Millisecond
	// alwaysTold is how many events of a window are published in any case. Below
	// 2,000 a second nothing is ever left out.
	alwaysTold = 100
)

// An audience spares a busy leader the events of single executions that nobody
// listens to: two for each execution would be a tenth of what it costs. Nobody
// keeps events, so nobody can miss those from before it listened. NATS tells: one
// event of each window asks for a reply, and "no responders" is the answer.
type audience struct {
	inbox  string
	began  time.Time
	told   int
	nobody atomic.Bool
}

// open listens for the answers on nc.
func (a *audience) open(nc *nats.Conn) (*nats.Subscription, error) {
	a.inbox = nc.NewInbox()
	return nc.Subscribe(a.inbox, func(m *nats.Msg) {
		if len(m.Data) == 0 && m.Header.Get(headerStatus) == statusNoResponders {
			a.nobody.Store(true)
		}
	})
}

// frequent reports whether events of this kind come with every execution.
func frequent(kind schema.NoticeKind) bool {
	return kind == schema.NoticeDispatched || kind == schema.NoticeRunning || kind == schema.NoticeWaiting
}

// wants reports whether to publish an event at now, and the subject that it has to
// ask for a reply on, if any.
func (a *audience) wants(now time.Time) (reply string, ok bool) {
	if now.Sub(a.began) >= audienceWindow {
		a.began, a.told = now, 0
		a.nobody.Store(false)
	}
	a.told++
	switch {
	case a.told == alwaysTold:
		return a.inbox, true
	case a.told > alwaysTold:
		return "", !a.nobody.Load()
	default:
		return "", true
	}
}
