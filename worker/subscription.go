package worker

import (
	"sync"

	"github.com/nats-io/nats.go"
)

// A subscription wraps one of nats.go, so that its last callback can be waited for.
type subscription struct {
	*nats.Subscription
	ended chan struct{}
}

// watch makes a subscription of sub. It must be called right after subscribing.
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
// It fails when the connection is closed, because that ends the subscriptions.
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

// finish ends a subscription with the last message that it has received. The connection is
// away, so that no more messages come.
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
