package scheduler_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// contents are the rows of an append about plans of two stations: in the order of the first
// decision about each, the states of the due plans, and of the created ones.
type contents struct {
	first      string // the station of the first of them
	due, asked int
}

// appended reads the appends behind a sequence.
func appended(t *testing.T, s *broker.Store, from uint64) (all []contents) {
	t.Helper()
	err := s.Journal(0).Replay(t.Context(), from, lastAppend(t, s), func(a broker.Append) error {
		var c contents
		err := event.Rows(a.Body, func(r event.Row) error {
			if r.Kind != event.RowState {
				return nil
			}
			if c.first == "" {
				c.first = r.Name.Station
			}
			switch r.Name.Station {
			case "due":
				c.due++
			case "asked":
				c.asked++
			}
			return nil
		})
		all = append(all, c)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// flooded has so many plans fall due while an append is under way and more requests wait than the
// next one holds, and returns the contents of the appends behind that one.
func flooded(t *testing.T, ns *server.Server, dues, creates int) []contents {
	t.Helper()
	b := start(t, ns)
	store := brokertest.Store(t, b.user)
	due := time.Now().Add(20 * time.Second).UTC().Format(time.RFC3339Nano)
	for i := range dues {
		b.send(command.CreatePlan{Definition: definition(t, fmt.Sprintf(
			`{"plan_id":"d%d","station":"due","command":"c","plan_type":"time","plan_time":%q}`, i, due))})
	}
	time.Sleep(19 * time.Second)
	from := lastAppend(t, store)

	journal := silent(t, ns, journalSubject)
	answers := make([]<-chan answer, creates)
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		for i := range creates {
			answers[i] = b.send(command.CreatePlan{Definition: definition(t, fmt.Sprintf(
				`{"plan_id":"p%d","station":"asked","command":"c","description":"%s","plan_type":"day","plan_value":1,"plan_repet":-1}`,
				i, strings.Repeat("x", 1000)))}) // it waits when too many do
			if i == 0 {
				time.Sleep(100 * time.Millisecond) // its append is under way
			}
		}
	}()
	time.Sleep(1500 * time.Millisecond) // they are due for half a second
	synctest.Wait()
	if n := journal.count(); n != 1 {
		t.Fatalf("%d appends are under way", n)
	}
	journal.end()
	<-asked
	for _, answered := range answers {
		if a := <-answered; a.err != nil {
			t.Fatal(a.err)
		}
	}
	time.Sleep(3 * time.Second)
	synctest.Wait()
	return appended(t, store, from+1)
}

// Plans that fall due while requests fill the gathering batch go with it, and do not wait for the
// one behind it.
func TestDuePlansHaveTheirShareOfEachAppend(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const dues = 50
		appends := flooded(t, ns, dues, 3000)
		if c := appends[0]; c.due != dues || c.asked < 100 {
			t.Errorf("of %d plans that were due, the append that gathered has %d, and %d that were asked for", dues, c.due, c.asked)
		}
		if c := appends[1]; c.asked == 0 {
			t.Error("all requests found room in a single append")
		}
	})
}

// A leader that is late with more plans than the batches hold takes due plans before requests,
// which go on all the same, with a share of each append.
func TestALateLeaderTakesWhatIsDueFirst(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const dues, creates = 10_000, 8000
		appends := flooded(t, ns, dues, creates)
		all, late := contents{}, 0
		for i, c := range appends {
			all.due += c.due
			all.asked += c.asked
			if i == 0 || c.due == 0 || all.due == dues {
				continue // it gathered while none was late, or all of them are done
			}
			late++
			if c.first != "due" || c.due < c.asked || c.asked == 0 && all.asked < creates-1 {
				t.Errorf("append %d of a late leader begins with what was %s, and has %d that were due and %d that were asked for", i, c.first, c.due, c.asked)
			}
		}
		if all.due != dues || all.asked != creates-1 || late < 3 {
			t.Errorf("the appends have %+v, %d of them of a late leader", all, late)
		}
	})
}
