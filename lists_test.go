package stationmaster_test

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// lists are all lists that the program reads, with the rule for an element that stands in
// them twice; package wire applies it, by the tag of the field. A set keeps the first one,
// because the order of such a list means nothing, or a repeated name adds nothing to it. A
// list keeps everything, because each element stands for itself. A distinct list is
// refused.
var lists = map[string]string{
	"schema.Plan.WorkerIDs":                  "set",  // the workers that may execute it, in the order of preference
	"schema.TaskSubmit.WorkerIDs":            "set",  // likewise
	"schema.TaskFetch.Types":                 "set",  // the types to look in
	"internal/command.ClaimWork.Stations":    "set",  // likewise
	"schema.ListPlans.Status":                "set",  // any of them
	"schema.ListPlans.Waits":                 "set",  // any of them
	"schema.PlanCalendar.Status":             "set",  // any of them
	"schema.PlanCalendar.Waits":              "set",  // any of them
	"schema.ListTasks.Status":                "set",  // likewise
	"schema.HTTPCall.SuccessStatus":          "set",  // likewise
	"internal/cronjob.body.SuccessStatus":    "set",  // likewise
	"schema.NamedSecret.Hosts":               "set",  // any of them
	"schema.Worker.Stations":                 "set",  // the stations that it serves
	"schema.Node.Leads":                      "set",  // partitions
	"schema.Node.Results":                    "set",  // any of them
	"schema.Node.Partitions":                 "list", // of which the newest leadership counts
	"schema.Here.Epochs":                     "list", // each is read by itself, and a repetition changes nothing
	"schema.Schedule.Exclude":                "set",  // any of them excludes
	"schema.PeriodicPut.Exclude":             "set",  // as of a plan
	"schema.PeriodicPut.Only":                "set",  // likewise
	"schema.PeriodicTask.Exclude":            "set",  // likewise
	"schema.PeriodicTask.Only":               "set",  // likewise
	"internal/cronjob.body.Exclude":          "set",  // likewise
	"internal/cronjob.body.Only":             "set",  // likewise
	"schema.Schedule.Only":                   "set",  // each of them has to hold the time
	"schema.Calendar.Days":                   "list", // the first one names a day
	"schema.Calendar.Except":                 "list", // a repetition changes nothing
	"schema.Calendar.Windows":                "list", // likewise
	"schema.CalendarWindow.Weekdays":         "set",  // any of them
	"schema.Plan.Messages":                   "list", // frames, delivered as they are
	"schema.Retry.Sequence":                  "list", // one delay for each retry
	"schema.TaskConfig.RetrySequence":        "list", // likewise
	"schema.TaskBatch.Tasks":                 "list", // each is a request; on_conflict decides about the second
	"schema.Import.Plans":                    "list", // likewise
	"schema.Restore.Plans":                   "list", // likewise
	"internal/command.ReturnWork.Executions": "list", // each is a request, and the second changes nothing

	// Of the records that plans.restore reads.
	"scheduler/machine/state.Occurrence.Ended": "distinct", // numbers, each given once
	"scheduler/machine/state.Record.Open":      "list",     // recordCheck refuses repetitions
	"scheduler/machine/state.Occurrence.Live":  "list",     // likewise
	"scheduler/machine/state.Several.Done":     "list",     // likewise
	"scheduler/machine/state.Several.Again":    "list",     // likewise
	"scheduler/machine/state.Ballot.Votes":     "list",     // a restored execution has none
}

// written are the types that only the program writes, which are answers, executions, results,
// messages between nodes, and outcomes of commands.
var written = []string{
	"schema.OpenOccurrence", "schema.PlanState", "schema.PlanPage", "schema.RunPage", "schema.Previewed", "schema.PreviewedOccurrence",
	"schema.Imported", "schema.ImportDropped", "schema.ExportPage", "schema.StationPage", "schema.UsedStationPage", "schema.Overviewed", "schema.LatenessCounts", "schema.StatsPoints", "internal/command.Counters", "internal/command.CounterPoint", "schema.CalendarPage", "schema.CalendarDays", "internal/command.CalendarSlice", "schema.WorkerPage", "schema.WorkerView", "internal/command.PlanSlice",
	"internal/command.StationSlice", "internal/command.WorkerSlice", "schema.Execution", "schema.Result", "internal/command.Claimed",
	"schema.ClaimPage", "internal/command.ClaimedWork", "schema.QueueGot", "schema.QueuePage", "schema.TaskTypePage",
	"schema.TasksSubmitted", "schema.TaskPage", "schema.PeriodicPage", "schema.PeriodicLogPage", "schema.SecretPage", "schema.JoinedAck",
	"schema.RetryTerms", "internal/cronjob.Task", "internal/cronjob.Page", "schema.StationPut", "schema.StationDeleted", "schema.SecretPut", "schema.SecretDeleted", "schema.CalendarPut", "schema.NoTime", "schema.TaskTypePut", "schema.PeriodicStanding", "schema.Created", "schema.DryRun", "schema.DueCalendar", "schema.DueCell", "schema.Timeline", "schema.TimelineRow", "internal/command.OpenSlice",
}

// TestEachListThatIsReadHasARuleForDoubles checks that every list of a type that is
// read from outside has a rule, because a repeated element without one once stopped every
// leader.
func TestEachListThatIsReadHasARuleForDoubles(t *testing.T) {
	found := map[string]string{}
	for _, dir := range []string{"schema", "internal/command", "internal/cronjob"} {
		for name, tag := range listsOf(t, dir) {
			of, _, _ := cutLast(name)
			if !slices.Contains(written, of) {
				found[name] = tag
			}
		}
	}
	const records = "scheduler/machine/state"
	rules := fieldRules(t, records)
	for name := range listsOf(t, records) {
		if rule, is := rules[name]; is {
			found[name] = rule
		}
	}
	for name, tag := range found {
		if want, known := lists[name]; !known {
			t.Errorf("%s is a list: tag it `wire:\"…\"` set, list or distinct, and note the reason here", name)
		} else if tag != want {
			t.Errorf("%s is tagged `wire:%q`, and the table has %q", name, tag, want)
		}
	}
	for name := range lists {
		if _, there := found[name]; !there {
			t.Errorf("%s is no list any more", name)
		}
	}
}

func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	return name[:i], name[i+1:], i >= 0
}

// listsOf returns the lists among the exported fields of a folder's types, with their rule.
func listsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	eachFile(t, dir, func(file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			of, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			fields, is := of.Type.(*ast.StructType)
			if !is {
				return true
			}
			for _, f := range fields.Fields.List {
				for _, field := range f.Names {
					if field.IsExported() && isList(f.Type) {
						found[dir+"."+of.Name.Name+"."+field.Name] = ruleOf(f)
					}
				}
			}
			return true
		})
	})
	return found
}

func isList(of ast.Expr) bool {
	switch of := of.(type) {
	case *ast.ArrayType:
		element, is := of.Elt.(*ast.Ident)
		return of.Len == nil && (!is || element.Name != "byte")
	case *ast.Ident:
		return of.Name == "OneOrMany"
	default:
		return false
	}
}

func ruleOf(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	return reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("wire")
}

// fieldRules returns the rule of each field that the types of a folder pass to a
// wire.Fields, as in wire.List(f, "open", &r.Open, …): those that Numbers reads are
// distinct.
func fieldRules(t *testing.T, dir string) map[string]string {
	t.Helper()
	rules := map[string]string{}
	eachFile(t, dir, func(file *ast.File) {
		for _, declared := range file.Decls {
			f, is := declared.(*ast.FuncDecl)
			if !is || f.Name.Name != "fields" || f.Recv == nil {
				continue
			}
			of := f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is {
					return true
				}
				for _, arg := range call.Args {
					ref, is := arg.(*ast.UnaryExpr)
					if !is || ref.Op != token.AND {
						continue
					}
					if field, is := ref.X.(*ast.SelectorExpr); is {
						rule := "list"
						if read, is := call.Fun.(*ast.SelectorExpr); is && read.Sel.Name == "Numbers" {
							rule = "distinct"
						}
						rules[dir+"."+of+"."+field.Sel.Name] = rule
					}
				}
				return true
			})
		}
	})
	return rules
}
