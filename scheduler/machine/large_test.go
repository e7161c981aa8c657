package machine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A large definition leaves memory when the bucket has it, and not before; its execution
// and its result have all of it.
func TestALargeDefinitionLeavesMemory(t *testing.T) {
	x := newLibrary(t, 1)
	x.create(wordy("p", fmt.Sprintf(onceAt, 5)))
	x.create(`{"plan_id":"small","station":"s","command":"c",` + fmt.Sprintf(onceAt, 50) + `}`)
	x.now = x.now.Add(time.Second)
	if _, w := x.flush(event.Flush{Max: 1000}); len(w.Rows) != 4 || x.isEvicted("p") {
		t.Fatalf("%d rows were handed out; before they are stored, it is evicted: %t", len(w.Rows), x.isEvicted("p"))
	}
	x.step(event.Flush{Max: 1000})
	if !x.isEvicted("p") || x.isEvicted("small") {
		t.Fatalf("the large one is evicted: %t, the small one: %t", x.isEvicted("p"), x.isEvicted("small"))
	}
	if p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]; len(p.Raw) > 300 || cap(p.Raw) > 400 {
		t.Errorf("%d bytes of it stay, with room for %d", len(p.Raw), cap(p.Raw))
	}
	raw := parse(t, wordy("p", fmt.Sprintf(onceAt, 5))).Raw
	x.bucket["plan.s.p"] = raw

	sent := dispatchedIn(x.until(5, 0))
	if len(sent) != 1 || messageOf(wire.MapOf(sent[0].Enc, sent[0].Shared, sent[0].SharedCount)) != message("p") {
		t.Fatalf("%d executions were sent, %+v", len(sent), sent)
	}
	if sent[0].Expected.IsZero() {
		t.Error("that it was read first does not count as late")
	}
	x.makeRoom()
	if !x.isEvicted("p") {
		t.Fatal("it stays while it is executed, though others need the room")
	}
	x.all(replyAbout(sent[0], schema.StateRunning))
	if x.reads != 1 {
		t.Errorf("it was read %d times to learn that it runs", x.reads-1)
	}
	effects := x.all(replyAbout(sent[0], schema.StateOK))
	var result event.Publish
	for _, e := range effects {
		if e, ok := e.(event.Publish); ok {
			result = e
		}
	}
	if result.State != schema.StateOK || messageOf(wire.Trust(result.Enc, result.Body)) != message("p") || x.reads != 2 {
		t.Errorf("the result is %s, of %d bytes, after %d reads", result.State, len(result.Body), x.reads)
	}
	if len(x.m.part.Definitions.Of) != 0 || len(x.m.part.Definitions.Words) != 0 {
		t.Errorf("of a plan that closed %d definitions are kept, and %d words", len(x.m.part.Definitions.Of), len(x.m.part.Definitions.Words))
	}
}

// A definition is read ahead of its time, as far as there is room for those that wait, and
// others when they are due.
func TestLargeDefinitionsAreReadAhead(t *testing.T) {
	const size = 8 << 10
	x := newLibrary(t, 5*size) // which two of them may wait in
	for _, id := range []string{"a", "b", "c"} {
		x.create(wordy(id, fmt.Sprintf(onceAt, 5)))
	}
	x.store()
	x.makeRoom()
	if sent := dispatchedIn(x.until(4, 58)); len(sent) != 0 || x.reads != 0 {
		t.Fatalf("two seconds before their time %d are read, %d sent", x.reads, len(sent))
	}
	if sent := dispatchedIn(x.until(4, 59)); len(sent) != 0 {
		t.Fatal("an execution is sent early")
	}
	x.now = x.now.Add(999 * time.Millisecond)
	for wake := x.m.Wake(); !wake.After(x.now); wake = x.m.Wake() {
		if sent := dispatchedIn(x.all(event.Tick{})); len(sent) != 0 {
			t.Fatal("an execution is sent early")
		}
	}
	if x.reads != 2 || x.m.part.Definitions.Ahead == 0 {
		t.Errorf("%d are read ahead", x.reads)
	}
	x.now = x.now.Add(time.Millisecond)
	if sent := dispatchedIn(x.step(event.Tick{})); len(sent) != 2 {
		t.Errorf("%d are sent at once when they are due", len(sent))
	}
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "c"}]
	if !p.Evicted {
		p = x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "a"}]
	}
	raw := x.bucket[storage.PlanKey("s", p.Name.PlanID)]
	if sent := dispatchedIn(x.step(event.Fetched{Fetch: event.Fetch{Name: p.Name, Want: x.m.part.Definitions.Of[p].Digest}, Raw: raw})); len(sent) != 1 {
		t.Errorf("%d are sent when the third is read", len(sent))
	}
	if x.m.part.Definitions.Ahead != 0 {
		t.Errorf("%d bytes still wait for their time", x.m.part.Definitions.Ahead)
	}
}

// The most recently used definitions stay, as far as there is room.
func TestLargeDefinitionsTakeTurnsInMemory(t *testing.T) {
	x := newLibrary(t, 20<<10)
	for i, id := range []string{"a", "b", "c"} {
		x.create(wordy(id, fmt.Sprintf(onceAt, 10+i)))
		x.store()
	}
	check := func(when string, a, b, c bool) {
		t.Helper()
		if x.isEvicted("a") != a || x.isEvicted("b") != b || x.isEvicted("c") != c {
			t.Errorf("%s, evicted are: a %t, b %t, c %t", when, x.isEvicted("a"), x.isEvicted("b"), x.isEvicted("c"))
		}
		if x.m.part.Definitions.Bytes > 20<<10 || x.m.part.Definitions.Bytes < 0 {
			t.Errorf("%s, %d bytes of them are in memory", when, x.m.part.Definitions.Bytes)
		}
	}
	check("with room for two of three", true, false, false)
	get := func(id string) {
		t.Helper()
		view, err := x.ask(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: id}})
		if err != nil || messageOf(view.(command.PlanView).Plan) != message(id) {
			t.Fatalf("get of %s: %v", id, err)
		}
	}
	get("b")
	get("a")
	check("after a look at b and a", false, false, true)
	if x.reads != 1 {
		t.Errorf("%d reads, where one was needed", x.reads)
	}
	x.step(event.Ask{What: command.RemovePlan{Name: schema.PlanName{Station: "s", PlanID: "b"}}})
	get("c")
	if x.isEvicted("a") || x.isEvicted("c") {
		t.Error("removed definitions take room")
	}
}

// Requests about plans whose definitions are evicted are answered as if they were in memory.
func TestLargeDefinitionsAreListedAndChanged(t *testing.T) {
	x := newLibrary(t, 1)
	const plans = 7
	for i := range plans {
		x.create(wordy(string(rune('a'+i)), fmt.Sprintf(onceAt, 10+i)))
	}
	x.store()
	var listed []string
	query := command.ListPlans{Limit: 5, Filter: schema.ListPlans{Caller: "somebody"}}
	for more := true; more; {
		body, err := x.ask(query)
		if err != nil {
			t.Fatal(err)
		}
		slice := body.(command.PlanSlice)
		for _, view := range slice.Plans {
			listed = append(listed, messageOf(view.Plan)[:1])
		}
		query.After, more = slice.Last, slice.More
	}
	if got := strings.Join(listed, ""); got != "abcdefg" {
		t.Errorf("listed are %s", got)
	}

	name := schema.PlanName{Station: "s", PlanID: "a"}
	update := func(fields string) schema.Created {
		t.Helper()
		body, err := x.ask(command.CreatePlan{Definition: parse(t, wordy("a", fields+`,"on_conflict":"update"`))})
		if err != nil {
			t.Fatal(err)
		}
		return body.(schema.Created)
	}
	if !x.isEvicted("a") {
		t.Fatal("a is in memory")
	}
	if c := update(fmt.Sprintf(onceAt, 10)); c.Revision != 1 {
		t.Errorf("the same definition makes revision %d", c.Revision)
	}
	if c := update(fmt.Sprintf(onceAt, 40)); c.Revision != 2 || x.isEvicted("a") {
		t.Errorf("another definition makes revision %d; before it is stored it is evicted: %t", c.Revision, x.isEvicted("a"))
	}
	x.store()
	if view, err := x.ask(command.GetPlan{Name: name}); err != nil || !strings.Contains(string(view.(command.PlanView).Plan.Raw()), "12:40") {
		t.Errorf("it is not shown as it was changed: %v", err)
	}
}

// Workers claim plans whose definitions are evicted, also where they do not wait.
func TestLargeDefinitionsAreClaimed(t *testing.T) {
	x := newLibrary(t, 1)
	x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindPull}}})
	for i := range 3 {
		x.create(wordy(string(rune('a'+i)), fmt.Sprintf(onceAt, i+1)))
	}
	x.store()
	x.until(5, 0)
	var got []string
	claim := func(wait time.Duration) {
		t.Helper()
		answers := 0
		for _, e := range append(x.all(event.Ask{From: "worker", What: command.ClaimWork{WorkerID: "w", Limit: 2, Wait: wait}}), x.until(6, 0)...) {
			if h, ok := e.(event.ClaimGranted); ok {
				answers++
				for _, o := range h.Executions {
					got = append(got, messageOf(wire.MapOf(o.Enc, o.Shared, o.SharedCount))[:1])
				}
			}
		}
		if answers != 1 {
			t.Errorf("a claim has %d answers", answers)
		}
	}
	claim(0)
	claim(time.Second)
	claim(0)
	if all := strings.Join(got, ""); all != "abc" {
		t.Errorf("%q was claimed", all)
	}
}

// If the bucket has lost a definition, no execution of it is sent, and no user is shown the
// rest of it as the whole; but replies count, deadlines pass, and it can be mended.
func TestALostDefinition(t *testing.T) {
	x := newLibrary(t, 1)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	x.create(wordy("p", `"plan_type":"minute","plan_value":10,"plan_repet":-1`))
	x.store()
	sent := dispatchedIn(x.until(10, 0))
	x.makeRoom()
	kept := x.bucket["plan.s.p"]
	delete(x.bucket, "plan.s.p")

	var refused *schema.Error
	if _, err := x.ask(command.GetPlan{Name: name}); !errors.As(err, &refused) || refused.Code != schema.CodeUnavailable {
		t.Errorf("get: %v", err)
	}
	if _, err := x.ask(command.ListPlans{Limit: 10}); err != nil {
		t.Errorf("list: %v", err)
	}
	effects := x.all(replyAbout(sent[0], schema.StateOK))
	ended, complained := false, false
	for _, e := range effects {
		switch e := e.(type) {
		case event.Publish:
			ended = e.State == schema.StateOK
		case event.Missing:
			complained = e.Name == name
		}
	}
	if !ended || !complained {
		t.Errorf("its execution has ended: %t; its loss was reported: %t", ended, complained)
	}
	reads := x.reads
	if more := dispatchedIn(x.until(22, 0)); len(more) != 0 || x.reads-reads < 2 || x.reads-reads > 6 {
		t.Errorf("%d executions were sent, and it was looked for %d times in two minutes", len(more), x.reads-reads)
	}
	x.bucket["plan.s.p"] = kept
	if more := dispatchedIn(x.until(22, 45)); len(more) != 1 {
		t.Errorf("%d executions were sent when it was there again", len(more))
	}
	x.makeRoom()
	delete(x.bucket, "plan.s.p")
	timeouts := 0
	for _, e := range x.until(40, 0) {
		if e, ok := e.(event.Publish); ok && e.State == schema.StateTimeout {
			timeouts++
		}
	}
	if timeouts == 0 {
		t.Error("deadlines do not pass")
	}
	again := parse(t, wordy("p", `"plan_type":"minute","plan_value":10,"plan_repet":-1,"on_conflict":"update"`))
	body, err := x.ask(command.CreatePlan{Definition: again})
	if err != nil || body.(schema.Created).Revision != 2 {
		t.Errorf("sent again, it is %+v, %v", body, err)
	}
	x.store()
	if more := dispatchedIn(x.until(50, 0)); len(more) == 0 || x.bucket["plan.s.p"] == nil {
		t.Error("no execution was sent when it had been sent again")
	}
}

// A reply that came in time counts, though the deadline passes while the definition is read for
// it.
func TestDeadlineWaitsForReplies(t *testing.T) {
	x := newLibrary(t, 1)
	x.create(wordy("p", fmt.Sprintf(onceAt, 5)+`,"exec_timeout":60`))
	x.store()
	sent := dispatchedIn(x.until(5, 0))
	x.makeRoom()
	effects := x.step(replyAbout(sent[0], schema.StateOK))
	read, ok := x.last(effects).(event.Fetch)
	if !ok {
		t.Fatalf("%T came of it", x.last(effects))
	}
	if effects := x.until(10, 0); len(effects) != 0 {
		t.Fatalf("%T came of a deadline", effects[0])
	}
	for _, e := range x.step(event.Fetched{Fetch: read, Raw: x.bucket["plan.s.p"]}) {
		if e, ok := e.(event.Publish); ok && e.State != schema.StateOK {
			t.Errorf("the result is %s", e.State)
		}
	}
	if len(x.m.part.Plans) != 0 {
		t.Error("the plan has not closed")
	}
}

// A follower keeps large definitions for no longer than the bucket lacks them, and leads with their
// remaining members.
func TestAFollowerKeepsNoLargeDefinitions(t *testing.T) {
	x := newLibrary(t, 1)
	x.create(wordy("p", fmt.Sprintf(onceAt, 5)))
	var rows []event.Row
	if err := event.Rows(x.b.Seal(), func(r event.Row) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	x.store()

	x.follow(rows) // append 1
	if x.isEvicted("p") {
		t.Error("it is evicted before the bucket has it")
	}
	x.m.Stored(1)
	if !x.isEvicted("p") {
		t.Error("it stays though the bucket has it")
	}

	x.m = New(config)
	for _, key := range []string{"state.s.p", "plan.s.p"} {
		if err := x.m.ReplayBucket(key, x.bucket[key]); err != nil {
			t.Fatal(err)
		}
	}
	if !x.isEvicted("p") {
		t.Error("it stays though it came from the bucket")
	}
	for _, r := range rows { // a record that is older than the bucket
		if err := x.m.Replay(1, r); err != nil {
			t.Fatal(err)
		}
	}
	x.m.Stored(1)
	x.m.Lead(x.now, 2, time.Time{})
	if sent := dispatchedIn(x.until(5, 0)); len(sent) != 1 || messageOf(wire.MapOf(sent[0].Enc, sent[0].Shared, sent[0].SharedCount)) != message("p") {
		t.Errorf("%d executions were sent", len(sent))
	}
}

// A definition that is long without messages and ext stays, because little of it would be
// evicted.
func TestALongCallerStaysInMemory(t *testing.T) {
	x := newLibrary(t, 1)
	x.create(fmt.Sprintf(`{"plan_id":"p","station":"s","command":"c","caller":%q,"description":%q,"messages":[1],%s}`,
		strings.Repeat("c", 4<<10), strings.Repeat("d", 4<<10), fmt.Sprintf(onceAt, 5)))
	x.store()
	if x.isEvicted("p") || len(x.m.part.Definitions.Of) != 0 {
		t.Error("it is evicted")
	}
}

// A result that no worker made has to fit in one append with a hundred like it. It is the same
// whether the definition is in memory or evicted, and has the creator and the caller.
func TestAResultOfALargeDefinitionRepeatsWhatFits(t *testing.T) {
	ext := strings.Repeat("e", 5<<10)
	bodies := map[bool]string{}
	for _, evicted := range []bool{false, true} {
		room := 1
		if !evicted {
			room = 1 << 20
		}
		x := newLibrary(t, room)
		x.create(wordy("p", `"description":"of it","labels":{"a":"b"},"ext":"`+ext+`",`+fmt.Sprintf(onceAt, 5)))
		x.step(event.Ask{From: "user", What: command.PausePlan{Name: schema.PlanName{Station: "s", PlanID: "p"}}})
		x.store()
		if x.isEvicted("p") != evicted {
			t.Fatalf("it is evicted: %t", x.isEvicted("p"))
		}
		var skipped []event.Publish
		for _, e := range x.until(6, 0) {
			if e, ok := e.(event.Publish); ok && e.State == schema.StateSkipped {
				skipped = append(skipped, e)
			}
		}
		if len(skipped) != 1 {
			t.Fatalf("%d results are skipped", len(skipped))
		}
		bodies[evicted] = string(skipped[0].Body)
	}
	want := `{"plan_id":"p","station":"s","command":"c","caller":"somebody","description":"of it","labels":{"a":"b"},"occurrence":1,`
	if !strings.HasPrefix(bodies[false], want) || strings.Contains(bodies[false], "ee") || len(bodies[false]) > 1<<10 {
		t.Errorf("the result is %.300s", bodies[false])
	}
	if diff := cmp.Diff(bodies[false], bodies[true]); diff != "" {
		t.Errorf("where the definition is evicted:\n%s", diff)
	}
}
