package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	shortLived = `{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`
	repeated   = `{"plan_id":"p","station":"s","command":"c","plan_type":"none","on_conflict":"keep"}`
)

// closes creates a plan, has it run to its end, and returns the rows of the append that removed it.
func (x *library) closes(plan string) (rows []event.Row) {
	x.Helper()
	x.create(plan)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	x.step(event.ReplyReceived{About: about(x.m, x.m.part.Plans[name], 1), Reply: schema.Reply{State: schema.StateOK}})
	if x.m.part.Plans[name] != nil {
		x.Fatal("it has not closed")
	}
	return x.rows()
}

// restarted leads with the rows of the bucket and the journal.
func (x *library) restarted(journal ...event.Row) *library {
	x.Helper()
	y := newLibrary(x.T, 0)
	y.m, y.now, y.bucket = New(config), x.now.Add(time.Second), x.bucket
	for key, value := range x.bucket {
		if err := y.m.ReplayBucket(key, value); err != nil {
			x.Fatal(err)
		}
	}
	for _, r := range journal {
		if err := y.m.Replay(1, r); err != nil {
			x.Fatal(err)
		}
	}
	y.m.Lead(y.now, 2, time.Time{})
	return y
}

// makes reports whether a create makes its plan.
func (x *library) makes(plan string) bool {
	x.Helper()
	answer, err := x.ask(command.CreatePlan{Definition: parse(x.T, plan)})
	if err != nil {
		return false
	}
	return answer.(schema.Created).Created
}

// A plan that closed is known after a restart, though the journal was purged. Its create with
// keep makes no other one for two minutes, and the bucket has nothing of it then.
func TestClosedPlanIsKnownWithoutTheJournal(t *testing.T) {
	for _, plan := range []string{shortLived, repeated} {
		x := newLibrary(t, 0)
		x.closes(plan)
		x.store()
		x = x.restarted()
		if x.makes(repeated) {
			t.Errorf("%s: it is made again after a restart", plan)
		}
		x.store()
		x = x.restarted()
		if x.makes(shortLived) {
			t.Errorf("%s: an older request makes it again after a repetition and a restart", plan)
		}
		x.now = x.now.Add(table.ClosedFor)
		x.store()
		if len(x.bucket) > 0 {
			t.Errorf("%s: the bucket has %q for ever", plan, slices.Collect(maps.Keys(x.bucket)))
		}
		if x = x.restarted(); !x.makes(repeated) {
			t.Errorf("%s: it is known for ever", plan)
		}
	}
}

// The row of the journal that removed a plan shows no keep to a follower that has its tombstone from
// the bucket, which was ahead; the rows of a repetition do.
func TestABucketAheadOfTheJournalShowsNoKeep(t *testing.T) {
	x := newLibrary(t, 0)
	removed := x.closes(shortLived)
	x.store()
	if y := x.restarted(removed...); !y.makes(shortLived) {
		t.Error("it is known as created with keep, and was not")
	}
	x.makes(repeated)
	if y := x.restarted(append(removed, x.rows()...)...); y.makes(shortLived) {
		t.Error("it was created again with keep, and that is not known")
	}
	if y := x.restarted(x.rows()...); y.makes(shortLived) {
		t.Error("it was created again with keep behind the checkpoint, and that is not known")
	}
}

// A follower that takes over has written the rows to the bucket that its leader had not.
func TestAFollowerWritesTombstones(t *testing.T) {
	x := newLibrary(t, 0)
	x.create(shortLived)
	made := x.rows()
	x.step(event.ReplyReceived{About: about(x.m, x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}], 1), Reply: schema.Reply{State: schema.StateOK}})
	y := x.restarted(append(made, x.rows()...)...)
	y.store()
	if y = y.restarted(); y.makes(repeated) {
		t.Error("it is made again")
	}
}

// Many that close at once have few rows, and however few rows a batch takes, all are written before
// the rows of their plans are removed.
func TestManyTombstonesHaveFewRows(t *testing.T) {
	x := newLibrary(t, 0)
	x.rehearses = false // because each step would be compared with all plans
	const many = 3*tombstonesOfRow - 1
	for i := range many {
		x.create(strings.Replace(shortLived, `"p"`, fmt.Sprintf(`"p%d"`, i), 1))
	}
	x.store()
	for _, p := range x.m.part.Plans {
		x.step(event.ReplyReceived{About: about(x.m, p, 1), Reply: schema.Reply{State: schema.StateOK}})
	}
	_, w := x.flush(event.Flush{Max: 1000})
	closed := 0
	for _, r := range w.Rows {
		if !strings.HasPrefix(r.Key, "closed.") {
			continue
		}
		v, err := wire.Scan(r.Value, wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		closed += v.Field("closed").Len()
	}
	if closed != many {
		t.Errorf("%d tombstones are written, want %d", closed, many)
	}
}

// A row of tombstones that another client has overwritten is removed, and its tombstones are
// written again; one that cannot be read is removed, too.
func TestOverwrittenTombstonesAreWrittenAgain(t *testing.T) {
	x := newLibrary(t, 0)
	x.closes(shortLived)
	x.store()
	for key := range x.bucket {
		x.bucket[key] = []byte("!")
		if err := New(config).ReplayBucket(key, x.bucket[key]); err == nil {
			t.Error("it is read")
		}
		x.step(event.Overwritten{Keys: []string{key}})
	}
	x.store()
	if x = x.restarted(); x.makes(repeated) {
		t.Error("it is made again")
	}
}

// Of any number of closed definitions of a name only some are remembered, because a leader
// looks through them whenever another closes.
func TestOfANameSomeDefinitionsAreRemembered(t *testing.T) {
	x := newBench(t)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	const many = 3 * table.ClosedOfName
	definition := func(i int) string {
		return fmt.Sprintf(`{"plan_id":"p","station":"s","command":"c%d","plan_type":"none","on_conflict":"keep"}`, i)
	}
	for i := range many {
		x.now = x.now.Add(time.Millisecond)
		x.create(definition(i))
		x.step(event.ReplyReceived{About: about(x.m, x.m.part.Plans[name], 1), Reply: schema.Reply{State: schema.StateOK}})
	}
	if n := len(x.m.part.Tombstones.Closed[name]); n > table.ClosedOfName {
		t.Errorf("%d definitions of a name are remembered", n)
	}
	for i := many - table.ClosedOfName; i < many; i++ {
		if x.create(definition(i)); x.m.part.Plans[name] != nil {
			t.Fatalf("definition %d of %d is made again", i, many)
		}
	}
	if x.create(definition(0)); x.m.part.Plans[name] == nil {
		t.Error("all are remembered")
	}
}
