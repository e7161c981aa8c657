package front

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/command"
)

// noRespondersWithin is how long at least the names of a published answer are kept for a
// report of no responders, which NATS sends at once.
const noRespondersWithin = 5 * time.Second

// inFlight are the answers to claims that were published a short while ago. Each has a reply
// subject of its own, on which NATS reports that it had no responders.
type inFlight struct {
	sub   *nats.Subscription
	inbox string // prefix of the reply subjects

	mu         sync.Mutex
	young, old map[string][]command.ClaimedName // by the last token of the subject
	turned     time.Time                        // when the old ones were forgotten last
}

// subscribeNoResponders subscribes to the reports of no responders to answers to claims.
func (f *Front) subscribeNoResponders() error {
	h := &f.inFlight
	h.inbox = f.nc.NewInbox()
	h.young, h.old = map[string][]command.ClaimedName{}, map[string][]command.ClaimedName{}
	sub, err := f.nc.Subscribe(h.inbox+".*", func(m *nats.Msg) {
		defer f.rescue()
		if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
			f.giveBackNamed(h.take(strings.TrimPrefix(m.Subject, h.inbox+".")))
		}
	})
	if err != nil {
		return fmt.Errorf("subscribe to reports of answers without responders: %w", err)
	}
	h.sub = sub
	return nil
}

// expect returns the reply subject of an answer with these executions.
func (h *inFlight) expect(work []command.ClaimedExecution) string {
	names := make([]command.ClaimedName, len(work))
	for i := range work {
		names[i] = work[i].ClaimedName
	}
	token := rand.Text()
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); now.Sub(h.turned) > noRespondersWithin {
		h.old, h.young, h.turned = h.young, map[string][]command.ClaimedName{}, now
	}
	h.young[token] = names
	return h.inbox + "." + token
}

// take returns the executions of an answer, once.
func (h *inFlight) take(token string) []command.ClaimedName {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := append(h.young[token], h.old[token]...)
	delete(h.young, token)
	delete(h.old, token)
	return names
}

func (h *inFlight) close() {
	if h.sub != nil {
		_ = h.sub.Unsubscribe() // it fails only when the connection is closed
	}
}
