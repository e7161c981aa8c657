package scheduler_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
)

// single is a plan that allows one attempt.
const single = `{"plan_id":"p","station":"s","command":"c","plan_type":"none","retry":{"strategy":"none"}}`

// sentOnce checks at the end of a test that the successor of a leader which has appended an
// execution and not sent it has sent it, once, under the same number and key.
func sentOnce(t *testing.T, executions, retrying *nats.Subscription) {
	t.Helper()
	synctest.Wait()
	m, err := executions.NextMsg(time.Millisecond)
	if err != nil {
		t.Fatalf("it was not sent: %v", err)
	}
	if n, attempt := m.Header.Get(schema.HeaderExec), m.Header.Get(schema.HeaderAttempt); !strings.HasPrefix(n, "1-") || attempt != "1" {
		t.Errorf("execution %s is sent in attempt %s", n, attempt)
	}
	if m, err := retrying.NextMsg(time.Millisecond); err != nil || !strings.Contains(string(m.Data), `"unsent"`) {
		t.Errorf("no caller gets the reason: %v", err)
	}
	time.Sleep(time.Minute / 3)
	synctest.Wait()
	if m, err := executions.NextMsg(time.Millisecond); err == nil {
		t.Errorf("it is sent again: %v", m.Header)
	}
}

// An append that lands when its writer can no longer trust its lease has no effects. The next
// leader knows that from the time at which it was stored, and sends its executions, at once.
func TestAppendStoredTooLateIsPerformedByTheSuccessor(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		control := brokertest.Connect(t, ns)
		b := start(t, ns, func(c *scheduler.Config) { c.Store = brokertest.Store(t, control) })
		start(t, ns, func(c *scheduler.Config) { c.Node = "n2" })
		executions, retrying := b.subscribe("station.s"), b.subscribe("plan.event.retrying.>")
		time.Sleep(time.Second)
		lease, journal := silent(t, ns, leaseSubject), silent(t, ns, journalSubject)
		b.send(command.CreatePlan{Definition: definition(t, single)})
		time.Sleep(3 * time.Second)
		control.Close() // because the leader is cut off, and would else renew its lease
		journal.end()
		journal.deliver(b.user)
		lease.end()
		time.Sleep(2 * broker.DefaultLease)
		sentOnce(t, executions, retrying)
	})
}

// A leader that gives up an unanswered append records, as it gives its lease back, that it has
// performed no effect of it. When the append lands after all, the next leader performs its effects
// at once.
func TestAppendGivenUpIsPerformedByTheSuccessor(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		executions, retrying := b.subscribe("station.s"), b.subscribe("plan.event.retrying.>")
		time.Sleep(time.Second)
		journal := silent(t, ns, journalSubject)
		b.send(command.CreatePlan{Definition: definition(t, single)})
		time.Sleep(12 * time.Second)
		if line := log.standDown(); !strings.Contains(line, "the journal took no append") {
			t.Errorf("stood down: %q", line)
		}
		journal.end()
		journal.deliver(b.user)
		time.Sleep(3 * time.Second)
		sentOnce(t, executions, retrying)
	})
}

// An execution that has been sent is not sent again because its leader dies behind it, since the
// successor cannot know whether it was.
func TestExecutionThatMayHaveBeenSentIsNotSentAtOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		control := brokertest.Connect(t, ns)
		b := start(t, ns, func(c *scheduler.Config) { c.Store = brokertest.Store(t, control) })
		start(t, ns, func(c *scheduler.Config) { c.Node = "n2" })
		executions := b.subscribe("station.s")
		b.create(single)
		if _, err := executions.NextMsg(time.Second); err != nil {
			t.Fatal(err)
		}
		control.Close()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if _, err := executions.NextMsg(time.Millisecond); err == nil {
			t.Error("it is sent again")
		}
	})
}
