package scheduler_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// daily is a plan that is not due while a test lasts.
const daily = `{"plan_id":"%s","station":"s","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`

// A leader whose lease could not be renewed for long stands down, and goes on when it is renewed
// and no other node has written, under its epoch, with its plans, and with the effects that were
// left to be performed.
func TestLeaderWithoutASuccessorGoesOn(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		b.create(fmt.Sprintf(daily, "d"))
		e := b.listen()
		time.Sleep(time.Second)
		epoch := b.sched.Leaders()[0].Epoch
		lease, journal := silent(t, ns, leaseSubject), silent(t, ns, journalSubject)
		answered := b.send(command.CreatePlan{Definition: definition(t, once)})
		time.Sleep(time.Second)
		journal.end()
		journal.deliver(b.user)
		for range 20 { // callers learn in time that there is no leader
			time.Sleep(time.Second)
			select {
			case a := <-b.send(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "d"}}):
				t.Fatalf("answered with %+v, %v", a.body, a.err)
			default:
			}
		}
		if wrong := unavailable(answered); wrong != "" {
			t.Error(wrong)
		}
		if line := log.standDown(); line == "" || b.sched.Ready() {
			t.Error("it has not stood down")
		}
		if words := e.subjects(); len(words) > 0 {
			t.Errorf("%q was sent without trust in the lease", words)
		}
		lease.end()
		time.Sleep(broker.DefaultLease + 50*time.Millisecond) // a lost renewal is waited for
		synctest.Wait()
		if words := e.subjects(); !slices.Contains(words, "station.s") {
			t.Errorf("%q was sent, and the execution was to be sent", words)
		}
		asked := time.Now()
		if _, err := b.ask(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "d"}}); err != nil || time.Since(asked) > 0 {
			t.Errorf("after %v: %v", time.Since(asked), err)
		}
		if l := b.sched.Leaders()[0]; l.Epoch != epoch || !b.sched.Ready() {
			t.Errorf("epoch %d led, and now %+v: %v", epoch, l, b.sched.Lacks())
		}
		if took := log.lines("msg=leads "); took != 1 {
			t.Errorf("it took over %d times", took)
		}
		if log.lines("leads again with the plans that it has") != 1 {
			t.Errorf("%q", log.text.String())
		}
	})
}

// A leader that finds the append of another node, even of a dead one, has a table that is old, and
// discards it without publishing anything.
func TestLeaderWithASuccessorDoesNotGoOn(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		store := brokertest.Store(t, b.user)
		b.create(fmt.Sprintf(daily, "d"))
		e := b.listen()
		time.Sleep(time.Second)
		lease, journal := silent(t, ns, leaseSubject), silent(t, ns, journalSubject)
		b.send(command.CreatePlan{Definition: definition(t, once)})
		time.Sleep(time.Second)
		journal.end()
		journal.deliver(b.user)
		time.Sleep(3 * time.Second)
		appender, err := store.Journal(0).Seize(t.Context(), "another", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		defer appender.Close()
		lease.end()
		time.Sleep(broker.DefaultLease + 50*time.Millisecond)
		synctest.Wait()
		if words := e.subjects(); len(words) > 0 {
			t.Errorf("%q was sent by who is replaced", words)
		}
		if log.lines("another has written to the journal") != 1 {
			t.Errorf("%q", log.text.String())
		}
		time.Sleep(2 * time.Second)
		if _, err := b.ask(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "d"}}); err != nil {
			t.Errorf("the next leader: %v", err)
		}
	})
}

// A node that is stopped while it waits for its lease ends.
func TestALeaderThatWaitsForItsLeaseCanBeStopped(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, log := logged(t, ns)
		b.create(fmt.Sprintf(daily, "d"))
		time.Sleep(time.Second)
		lease := silent(t, ns, leaseSubject)
		time.Sleep(time.Second)
		b.send(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "d"}})
		time.Sleep(10 * time.Second)
		if log.standDown() == "" {
			t.Error("it has not stood down")
		}
		asked := time.Now()
		b.end()
		if took := time.Since(asked); took > 3*time.Second {
			t.Errorf("it ended after %v", took)
		}
		lease.end()
	})
}
