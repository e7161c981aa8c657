package gateway

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema"
)

func loaded(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(newDocument("1.2.3", "https://example.org"))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestEveryRouteIsInTheDocument(t *testing.T) {
	doc := loaded(t)
	ids := map[string]bool{}
	for _, r := range routes {
		item := doc.Paths.Value(r.path)
		if item == nil || item.GetOperation(r.method) == nil {
			t.Errorf("%s %s is not in it", r.method, r.path)
			continue
		}
		op := item.GetOperation(r.method)
		if ids[op.OperationID] || op.OperationID == "" || op.Summary == "" {
			t.Errorf("%s %s: operation %q, summary %q", r.method, r.path, op.OperationID, op.Summary)
		}
		ids[op.OperationID] = true
		if op.Responses.Default() == nil || len(op.Tags) != 1 || doc.Tags.Get(op.Tags[0]) == nil {
			t.Errorf("%s %s: no default response, or an undefined tag: %v", r.method, r.path, op.Tags)
		}
	}
}

// A GET changes nothing, so a reader's token is enough, except for the list of secrets; a
// route that changes something takes an operator's.
func TestReadersOnlyRead(t *testing.T) {
	for _, r := range routes {
		if reads := r.method == http.MethodGet && r.id != "secrets.list" || r.id == "plans.preview"; reads == (r.role == operator || r.role == worker) && r.role > holder {
			t.Errorf("%s %s takes a token of an %v", r.method, r.path, r.role)
		}
	}
}

func TestEveryComponentIsUsedOrListed(t *testing.T) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(components, &all); err != nil {
		t.Fatal(err)
	}
	document := string(newDocument("1", ""))
	for name := range all {
		if name != "Event" && name != "FieldChange" && !strings.Contains(document, `"#/components/schemas/`+name+`"`) {
			t.Errorf("no route refers to %s", name)
		}
	}
}

// The shapes in components.json are those of the Go types, member by member.
func TestComponentsAreTheTypes(t *testing.T) {
	doc := loaded(t)
	for name, typ := range map[string]any{
		"Task": cronjob.Task{}, "TaskState": cronjob.Standing{}, "Run": cronjob.Run{}, "TaskPage": taskPage{}, "RunPage": runPage{}, "TaskTriggered": taskTriggered{},
		"Session": session{}, "NodeList": nodeList{}, "Node": schema.Node{}, "LedPartition": schema.LedPartition{},
		"PartitionList": partitionList{}, "Partition": partition{}, "StreamList": streamList{}, "Stream": Stream{}, "Callback": callback{}, "CallbackTaken": callbackTaken{}, "Error": schema.Error{},
		"Plan": schema.Plan{}, "PlanState": schema.PlanState{}, "PlanView": schema.PlanView{}, "PlanPage": schema.PlanPage{},
		"PlanCreated": schema.Created{}, "PlanStanding": schema.Standing{}, "PlanTriggered": schema.Triggered{}, "Retry": schema.Retry{}, "DryRun": schema.DryRun{}, "FieldChange": schema.FieldChange{}, "ClockChange": schema.ClockChange{},
		"Result": schema.Result{}, "Because": schema.Because{}, "NextDue": schema.Next{}, "Late": schema.Late{}, "Waits": schema.Waits{}, "ResultPage": schema.RunPage{}, "ResultView": schema.RunView{}, "Preview": schema.Preview{},
		"PlanRemoval": schema.Remove{}, "TaskRemoval": cronjob.Removal{}, "Explanation": schema.Explanation{}, "ExplainedRule": schema.Rule{}, "LastSuccess": schema.LastOK{}, "Previewed": schema.Previewed{}, "PreviewedOccurrence": schema.PreviewedOccurrence{}, "PreviewNote": schema.Note{}, "Import": schema.Import{}, "Imported": schema.Imported{}, "Station": schema.Station{},
		"Calendar": schema.Calendar{}, "CalendarDay": schema.CalendarDay{}, "CalendarWindow": schema.CalendarWindow{}, "CalendarPut": schema.CalendarPut{}, "NoTime": schema.NoTime{}, "PlanName": schema.PlanName{},
		"CalendarDeleted": schema.CalendarDeleted{}, "CalendarSummary": schema.CalendarSummary{}, "CalendarPage": schema.CalendarPage{}, "CalendarDays": schema.CalendarDays{}, "NamedDay": schema.NamedDay{},
		"StationPut": schema.StationPut{}, "StationDeleted": schema.StationDeleted{},
		"StationCallback": schema.Callback{}, "CallbackTarget": schema.CallbackTarget{}, "CallbackSecurity": schema.CallbackSecurity{},
		"StationPage": schema.StationPage{}, "StationUse": schema.StationUse{}, "StationStats": schema.StationStats{}, "ResultCounts": schema.ResultCounts{},
		"Overview": shownOverview{}, "PlanCounts": schema.PlanCounts{}, "ExecutionCounts": schema.ExecutionCounts{}, "LatenessCounts": schema.LatenessCounts{},
		"DuePlan": schema.DuePlan{}, "Trouble": schema.Trouble{}, "StatsSeries": schema.StatsPoints{}, "StatsMark": schema.Mark{}, "TaskType": schema.TaskType{}, "TaskConfig": schema.TaskConfig{},
		"Worker": schema.Worker{}, "WorkerPage": schema.WorkerPage{}, "WorkerView": schema.WorkerView{}, "WorkerExecution": schema.WorkerExecution{}, "Event": schema.Notice{},
		"TaskTypeInput": schema.TaskType{}, "TaskTypePut": schema.TaskTypePut{}, "TaskTypeDeleted": schema.TaskTypeDeleted{}, "TaskTypePage": schema.TaskTypePage{},
		"AsyncTask": schema.Task{}, "AsyncTaskPage": schema.TaskPage{}, "AsyncTaskSubmit": schema.TaskSubmit{}, "AsyncTaskBatch": schema.TaskBatch{},
		"AsyncTaskSubmitted": schema.TaskSubmitted{}, "AsyncTasksSubmitted": schema.TasksSubmitted{}, "AsyncTaskEnd": schema.TaskEnd{}, "AsyncTaskFetch": schema.TaskFetch{},
		"AsyncTaskStanding": schema.TaskStanding{}, "AsyncTaskReport": schema.TaskReport{}, "AsyncTaskReported": schema.TaskReported{},
		"PeriodicTask": schema.PeriodicTask{}, "PeriodicPut": schema.PeriodicPut{}, "PeriodicStanding": schema.PeriodicStanding{},
		"PeriodicDeleted": schema.PeriodicDeleted{}, "PeriodicPage": schema.PeriodicPage{},
		"PeriodicLog": schema.PeriodicLog{}, "PeriodicLogPage": schema.PeriodicLogPage{},
		"QueuePushed": queuePushed{}, "QueueCleared": queueCleared{},
		"Queue": schema.Queue{}, "QueuePage": schema.QueuePage{}, "QueuePush": schema.QueuePush{}, "QueueTaken": schema.QueuePushed{},
		"QueueGet": schema.QueueGet{}, "QueueGot": schema.QueueGot{}, "QueueComplete": schema.QueueComplete{}, "QueueCompleted": schema.QueueCompleted{},
		"QueueRelease": schema.QueueRelease{}, "QueueReleased": schema.QueueReleased{}, "QueueDeleted": schema.QueueDeleted{}, "QueueRetried": schema.QueueRetried{},
	} {
		component := doc.Components.Schemas[name]
		if component == nil {
			t.Errorf("there is no component %s", name)
			continue
		}
		got := slices.Sorted(maps.Keys(component.Value.Properties))
		want := slices.Sorted(slices.Values(members(reflect.TypeOf(typ))))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-type +component):\n%s", name, diff)
		}
	}
}

func members(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, members(f.Type)...)
		case name != "-":
			names = append(names, name)
		}
	}
	return names
}

// The document avoids constructs that client generators cannot handle, or handle badly: a
// type that is one of several (oapi-codegen fails), and a default, which makes a request's
// field required (openapi-typescript). Null beside a type is well supported.
func TestTheDocumentIsWhatGeneratorsTake(t *testing.T) {
	var doc struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(newDocument("1.2.3", ""), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Components.Schemas) < 20 {
		t.Fatalf("%d components", len(doc.Components.Schemas))
	}
	var look func(where string, v any)
	look = func(where string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if types, several := v["type"].([]any); several && (len(types) != 2 || types[1] != "null") {
				t.Errorf("%s is of types %v", where, types)
			}
			if d, has := v["default"]; has && v["type"] != nil {
				t.Errorf("%s has the default %v", where, d)
			}
			for name, part := range v {
				look(where+"."+name, part)
			}
		case []any:
			for _, part := range v {
				look(where, part)
			}
		}
	}
	look("schemas", doc.Components.Schemas)
}
