package manifest

import (
	"context"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Collect returns all present stations and plans, or those of a station, or of all below a
// name that ends in ".>", in the form for Write. Plans that pushes make, merge queues and
// undelivered callbacks, are left out, and so are the stations of task types with their tasks,
// because task_types.put and the verbs of tasks make them; leftOut counts all of these plans.
func Collect(ctx context.Context, c *client.Client, station string) (stations, plans []wire.Value, leftOut int, err error) {
	types := map[string]bool{}
	prefix, many := strings.CutSuffix(station, ".>")
	for record, err := range c.Stations().All(ctx) {
		if err != nil {
			return nil, nil, 0, fmt.Errorf("list stations: %w", err)
		}
		types[record.Station] = record.TaskType != nil
		wanted := station == "" || record.Station == station || many && strings.HasPrefix(record.Station, prefix+".")
		if !wanted || record.TaskType != nil {
			continue
		}
		record.Revision = 0
		v, err := wire.ValueOf(wire.JSON, record)
		if err != nil {
			return nil, nil, 0, err
		}
		stations = append(stations, v)
	}
	for view, err := range c.Plans().All(ctx, schema.ListPlans{Station: station}) {
		if err != nil {
			return nil, nil, 0, fmt.Errorf("list plans: %w", err)
		}
		var d schema.Plan
		if view.State.Inbox != nil || wire.DecodeLoose(view.Plan, &d) == nil && types[d.Station] {
			leftOut++
			continue
		}
		plans = append(plans, asItIs(&view))
	}
	return stations, plans, leftOut, nil
}

// SetsOf counts the plans of each set; those of none are in no set.
func SetsOf(plans []wire.Value) map[string]int {
	sets := map[string]int{}
	for _, v := range plans {
		if set, has := v.Field("labels").Field(Label).Text(); has {
			sets[set]++
		}
	}
	return sets
}

// OfSet are the plans of one set.
func OfSet(plans []wire.Value, set string) (of []wire.Value) {
	for _, v := range plans {
		if has, _ := v.Field("labels").Field(Label).Text(); has == set {
			of = append(of, v)
		}
	}
	return of
}

// HiddenIn names the plans with hidden headers, by the names that people use.
func HiddenIn(plans []wire.Value) (titles []string) {
	for _, v := range plans {
		if schema.HasHidden(v) {
			titles = append(titles, titleOf(nameOf(v), v))
		}
	}
	return titles
}

// asItIs is a definition with its plan's present pause, because the member that it was made
// with is of that time. It has no such member when the plan is not paused.
func asItIs(view *schema.PlanView) wire.Value {
	return withPause(view.Plan, view.State.Status == schema.StatusPaused)
}

// withPause is a plan that is made paused, or not.
func withPause(v wire.Value, paused bool) wire.Value {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	writeMembers(w, v, "paused")
	if paused {
		w.Key("paused")
		w.Bool(true)
	}
	w.EndMap()
	return w.Whole()
}

// writeMembers writes the members of a map but the one of a name.
func writeMembers(w *wire.Writer, v wire.Value, but string) {
	for name, member := range v.Map() {
		if name != but {
			w.KeyText(name)
			w.Value(member)
		}
	}
}

// Write writes calendars, stations and plans as a file that Read takes. Plans are written as their
// publishers sent them, without the labels of sets.
func Write(out io.Writer, calendars, stations, plans []wire.Value) error {
	f := map[string][]any{}
	for _, v := range calendars {
		f["calendars"] = append(f["calendars"], written(v.In(wire.JSON)))
	}
	for _, v := range stations {
		f["stations"] = append(f["stations"], written(v.In(wire.JSON)))
	}
	for _, v := range plans {
		plan, _ := written(v.In(wire.JSON)).(map[string]any)
		if labels, ok := plan["labels"].(map[string]any); ok {
			if delete(labels, Label); len(labels) == 0 {
				delete(plan, "labels")
			}
		}
		f["plans"] = append(f["plans"], plan)
	}
	var file yaml.Node
	if err := file.Encode(f); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	quoteEndless(&file)
	to := yaml.NewEncoder(out)
	to.SetIndent(2)
	if err := to.Encode(&file); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	return to.Close()
}

// quoteEndless puts texts in quotes that would be refused as too large a number, which the
// YAML library writes as they are.
func quoteEndless(n *yaml.Node) {
	if isEndless(n) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, inner := range n.Content {
		quoteEndless(inner)
	}
}

// written is a JSON value for the YAML library, numbers with their own digits.
func written(v wire.Value) any {
	switch v.Kind() {
	case wire.KindMap:
		m := map[string]any{}
		for name, member := range v.Map() {
			m[name] = written(member)
		}
		return m
	case wire.KindList:
		list := []any{}
		for _, element := range v.List() {
			list = append(list, written(element))
		}
		return list
	case wire.KindInt, wire.KindFloat:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.String()}
	default:
		return v.Any()
	}
}
