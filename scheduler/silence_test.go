package scheduler_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The subjects on which a leader of the only partition writes.
var (
	journalSubject  = storage.Journal(schema.Space{}, 0)
	leaseSubject    = storage.BucketSubject(schema.Space{}.LeadersBucket(), "0")
	resultsSubjects = []string{storage.Stored(schema.Space{}, 0), schema.Space{}.AllResults()}
	itemsSubjects   = []string{storage.Queued(schema.Space{}, 0), storage.AllInboxes(schema.Space{}, 0)}
)

// A silence drops the messages to some subjects, so that no stream gets them, and no answer
// comes, as when a server is stopped with a message in flight. All else goes on.
type silence struct {
	t         *testing.T
	ns        *server.Server
	subjects  []string
	swallowed chan *nats.Msg
}

// swallowed is the prefix of the subjects that silent ones are mapped to.
const swallowed = "swallowed."

// silent begins a silence. The server itself maps the subjects to others, with a subscriber, so
// that no publisher gets "no responders".
func silent(t *testing.T, ns *server.Server, subjects ...string) *silence {
	t.Helper()
	nc, gone := brokertest.Connect(t, ns), make(chan *nats.Msg, 1024)
	for _, subject := range subjects {
		if _, err := nc.ChanSubscribe(swallowed+subject, gone); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, subject := range subjects {
		if err := ns.GlobalAccount().AddMapping(subject, swallowed+subject); err != nil {
			t.Fatal(err)
		}
	}
	return &silence{t, ns, subjects, gone}
}

// count is the number of swallowed messages.
func (s *silence) count() int { return len(s.swallowed) }

// end has streams receive published messages again. Swallowed ones stay lost; publishers that got
// no answer send them again.
func (s *silence) end() {
	s.t.Helper()
	for _, subject := range s.subjects {
		if !s.ns.GlobalAccount().RemoveMapping(subject) {
			s.t.Fatalf("%s was received all the while", subject)
		}
	}
}

// deliver sends the swallowed messages on, as a network that held them back. It is called after
// end.
func (s *silence) deliver(nc *nats.Conn) {
	s.t.Helper()
	for len(s.swallowed) > 0 {
		m := <-s.swallowed
		m.Subject = strings.TrimPrefix(m.Subject, swallowed)
		if err := nc.PublishMsg(m); err != nil {
			s.t.Fatal(err)
		}
	}
}

// ears are subscriptions to every kind of message that a leader publishes.
type ears struct{ words chan *nats.Msg }

// once is a plan that is due when it is created, and then never again.
const once = `{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`

// ackInbox is the inbox of the workers' acknowledgements.
const ackInbox = "_INBOX.ack"

// listen subscribes.
func (b *testbed) listen() *ears {
	b.t.Helper()
	e := &ears{make(chan *nats.Msg, 1024)}
	for _, subject := range []string{"station.>", "plan.result.>", "plan.event.>", "plan.cancel.>", ackInbox} {
		if _, err := b.user.ChanSubscribe(subject, e.words); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := b.user.Flush(); err != nil {
		b.t.Fatal(err)
	}
	return e
}

// subjects takes the subjects of the messages since its last call, in alphabetical order, because
// results take another way than the rest.
func (e *ears) subjects() []string {
	var all []string
	for len(e.words) > 0 {
		all = append(all, (<-e.words).Subject)
	}
	slices.Sort(all)
	return all
}

// executed takes the messages since the last call, and returns the reply subject of the last
// execution among them, or "" if there was none.
func (e *ears) executed() (reply string) {
	for len(e.words) > 0 {
		if m := <-e.words; strings.HasPrefix(m.Subject, "station.") {
			reply = m.Reply
		}
	}
	return reply
}
