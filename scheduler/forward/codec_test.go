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

	"github.com/stationmaster-io/stationmaster/scheduler/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// due is the due time and the deadline in all commands here.
var due = time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC)

// An asked is a command of a partition, with an answer to it.
type asked struct {
	command schema.Command
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
	view := schema.PlanView{
		Plan: packed.Value(), Incarnation: 12,
		State: schema.PlanState{Status: schema.StatusExecuting, PlanTime: due, Revision: 3, Open: []schema.OpenOccurrence{{Occurrence: 1, PlanTime: due}}},
	}
	record, err := wire.ValueOf(wire.MsgPack, map[string]any{"n": 3, "accepted": due})
	if err != nil {
		t.Fatal(err)
	}
	view.Record = record
	other := view
	other.Plan = json.Value()
	station := &schema.Station{Station: "s.eu", Kind: schema.KindVote, Policy: schema.Policy{Voters: &limit}}
	forced := view
	forced.InForce = (&schema.Plan{}).InForce(station, schema.Defaults{ExecTimeout: time.Minute})
	standing := schema.Standing{PlanID: "p", Station: "s.eu", State: schema.StatusPaused, PlanTime: due, Revision: 2}
	created := schema.Created{PlanID: "p", Station: "s.eu", State: schema.StatusQueued, PlanTime: due, Created: true, Revision: 1}
	task := view
	task.Trace = &schema.TaskTrace{Accepted: due, Errors: 2, Exec: "3-0123456789abcdef", Sent: due, Deadline: due}
	claimed := schema.ClaimedName{Name: name, N: 3, Nonce: "0123456789abcdef"}
	return []asked{
		{schema.CreatePlan{Definition: json, Trace: "00-a"}, created},
		{schema.CreatePlan{Definition: packed, Task: true}, created},
		{schema.UpdatePlan{Definition: packed, Incarnation: 12, Revision: 3}, created},
		{schema.RestorePlan{Definition: packed, Record: record}, created},
		{schema.GetPlan{Name: name}, view},
		{schema.GetPlan{Name: name, InForce: true}, forced},
		{schema.LookPlans{
			Filter: schema.ListPlans{Station: "s.>", Status: schema.OneOrMany{"queued"}, PlanType: schema.TypeCron, Labels: map[string]string{"a": "b"}, DueFrom: due},
			IDs:    schema.IDRange{From: "p", To: "q"},
			Limit:  5, After: name, Records: true,
		}, schema.PlanSlice{Plans: []schema.PlanView{view, other}, Last: name, More: true}},
		{schema.PausePlan{Name: name}, standing},
		{schema.PausePlan{Name: name, Drops: true}, standing},
		{schema.ResumePlan{Name: name}, standing},
		{schema.TriggerPlan{Name: name}, schema.Triggered{PlanID: "p", Station: "s.eu", State: schema.StatusExecuting, N: 4}},
		{schema.SkipPlan{Name: name, Count: -1}, standing},
		{schema.ResetPlan{Name: name}, standing},
		{schema.CancelRun{Name: name, N: 9}, standing},
		{schema.ClosePlan{Name: name}, standing},
		{schema.RemovePlan{Name: name}, standing},
		{
			schema.ClaimWork{
				ID: "c", WorkerID: "w", Stations: []string{"s", "s.eu"}, Limit: 3, Wait: time.Second,
				TenantID: "t", Category: "c", Caller: "d", Creator: "e", Labels: map[string]string{"a": "b"}, Views: true,
			},
			schema.ClaimedWork{Executions: []schema.ClaimedExecution{
				{ClaimedName: claimed, Occurrence: 2, Attempt: 4, Priority: 9, Named: true, PlanTime: due, Body: json.Value(), Reply: "plan.reply.0.s"},
				{ClaimedName: claimed, PlanTime: due, Body: packed.Value()},
				{ClaimedName: claimed, PlanTime: due, View: &view},
			}},
		},
		{schema.StopClaim{ID: "c"}, schema.Stopped{Stopped: true}},
		{schema.ReturnWork{Executions: []schema.ClaimedName{claimed}}, schema.Returned{Returned: 1}},
		{schema.OpenRuns{Name: name}, []schema.Result{{PlanID: "p", Station: "s.eu", N: 3, PlanTime: due, State: schema.StateRunning}}},
		{schema.PushItem{
			Name: name, Definition: packed, Trace: "00-a", Item: wire.Text(wire.JSON, "x"), PlanTime: due, Retime: schema.RetimeAlways, Exact: true, Restored: true,
			Terms: schema.InboxTerms{Key: "k", Manner: schema.MannerTell, AbandonAfter: 2.5, Data: packed.Value()},
		}, schema.Pushed{PlanID: "p", Station: "s.eu", State: schema.StatusQueued, PlanTime: due, Length: 3}},
		{schema.PushItem{Name: name, Item: packed.Value()}, schema.Pushed{PlanID: "p", Station: "s.eu", State: schema.StatusQueued, Length: 3}},
		{
			schema.ClaimItems{PlanID: "q_1", Number: 3, Timeout: time.Second, Random: "r"},
			schema.Claimed{Items: []wire.Value{wire.Text(wire.MsgPack, "x")}, Data: packed.Value(), Length: 9},
		},
		{schema.LookItems{PlanID: "q_1", Number: 3}, schema.Claimed{Items: []wire.Value{}, Length: 9}},
		{schema.CompleteItems{PlanID: "q_1", Number: -1, Random: "r"}, schema.InboxLeft{Length: 2, PlanTime: due}},
		{schema.ReleaseItems{PlanID: "q_1", Random: "r", PlanTime: due}, schema.InboxLeft{Length: 2, PlanTime: due}},
		{schema.DropItems{PlanID: "q_1"}, schema.InboxLeft{Dropped: 2}},
		{schema.LookTask{Name: name}, schema.TaskLook{Plan: &task, Delivering: true}},
		{schema.LookTask{Name: name}, schema.TaskLook{}},
		{
			schema.ReportTask{
				About: schema.ReplyName{Station: "s.eu", PlanID: "p", N: 3, Nonce: "0123456789abcdef"},
				Reply: schema.Reply{State: schema.StateOK, Content: packed.Value(), WorkerID: "w"},
			},
			schema.TaskWord{Ack: schema.Ack{Ack: true, Accepted: true}, Look: schema.TaskLook{Plan: &task}},
		},
		{schema.EndTask{Name: name, Processed: true, Remark: "done by hand"}, standing},
		{schema.PutStation{Station: station}, schema.StationPut{Station: "s.eu", Kind: schema.KindVote, Created: true, Revision: 1}},
		{schema.GetStation{Station: "s.eu"}, *station},
		{schema.DeleteStation{Station: "s.eu", TaskType: true}, schema.StationDeleted{Station: "s.eu", Deleted: true}},
		{schema.LookStations{Limit: 5, After: "a"}, schema.StationSlice{Stations: []schema.Station{*station}, More: true}},
		{schema.LookWorkers{Station: "s.eu", Limit: 5, After: "w"}, schema.WorkerSlice{Workers: []schema.Worker{{WorkerID: "w", Stations: []string{"s.eu"}, LastSeen: due}}}},
	}
}

// Each verb has a route to a leader elsewhere.
func TestEachVerbHasARoute(t *testing.T) {
	for _, k := range command.All() {
		if routesByType[k.Command] == nil {
			t.Errorf("%v has no route in package forward: no node that does not lead can pass %q on", k.Command, k.Name)
		}
	}
}

// Every command arrives as it left, and so does its answer.
func TestCommandsArriveWhole(t *testing.T) {
	unsent := maps.Clone(routesByType)
	for _, c := range allAsked(t) {
		body, err := encodeRequest(schema.Dated{Command: c.command, By: due})
		if err != nil {
			t.Fatal(err)
		}
		r, command, by, err := decodeRequest(body)
		if err != nil || !by.Equal(due) {
			t.Fatalf("%T: wanted by %v: %v", c.command, by, err)
		}
		if diff := cmp.Diff(c.command, command, values); diff != "" {
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
		body, err := encodeRequest(schema.Dated{Command: c.command, By: due})
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
	for _, c := range []schema.Command{
		schema.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}},
		schema.LookPlans{Limit: 3},
		schema.SkipPlan{Count: -1},
	} {
		body, err := encodeRequest(c)
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
		again, err := encodeRequest(c)
		if err != nil {
			t.Fatalf("%#v was read and cannot be written: %v", c, err)
		}
		if _, _, _, err := decodeRequest(again); err != nil {
			t.Fatalf("%#v is read once and not twice: %v", c, err)
		}
	})
}
