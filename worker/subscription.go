package worker

import (
	"sync"

	"github.com/nats-io/nats.go"
)

// A subscription is one whose last callback can be waited for.
type subscription struct {
	*nats.Subscription
	ended chan struct{}
}

// watch must be called right after subscribing.
func watch(sub *nats.Subscription) subscription {
	ended := make(chan struct{})
	var once sync.Once
	done := func(string) { once.Do(func() { close(ended) }) }
	sub.SetClosedHandler(done)
	if !sub.IsValid() {
		done("") // the connection closed before it had the handler
	}
	return subscription{sub, ended}
}

// drain lets subscriptions deliver the messages that they have received, and waits for that.
// It fails when the connection is closed: then they have ended, or will.
func drain(nc *nats.Conn, subs ...subscription) {
	for _, sub := range subs {
		if nc.IsConnected() {
			_ = sub.Drain()
		} else {
			sub.finish() // because Drain would wait ten seconds for the server's answer
		}
	}
	wait(subs)
}

// finish has a subscription whose connection is away, so that nothing more comes, end
// with the last message that it has received.
func (s subscription) finish() {
	for {
		before, err := s.Delivered()
		waiting, _, _ := s.Pending()
		if after, _ := s.Delivered(); err != nil || before == after {
			_ = s.AutoUnsubscribe(int(before) + waiting)
			return
		}
	}
}

// end drops the messages that subscriptions have received, and waits for their last callbacks.
func end(subs ...subscription) {
	for _, sub := range subs {
		_ = sub.Unsubscribe()
	}
	wait(subs)
}

func wait(subs []subscription) {
	for _, sub := range subs {
		<-sub.ended
	}
}
