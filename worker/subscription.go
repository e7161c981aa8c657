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

// drain lets subscriptions hand over what they have received, and waits for that.
// It fails when the connection is closed: then they have ended, or will.
func drain(subs []subscription) {
	for _, sub := range subs {
		_ = sub.Drain()
	}
	wait(subs)
}

// end drops what subscriptions have received and waits for their last callbacks.
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
