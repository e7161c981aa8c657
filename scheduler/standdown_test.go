package scheduler_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A logReader is a log that a test reads.
type logReader struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logReader) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// standDown returns the first line that reports the end of a leadership, and its reason.
func (l *logReader) standDown() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, "stood down") {
			return line
		}
	}
	return ""
}

// logged is start, with a log that the test reads.
func logged(t *testing.T, ns *server.Server) (*testbed, *logReader) {
	t.Helper()
	book := new(logReader)
	return start(t, ns, book.of(t)), book
}

// of has a scheduler of a test write into the log, too.
func (l *logReader) of(t *testing.T) func(*scheduler.Config) {
	return func(c *scheduler.Config) {
		c.Log = slog.New(slog.NewTextHandler(io.MultiWriter(l, t.Output()), nil))
	}
}

// unavailable returns the fault of an answer that is to leave the outcome of its command open,
// because its leader has gone; "" if it has none.
func unavailable(answered <-chan answer) string {
	if len(answered) == 0 {
		return "no answer"
	}
	a := <-answered
	var refused *schema.Error
	if !errors.As(a.err, &refused) || refused.Code != schema.CodeUnavailable {
		return fmt.Sprintf("answered with %+v, %v", a.body, a.err)
	}
	return ""
}

// lost checks at the end of a test that a leader which may have lost its lease has published
// nothing, and has stood down for that reason.
func lost(t *testing.T, e *ears, answered <-chan answer, log *logReader) {
	t.Helper()
	time.Sleep(3 * time.Second) // its release of the lease gets no answer
	synctest.Wait()
	if wrong := unavailable(answered); wrong != "" {
		t.Error(wrong)
	}
	if words := e.subjects(); len(words) > 0 {
		t.Errorf("%q was sent without trust in the lease", words)
	}
	if line := log.standDown(); !strings.Contains(line, "the lease could not be renewed in time") {
		t.Errorf("stood down: %q", line)
	}
}

// A leader whose append was acknowledged when it could not renew its lease for a while does not
// know whether another node leads, and performs no effect of the append.
func TestAppendConfirmedTooLateHasNoEffects(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		store, e := brokertest.Store(t, b.user), b.listen()
		time.Sleep(time.Second)
		from := lastAppend(t, store)
		lease, journal := silent(t, ns, leaseSubject), silent(t, ns, journalSubject)
		answered := b.send(command.CreatePlan{Definition: definition(t, once)})
		time.Sleep(time.Second)
		journal.end()
		journal.deliver(b.user)
		time.Sleep(100 * time.Millisecond)
		if got := lastAppend(t, store); got != from+1 {
			t.Errorf("append %d is on disk, want %d", got, from+1)
		}
		lost(t, e, answered, log)
		lease.end()
		if _, err := b.ask(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}}); err != nil {
			t.Errorf("the next leader: %v", err)
		}
	})
}

// NATS is away for longer than a leader trusts its lease, but for no longer than a take-over takes,
// and is back with an append that was under way. Its execution is sent as soon as the lease is
// renewed, because a successor would take it for sent.
func TestAppendBeforeTheRenewalIsPerformedBehindIt(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		e := b.listen()
		time.Sleep(time.Second)
		lease, journal := silent(t, ns, leaseSubject), silent(t, ns, journalSubject)
		answered := b.send(command.CreatePlan{Definition: definition(t, once)})
		time.Sleep(1200 * time.Millisecond)
		journal.end()
		journal.deliver(b.user)
		synctest.Wait()
		if words := e.subjects(); len(words) > 0 {
			t.Errorf("%q was sent without trust in the lease", words)
		}
		lease.end()
		time.Sleep(broker.DefaultLease)
		synctest.Wait()
		if words := e.subjects(); !slices.Contains(words, "station.s") {
			t.Errorf("%q was sent, and no execution sent", words)
		}
		if a := <-answered; a.err != nil {
			t.Errorf("who made the plan got %v", a.err)
		}
		if line := log.standDown(); line != "" {
			t.Error(line)
		}
	})
}

// Without trust in the lease nothing is appended, because no effect of it could be performed.
func TestNothingIsAppendedWithoutTrust(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, _ := logged(t, ns)
		store := brokertest.Store(t, b.user)
		time.Sleep(time.Second)
		lease := silent(t, ns, leaseSubject)
		time.Sleep(time.Second)
		from := lastAppend(t, store)
		answered := b.send(command.CreatePlan{Definition: definition(t, once)})
		time.Sleep(time.Second)
		if end := lastAppend(t, store); end != from {
			t.Errorf("append %d landed", end)
		}
		lease.end()
		if a := <-answered; a.err != nil {
			t.Errorf("when the lease is renewed: %v", a.err)
		}
	})
}

// A leader that only reads appends nothing, so that the journal cannot show it that it was
// deposed. It answers as long as it trusts its lease, and no longer.
func TestLeaderWithoutTrustInItsLeaseAnswersNoReads(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`)
		e := b.listen()
		time.Sleep(10 * time.Second) // only renewals keep the trust
		read := command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}}
		lease := silent(t, ns, leaseSubject)
		time.Sleep(broker.DefaultLease / 4)
		if _, err := b.ask(read); err != nil {
			t.Errorf("while it trusts its lease: %v", err)
		}
		time.Sleep(broker.DefaultLease / 2)
		lost(t, e, b.send(read), log)
		lease.end()
	})
}

// A leader that sees another holder of its lease stands down, at any reading of its own
// clock.
func TestLeaderWhoseLeaseIsTakenStandsDown(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		time.Sleep(time.Second)
		if _, err := b.user.Request(leaseSubject, []byte(`{"node":"n9","holder":"z","epoch":1}`), time.Second); err != nil {
			t.Fatal(err)
		}
		time.Sleep(broker.DefaultLease / 2)
		if line := log.standDown(); !strings.Contains(line, "the lease could not be renewed in time") || b.sched.Ready() {
			t.Errorf("leads on, or stood down for another reason: %q", line)
		}
	})
}

// An append without an answer ends the leadership after ten seconds, with a hint of where to look.
// Until then nothing of it is in the bucket either; callers are answered after three seconds that
// the outcome is unknown, and from then on at once that nothing is done; and no node reports a
// leader, the standby included.
func TestAnAppendThatIsNeverAnsweredEndsTheLeadership(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		standby := start(t, ns, func(c *scheduler.Config) { c.Node = "n2" })
		store, e := brokertest.Store(t, b.user), b.listen()
		time.Sleep(time.Second)
		for _, s := range []*testbed{b, standby} {
			if l := s.sched.Leaders()[0]; l.Node != "n1" || !s.sched.Ready() {
				t.Errorf("before, %+v leads", l)
			}
		}
		journal := silent(t, ns, journalSubject)
		answered := b.send(command.CreatePlan{Definition: definition(t, once)})
		time.Sleep(2900 * time.Millisecond)
		for _, s := range []*testbed{b, standby} {
			if l := s.sched.Leaders()[0]; l.Node != "" || s.sched.Ready() {
				t.Errorf("nothing can be written, and %+v leads: %v", l, s.sched.Lacks())
			}
		}
		if len(answered) > 0 {
			t.Error("the first who asked is answered before three seconds have passed")
		}
		time.Sleep(700 * time.Millisecond)
		if wrong := unavailable(answered); wrong != "" {
			t.Error(wrong)
		}
		for _, s := range []*testbed{b, standby} {
			at := s.send(command.CreatePlan{Definition: definition(t, strings.Replace(once, `"p"`, `"q"`, 1))})
			time.Sleep(100 * time.Millisecond)
			if wrong := unavailable(at); wrong != "" {
				t.Errorf("who asks then: %s", wrong)
			}
		}
		time.Sleep(6 * time.Second)
		if line := log.standDown(); line != "" {
			t.Errorf("before ten seconds have passed: %q", line)
		}
		if n := inBucket(t, store); n != 0 {
			t.Errorf("%d plans are in the bucket, and not in the journal", n)
		}
		time.Sleep(400 * time.Millisecond)
		synctest.Wait()
		if line := log.standDown(); !strings.Contains(line, "the journal took no append for 10 seconds; look at the server's disk and health") {
			t.Errorf("stood down: %q", line)
		}
		if words := e.subjects(); len(words) > 0 {
			t.Errorf("%q was sent, whose cause never came to disk", words)
		}
		journal.end()
		if _, err := b.ask(command.CreatePlan{Definition: definition(t, once)}); err != nil {
			t.Errorf("the next leader: %v", err)
		}
	})
}

// When the disk is full the leader stands down with the reason, which its users get at once; when
// there is room again, a node leads within seconds.
func TestAFullDiskEndsTheLeadershipWithAReason(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		store := brokertest.Config(t)
		full := brokertest.Disk(&store, errors.New("there is no room"))
		book := new(logReader)
		b := start(t, ns, func(c *scheduler.Config) {
			c.Log = slog.New(slog.NewTextHandler(book, nil))
			c.Store = brokertest.Store(t, brokertest.Connect(t, ns), store)
		})
		read := brokertest.Store(t, b.user)
		full.Store(true)
		from := lastAppend(t, read)
		answered := b.send(command.CreatePlan{Definition: definition(t, once)})
		time.Sleep(time.Second)
		synctest.Wait()
		if len(answered) != 1 {
			t.Error("who asked the leader is not answered")
		} else if a := <-answered; a.err == nil || !strings.Contains(a.err.Error(), "before it could confirm (there is no room)") {
			t.Errorf("who asked the leader got %+v, %v", a.body, a.err)
		}
		if line := book.standDown(); !strings.Contains(line, "there is no room") || b.sched.Ready() {
			t.Errorf("stood down: %q", line)
		}
		asked := time.Now()
		_, err := b.ask(command.CreatePlan{Definition: definition(t, once)})
		if err == nil || !strings.Contains(err.Error(), "there is no room") || time.Since(asked) > 0 {
			t.Errorf("after %v a user got %v", time.Since(asked), err)
		}
		time.Sleep(10 * time.Second)
		if end := lastAppend(t, read); end != from {
			t.Errorf("the journal went from %d to %d on a full disk", from, end)
		}
		full.Store(false)
		time.Sleep(3 * time.Second)
		if _, err := b.ask(command.CreatePlan{Definition: definition(t, once)}); err != nil {
			t.Errorf("there is room again: %v", err)
		}
	})
}
