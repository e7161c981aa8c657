package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/schema"
)

// rows lists the rows of a body: kind and plan.
func rows(t *testing.T, body []byte) []string {
	t.Helper()
	var out []string
	if err := event.Rows(body, func(r event.Row) error {
		gone := ""
		if len(r.Value) == 0 {
			gone = " gone"
		}
		out = append(out, fmt.Sprintf("%c %s%s", r.Kind, r.Name, gone))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

const hourly = `{"plan_id":"%s","station":"s","command":"c","plan_type":"hour","plan_value":1,"plan_repet":-1}`

// TestBatch checks that a batch writes the state of a plan once, however often it
// changes, after all else, and not at all when the plan is gone.
func TestBatch(t *testing.T) {
	x := newBench(t)
	do := func(ev event.Event) { x.m.Step(x.now, ev, x.b) }
	ask := func(c command.Command) { do(event.Ask{What: c}) }
	create := func(id string) { ask(command.CreatePlan{Definition: parse(t, fmt.Sprintf(hourly, id))}) }
	remove := func(id string) {
		ask(command.RemovePlan{Name: schema.PlanName{Station: "s", PlanID: id}})
	}
	if !x.b.Empty() {
		t.Error("a new batch is not empty")
	}
	create("p")
	create("q")
	x.now = x.now.Add(time.Hour)
	do(event.Tick{})
	remove("q")
	create("r")
	remove("r")
	create("r")
	want := []string{"d s/p", "d s/q", "r s/q", "d s/q gone", "d s/r", "d s/r gone", "d s/r", "s s/p", "s s/r"}
	if diff := cmp.Diff(want, rows(t, x.b.Seal())); diff != "" {
		t.Error(diff)
	}
	x.b.Reset(2)
	if !x.b.Empty() || len(x.b.Seal()) != 0 || x.b.Size() != 0 {
		t.Error("a batch is not as new after Reset")
	}
	// Of a batch that is sealed, the next one knows nothing.
	remove("p")
	create("p")
	if diff := cmp.Diff([]string{"d s/p gone", "d s/p", "s s/p"}, rows(t, x.b.Seal())[1:]); diff != "" {
		t.Error(diff)
	}
}

// flush asks for rows and lists their keys; a deletion ends in "-".
func (x *bench) flush(ev event.Flush) (keys []string, w event.Write) {
	x.Helper()
	w = x.last(x.step(ev)).(event.Write)
	for _, r := range w.Rows {
		if len(r.Value) == 0 {
			r.Key += "-"
		}
		keys = append(keys, r.Key)
	}
	return keys, w
}

// TestFlush checks the rows that go to the bucket, their order, and how far the
// journal is taken with it.
func TestFlush(t *testing.T) {
	x := newBench(t)
	create := func(id string) uint64 {
		x.create(fmt.Sprintf(hourly, id))
		return x.b.Number
	}
	check := func(ev event.Flush, before uint64, more bool, want ...string) {
		t.Helper()
		keys, w := x.flush(ev)
		if diff := cmp.Diff(want, keys); diff != "" {
			t.Errorf("rows: %s", diff)
		}
		if w.Before != before || w.More != more || w.Left != x.m.Unwritten() {
			t.Errorf("before %d, more %t, %d left; want %d, %t, %d", w.Before, w.More, w.Left, before, more, x.m.Unwritten())
		}
	}
	remove := func(id string) {
		x.step(event.Ask{What: command.RemovePlan{Name: schema.PlanName{Station: "s", PlanID: id}}})
	}

	a, b := create("a"), create("b")
	create("brief")
	remove("brief") // never touches the bucket
	check(event.Flush{Max: 10}, a, false)
	x.now = x.now.Add(time.Second)
	c := create("c") // busy
	check(event.Flush{Max: 2}, b, true, "plan.s.a", "state.s.a")
	check(event.Flush{Max: 10}, c, false, "plan.s.b", "state.s.b")
	check(event.Flush{Max: 10}, c, false)
	check(event.Flush{Max: 10, Force: true}, x.b.Number+1, false, "plan.s.c", "state.s.c")

	// A busy row holds the checkpoint, and lets others pass.
	x.now = x.now.Add(time.Hour - time.Second)
	d := create("d")
	x.now = x.now.Add(time.Second)
	x.looks() // a, b and c are dispatched
	check(event.Flush{Max: 10}, d+1, false, "plan.s.d", "state.s.d")

	// The old rows of an id that is used again go before the new ones come.
	remove("d")
	create("d")
	x.now = x.now.Add(time.Second)
	keys, w := x.flush(event.Flush{Max: 100})
	for more := keys; w.More; keys = append(keys, more...) {
		more, w = x.flush(event.Flush{Max: 100})
	}
	if gone, here := slices.Index(keys, "plan.s.d-"), slices.Index(keys, "plan.s.d"); gone < 0 || here < gone {
		t.Errorf("rows: %s", strings.Join(keys, " "))
	}
	if slices.Contains(keys, "plan.s.a") || !slices.Contains(keys, "state.s.a") {
		t.Errorf("a definition that has not changed is written again: %s", strings.Join(keys, " "))
	}
	remove("d") // it was in the bucket, and must leave it
	check(event.Flush{Max: 100}, x.b.Number+1, false, "plan.s.d-", "state.s.d-")
}

// TestFlushBusy checks that more busy rows than one Flush looks at are no reason to
// ask again at once.
func TestFlushBusy(t *testing.T) {
	x := newBench(t)
	for i := range flushLook + 10 {
		x.create(fmt.Sprintf(hourly, fmt.Sprint("p", i)))
	}
	if keys, w := x.flush(event.Flush{Max: 100}); len(keys) > 0 || w.More || w.Left != flushLook+10 {
		t.Errorf("%d rows, more %t, %d left", len(keys), w.More, w.Left)
	}
}

// A plan that reuses an id waits for the removal of the plan that had it, because a batch of
// the bucket may name a key once.
func TestAFlushNamesAKeyOnce(t *testing.T) {
	x := newBench(t)
	x.create(fmt.Sprintf(hourly, "p"))
	x.flush(event.Flush{Max: 100, Force: true})
	name := schema.PlanName{Station: "s", PlanID: "p"}
	for range 3 {
		x.step(event.Ask{What: command.RemovePlan{Name: name}})
		x.create(fmt.Sprintf(hourly, "p"))
	}
	last := ""
	for x.m.Unwritten() > 0 {
		keys, w := x.flush(event.Flush{Max: 100, Force: true})
		seen := map[string]bool{}
		for _, r := range w.Rows {
			if seen[r.Key] {
				t.Fatalf("a flush names %s twice: %v", r.Key, keys)
			}
			seen[r.Key] = true
		}
		if len(keys) == 0 {
			t.Fatalf("a flush writes nothing, and %d rows are left", x.m.Unwritten())
		}
		last = keys[len(keys)-1]
	}
	if last != "state.s.p" {
		t.Errorf("the last row is %s", last)
	}
}

// A successor removes from the bucket the keys that are there, and no others.
func TestOnlyKeysInTheBucketAreRemoved(t *testing.T) {
	x := newBench(t)
	remove := func(id string) {
		x.step(event.Ask{What: command.RemovePlan{Name: schema.PlanName{Station: "s", PlanID: id}}})
	}
	var journal []byte
	for _, id := range []string{"brief", "old", "new"} {
		x.create(fmt.Sprintf(hourly, id))
		journal = append(journal, x.b.Seal()...)
	}
	for _, id := range []string{"brief", "old"} {
		remove(id)
		journal = append(journal, x.b.Seal()...)
	}
	for _, tt := range []struct {
		has  []string
		want []string
	}{
		{nil, nil},
		{[]string{"plan.s.old", "state.s.old"}, []string{"plan.s.old-", "state.s.old-"}},
		{[]string{"state.s.new"}, []string{"plan.s.new-", "state.s.new-"}},
	} {
		m := New(partition.Config{})
		if err := event.Rows(journal, func(r event.Row) error { return m.Replay(1, r) }); err != nil {
			t.Fatal(err)
		}
		keys := map[string]bool{}
		for _, key := range tt.has {
			keys[key] = true
		}
		m.Has(keys)
		m.Lead(x.now, 2, x.now)
		x.m, x.b = m, batch.New(capacity)
		x.b.Reset(1)
		remove("new")
		got, w := x.flush(event.Flush{Max: 100, Force: true})
		if diff := cmp.Diff(tt.want, got); diff != "" || w.Before != x.b.Number {
			t.Errorf("of a bucket with %v, before %d (-want +got):\n%s", tt.has, w.Before, diff)
		}
	}
}
