package forward

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// due is the due time and the deadline in all commands here.
var due = time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC)

// An asked is a command of a partition, with an answer to it.
type asked struct {
	command command.Command
	answer  any
}

// allAsked has each command, and some of them more than once.
func allAsked(t *testing.T) []asked {
	t.Helper()
	name := schema.PlanName{Station: "s.eu", PlanID: "p"}
	limit := int64(7)
	json := definition(t, `{"station":"s.eu","plan_id":"p","command":"c","plan_type":"none","messages":[9007199254740993,"x"],"ext":{"a":1.5}}`)
	packed, err := schema.ParsePlan(json.Value().In(wire.MsgPack), schema.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	json.Plan.OnConflict = schema.ConflictKeep
	view := command.PlanView{
		PlanView: schema.PlanView{
			Plan:  packed.Value(),
			State: schema.PlanState{Status: schema.StatusExecuting, PlanTime: due, Revision: 3, Open: []schema.OpenOccurrence{{Occurrence: 1, PlanTime: due}}},
		},
		Incarnation: 12,
	}
	record, err := wire.ValueOf(wire.MsgPack, map[string]any{"n": 3, "accepted": due})
	if err != nil {
		t.Fatal(err)
	}
	view.Record = record
	other := view
	other.Plan = json.Value()
	ordered := view
	ordered.Runs, ordered.Due = "oe-", command.DuePlace{At: 1772366400000005, Handle: -1}
	station := &schema.Station{Station: "s.eu", Kind: schema.KindVote, Policy: schema.Policy{Voters: &limit}}
	forced := view
	forced.InForce = (&schema.Plan{}).InForce(station, schema.Defaults{ExecTimeout: time.Minute})
	standing := schema.Standing{PlanID: "p", Station: "s.eu", State: schema.StatusPaused, PlanTime: due, Revision: 2}
	created := schema.Created{PlanID: "p", Station: "s.eu", State: schema.StatusQueued, PlanTime: due, Created: true, Revision: 1}
	task := view
	task.Trace = &command.TaskTrace{Accepted: due, Errors: 2, Exec: "3-0123456789abcdef", Sent: due, Deadline: due}
	claimed := command.ClaimedName{Name: name, N: 3, Nonce: "0123456789abcdef"}
	explained := command.Explained{
		Known: schema.Explanation{
			Station: "s.eu", PlanID: "p", Verdict: schema.VerdictWaits, Occurrence: 4, PlanTime: due,
			Waits: &schema.Waits{For: schema.WaitRoom, Occurrence: 4, Since: due}, Because: &schema.Because{Station: "s.eu", UnderWay: 2, Limit: 2},
		},
		Plan: json.Value(), Station: &schema.Station{Station: "s.eu", Policy: schema.Policy{MaxConcurrency: new(int64(2))}},
		Defaults: schema.Defaults{ExecTimeout: time.Minute, StartTimeout: 1500 * time.Millisecond}, Incarnation: 12,
	}
	calendar := &schema.Calendar{
		CalendarID: "c", Timezone: "Europe/Berlin", Revision: 4,
		Days:    []schema.CalendarDay{{Easter: new(int64(-2)), Name: "Good Friday"}, {Date: "2026-12-24", Until: "2026-12-26"}},
		Windows: []schema.CalendarWindow{{From: "22:00", To: "06:00", Weekdays: []string{"fri"}}},
	}
	return []asked{
		{command.CreatePlan{Definition: json, Trace: "00-a"}, created},
		{command.CreatePlan{Definition: packed, Task: true}, created},
		{command.UpdatePlan{Definition: packed, Incarnation: 12, Revision: 3}, created},
		{command.RestorePlan{Definition: packed, Record: record}, created},
		{command.GetPlan{Name: name}, view},
		{command.GetPlan{Name: name, InForce: true}, forced},
		{command.ListPlans{
			Filter: schema.ListPlans{Station: "s.>", Status: schema.OneOrMany{"queued"}, PlanType: schema.TypeCron, Labels: map[string]string{"a": "b"}, DueFrom: due},
			IDs:    command.IDRange{From: "p", To: "q"},
			Limit:  5, After: name, Records: true,
		}, command.PlanSlice{Plans: []command.PlanView{view, other}, Last: name, More: true}},
		{command.ListPlans{
			Filter: schema.ListPlans{Prefix: "s.eu/p", Order: schema.OrderDue, Fields: schema.FieldsBrief, Runs: 20},
			Limit:  5, Count: true, Due: command.DuePlace{At: 1772366400000005, Handle: 7},
		}, command.PlanSlice{Plans: []command.PlanView{ordered}, Last: name, Due: command.DuePlace{Rest: true}, Count: 9}},
		{command.ListPlans{Limit: 1, Span: command.DueSpan{From: 1772366400, Until: 1772370000, Each: true}}, command.PlanSlice{Last: name, Count: 3, Groups: []command.DueGroup{
			{Station: "s", Plans: 2, First: 1772366400, Last: 1772366460, Step: 20},
			{Station: "s", PlanID: "p", Plans: 1, First: 1772366400, Count: 3},
			{Station: "s", Plans: 1, Plan: packed.Value(), Accepted: due, Base: 2, PrevK: 3, PrevAt: due, Own: true},
		}}},
		{command.ListOpen{Station: "s.>", Before: due, After: 7}, command.OpenSlice{Last: 9, More: true, Open: []command.OpenRun{{
			TimelineBar: schema.TimelineBar{Station: "s.eu", PlanID: "p", N: 3, Attempt: 1, Due: due, Start: due, State: schema.StateRunning}, WorkerID: "w",
		}}}},
		{command.PausePlan{Name: name}, standing},
		{command.PausePlan{Name: name, Drops: true}, standing},
		{command.ResumePlan{Name: name}, standing},
		{command.TriggerPlan{Name: name}, schema.Triggered{PlanID: "p", Station: "s.eu", State: schema.StatusExecuting, N: 4}},
		{command.SkipPlan{Name: name, Count: -1}, standing},
		{command.ResetPlan{Name: name}, standing},
		{command.CancelRun{Name: name, N: 9}, standing},
		{command.ClosePlan{Name: name}, standing},
		{command.RemovePlan{Name: name}, standing},
		{
			command.ClaimWork{
				ID: "c", WorkerID: "w", Stations: []string{"s", "s.eu"}, Limit: 3, Wait: time.Second,
				TenantID: "t", Category: "c", Caller: "d", Creator: "e", Labels: map[string]string{"a": "b"}, Views: true,
			},
			command.ClaimedWork{Executions: []command.ClaimedExecution{
				{ClaimedName: claimed, Occurrence: 2, Attempt: 4, Priority: 9, Named: true, PlanTime: due, Body: json.Value(), Reply: "plan.reply.0.s"},
				{ClaimedName: claimed, PlanTime: due, Body: packed.Value()},
				{ClaimedName: claimed, PlanTime: due, View: &view},
			}},
		},
		{command.StopClaim{ID: "c"}, command.Stopped{Stopped: true}},
		{command.ReturnWork{Executions: []command.ClaimedName{claimed}}, command.Returned{Returned: 1}},
		{command.OpenRuns{Name: name}, []schema.Result{{PlanID: "p", Station: "s.eu", N: 3, PlanTime: due, State: schema.StateRunning}}},
		{command.ExplainPlan{Name: name, Occurrence: 4}, explained},
		{command.ExplainPlan{Name: name, N: 4}, explained},
		{command.ExplainPlan{Name: name, At: due}, explained},
		{command.PushItem{
			Name: name, Definition: packed, Trace: "00-a", Item: wire.Text(wire.JSON, "x"), PlanTime: due, Retime: schema.RetimeAlways, Exact: true, Restored: true,
			Terms: command.InboxTerms{Key: "k", Manner: schema.MannerTell, AbandonAfter: 2.5, Data: packed.Value()},
		}, schema.Pushed{PlanID: "p", Station: "s.eu", State: schema.StatusQueued, PlanTime: due, Length: 3}},
		{command.PushItem{Name: name, Item: packed.Value()}, schema.Pushed{PlanID: "p", Station: "s.eu", State: schema.StatusQueued, Length: 3}},
		{
			command.ClaimItems{PlanID: "q_1", Number: 3, Timeout: time.Second, Random: "r"},
			command.Claimed{Items: []wire.Value{wire.Text(wire.MsgPack, "x")}, Data: packed.Value(), Length: 9},
		},
		{command.ListItems{PlanID: "q_1", Number: 3}, command.Claimed{Items: []wire.Value{}, Length: 9}},
		{command.CompleteItems{PlanID: "q_1", Number: -1, Random: "r"}, command.InboxLeft{Length: 2, PlanTime: due}},
		{command.ReleaseItems{PlanID: "q_1", Random: "r", PlanTime: due}, command.InboxLeft{Length: 2, PlanTime: due}},
		{command.DropItems{PlanID: "q_1"}, command.InboxLeft{Dropped: 2}},
		{command.GetTask{Name: name}, command.TaskView{Plan: &task, Delivering: true}},
		{command.GetTask{Name: name}, command.TaskView{}},
		{
			command.ReportTask{
				About: schema.ReplyName{Station: "s.eu", PlanID: "p", N: 3, Nonce: "0123456789abcdef"},
				Reply: schema.Reply{State: schema.StateOK, Content: packed.Value(), WorkerID: "w"},
			},
			command.TaskReported{Ack: schema.Ack{Ack: true, Accepted: true}, Task: command.TaskView{Plan: &task}},
		},
		{command.EndTask{Name: name, Processed: true, Remark: "done by hand"}, standing},
		{command.PutStation{Station: station}, schema.StationPut{Station: "s.eu", Kind: schema.KindVote, Created: true, Revision: 1}},
		{command.GetStation{Station: "s.eu"}, *station},
		{command.DeleteStation{Station: "s.eu", TaskType: true}, schema.StationDeleted{Station: "s.eu", Deleted: true}},
		{command.PutStation{Station: &schema.Station{Station: "s.eu", Kind: schema.KindAPI}, Was: new(uint64(3))}, schema.StationPut{Station: "s.eu", Kind: schema.KindAPI, Revision: 4}},
		{command.DeleteStation{Station: "s.eu", DryRun: true}, schema.StationDeleted{Station: "s.eu", DryRun: true, Plans: 2, Dropped: []string{"retry"}}},
		{command.ListStations{Limit: 5, After: "a"}, command.StationSlice{Stations: []schema.Station{*station}, More: true}},
		{command.ListStations{Used: true, Station: "s.eu"}, command.StationSlice{Stations: []schema.Station{*station}, Used: []schema.UsedStation{{
			Station: *station,
			StationUse: schema.StationUse{Put: true, Stats: schema.StationStats{
				Station: "s.eu", Plans: 2, Waiting: map[schema.WaitFor]int64{schema.WaitRoom: 1}, OldestWait: due,
				Results: map[string]schema.ResultCounts{"1h": {States: map[schema.State]int64{}, Reasons: map[schema.Reason]int64{}}},
			}},
		}}}},
		{command.PutCalendar{Calendar: calendar, Was: new(uint64(3))}, schema.CalendarPut{CalendarID: "c", Created: true, Revision: 4}},
		{command.GetCalendar{CalendarID: "c"}, *calendar},
		{command.DeleteCalendar{CalendarID: "c"}, schema.CalendarDeleted{CalendarID: "c", Deleted: true}},
		{command.ListCalendars{Limit: 5, After: "a"}, command.CalendarSlice{Calendars: []schema.CalendarSummary{{CalendarID: "c", Revision: 4, Plans: 2}}, More: true}},
		{command.ReadCounters{}, command.Counters{Since: due, Overview: &schema.Overviewed{
			AsOf: due, Plans: schema.PlanCounts{Total: 1, ByStatus: map[schema.Status]int64{schema.StatusQueued: 1}, ByType: map[schema.PlanType]int64{}},
			Executions: schema.ExecutionCounts{Waiting: map[schema.WaitFor]int64{}}, Results: map[string]schema.ResultCounts{}, Lateness: map[string]schema.LatenessCounts{},
			NextDue: []schema.DuePlan{{Station: "s", PlanID: "p", PlanTime: due}}, Trouble: []schema.Trouble{{Kind: schema.TroubleLate, Count: 2}},
		}}},
		{command.ReadCounters{Station: "s", Step: 60, Points: 60}, command.Counters{Since: due, Points: []command.CounterPoint{{
			T: 5, States: map[schema.State]int64{schema.StateOK: 1}, Reasons: map[schema.Reason]int64{}, Lateness: schema.LatenessCounts{Buckets: []int64{1}},
		}}}},
		{command.GetWorker{WorkerID: "w"}, command.FoundWorker{There: true, WorkerView: schema.WorkerView{
			Worker: schema.Worker{WorkerID: "w", Stations: []string{"s.eu"}, LastSeen: due, WorkerBuild: schema.WorkerBuild{Host: "h", Library: "l", Since: due}}, Rate1m: 5, More: true,
			Executions: []schema.WorkerExecution{{PlanName: name, Occurrence: 2, N: 3, Attempt: 1, State: schema.StateRunning, Since: due, Deadline: due, Progress: new(12.5)}},
		}}},
		{command.ListWorkers{Station: "s.eu", Limit: 5, After: "w"}, command.WorkerSlice{Workers: []schema.Worker{{WorkerID: "w", Stations: []string{"s.eu"}, LastSeen: due}}}},
	}
}

// Each verb has a route to a leader elsewhere.
func TestEachVerbHasARoute(t *testing.T) {
	for _, k := range verb.All() {
		if routesByType[k.Command] == nil {
			t.Errorf("%v has no route in package forward: no node that does not lead can pass %q on", k.Command, k.Name)
		}
	}
}

// Every command arrives as it left, and so does its answer.
func TestCommandsArriveWhole(t *testing.T) {
	unsent := maps.Clone(routesByType)
	asked := schema.Attribution{By: "ada", Note: "why"}
	for _, c := range allAsked(t) {
		body, err := encodeRequest(command.Dated{Command: c.command, By: due, Asked: asked}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, arrived, _, err := decodeRequest(body)
		if err != nil || !arrived.By.Equal(due) || arrived.Asked != asked {
			t.Fatalf("%T: wanted by %v, asked for by %v: %v", c.command, arrived.By, arrived.Asked, err)
		}
		if diff := cmp.Diff(c.command, arrived.Command, values); diff != "" {
			t.Errorf("%T arrives otherwise:\n%s", c.command, diff)
		}
		if body, err = encodeResponse(r, c.answer, nil); err != nil {
			t.Fatal(err)
		}
		var got response
		if err := scanInto(body, &got); err != nil {
			t.Fatal(err)
		}
		answer, err := r.open(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.answer, answer, values); diff != "" {
			t.Errorf("the answer to %T arrives otherwise:\n%s", c.command, diff)
		}
		delete(unsent, reflect.TypeOf(c.command))
	}
	for missing := range unsent {
		t.Errorf("no case for %v", missing)
	}
}

// The encoding is frozen, because nodes of two builds forward to each other while a cluster is
// restarted node by node.
func TestFrozenCommands(t *testing.T) {
	var out strings.Builder
	for _, c := range allAsked(t) {
		body, err := encodeRequest(command.Dated{Command: c.command, By: due}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r := routesByType[reflect.TypeOf(c.command)]
		answer, err := encodeResponse(r, c.answer, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %x %x\n", r.Name, body, answer)
	}
	for _, refused := range []error{&schema.Error{Code: schema.CodeNotFound, Message: "gone"}, errors.New("what else"), ErrElsewhere} {
		body, err := encodeResponse(nil, nil, refused)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "error %x\n", body)
	}
	fmt.Fprintf(&out, "present %x %x\n", presence(false), presence(true))
	want, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("they are written otherwise:\n%s", diff)
	}
}

var values = cmp.Comparer(func(a, b wire.Value) bool {
	return a.Encoding() == b.Encoding() && string(a.Raw()) == string(b.Raw())
})

func definition(t *testing.T, text string) *schema.Definition {
	t.Helper()
	v, err := wire.Scan([]byte(text), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestErrorsComeBackAsTheyAre(t *testing.T) {
	r := routesByVerb["get"]
	for _, asked := range []error{
		&schema.Error{Code: schema.CodeNotFound, Message: "gone", Field: "plan_id"},
		&schema.Error{Code: schema.CodeQuotaExceeded, Message: "used up", RetryAfterMS: 40, TenantID: "acme"},
		schema.Errors{{Code: schema.CodeConflict, Message: "one"}},
	} {
		body, err := encodeResponse(r, nil, asked)
		if err != nil {
			t.Fatal(err)
		}
		var got response
		if err := scanInto(body, &got); err != nil {
			t.Fatal(err)
		}
		var want *schema.Error
		if !errors.As(asked, &want) || got.Error == nil || *got.Error != *want || got.Moved {
			t.Errorf("%v comes back as %+v", asked, got)
		}
	}
}

// A request of a later release is refused with an error, and does no harm.
func TestAnUnknownCommandIsRefused(t *testing.T) {
	body, err := wire.Marshal(wire.MsgPack, request{Verb: "dance", Command: wire.MapOf(wire.MsgPack, nil, 0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{body, []byte("{}"), []byte("x"), {0xc1}, body[:len(body)-1]} {
		if _, _, _, err := decodeRequest(b); err == nil {
			t.Errorf("%q was taken", b)
		}
	}
}

func FuzzRequest(f *testing.F) {
	for _, c := range []command.Command{
		command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}},
		command.ListPlans{Limit: 3},
		command.SkipPlan{Count: -1},
	} {
		body, err := encodeRequest(c, 0)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, c, _, err := decodeRequest(body)
		if err != nil {
			return
		}
		again, err := encodeRequest(c, 0)
		if err != nil {
			t.Fatalf("%#v was read and cannot be written: %v", c, err)
		}
		if _, _, _, err := decodeRequest(again); err != nil {
			t.Fatalf("%#v is read once and not twice: %v", c, err)
		}
	})
}

// Nodes of two releases find each other by the subject, so it never changes.
func TestTheSubjectOfALeaderIsFrozen(t *testing.T) {
	if got, want := subjectOf(schema.Space{}, 0), "scheduler.lead.0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := subjectOf(schema.Space{Prefix: "acme", Partitions: 4}, 3), "acme.scheduler.lead.3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
