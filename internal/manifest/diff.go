package manifest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Label is on every plan that an apply has made; its value is the name of the set.
const Label = schema.LabelOfSet

const defaultSet = "default"

// Options of a comparison.
type Options struct {
	// Set is the name that plans are labelled with. Empty: `default`.
	Set string
	// Prune removes the plans that an earlier apply of the same set made and the files no
	// longer have.
	Prune bool
	// Move takes plans over from another set.
	Move bool
	// PruneMost lets Prune remove more than half of the set's plans.
	PruneMost bool
	// Same is called for each missing plan that is no change because it came to its end,
	// with a line such as "= plan hello/fin has run". Note is called with other remarks for
	// people. Nil: no call.
	Same, Note func(line string)
}

func report(f func(string), format string, args ...any) {
	if f != nil {
		f(fmt.Sprintf(format, args...))
	}
}

// ErrPrunesMost is returned, beside the changes, when more than half of a set's plans would
// be removed, because the wrong folder may have been read.
var ErrPrunesMost = errors.New("more than half of the set would be removed")

// Action is the verb of a change.
type Action string

const (
	Create Action = "create"
	Update Action = "update"
	Pause  Action = "pause"
	Resume Action = "resume"
	Remove Action = "remove"
)

// A Change is one difference between files and installation.
type Change struct {
	Action Action
	What   string // "plan hello/office", "station hello"
	Fields []Field

	// Warning is the warning in the answer to the change; empty: none.
	Warning string

	plan     schema.PlanName // zero: the change is of a station
	value    wire.Value      // the request
	revision uint64          // of the plan to remove
}

// A Field is one differing field, its values in JSON; empty: absent.
type Field struct{ Name, Old, New string }

// String renders a change for people: a line, and one for each field.
func (c *Change) String() string {
	sign := map[Action]string{Create: "+", Remove: "-"}[c.Action]
	if sign == "" {
		sign = "~"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", sign, c.Action, c.What)
	if c.Action == Update && sameButHidden(c.plan, c.Fields) {
		b.WriteString("\n    ~ messages: headers that are not shown have other values")
		return b.String()
	}
	for _, f := range c.Fields {
		if f.Old != "" {
			fmt.Fprintf(&b, "\n    - %s: %s", f.Name, c.shown(f.Name, f.Old))
		}
		if f.New != "" {
			fmt.Fprintf(&b, "\n    + %s: %s", f.Name, c.shown(f.Name, f.New))
		}
	}
	return b.String()
}

// titleOf names a plan with the name that people use, too.
func titleOf(name schema.PlanName, definition wire.Value) string {
	title := "plan " + name.String()
	if known := schema.KnownAs(definition); known != "" {
		title += " (" + known + ")"
	}
	return title
}

// Diff compares files with the installation. Calendars and stations come first, because plans
// may need them; removals come last, of plans alone. The calendar's errors about plans that are new or differ are
// returned for all of them, each with file and line.
func Diff(ctx context.Context, c *client.Client, want *Set, o Options) ([]Change, error) {
	if o.Set == "" {
		o.Set = defaultSet
	}
	var changes []Change
	for _, v := range want.Calendars {
		more, err := diffCalendar(ctx, c, v)
		if invalid, is := errors.AsType[*schema.Error](err); is && invalid.Code == schema.CodeInvalidPlan {
			id, _ := v.Field("calendar_id").Text()
			return nil, fmt.Errorf("%s: %w", want.where["calendar "+id], err)
		}
		if err != nil {
			return nil, err
		}
		changes = append(changes, more...)
	}
	for _, v := range want.Stations {
		more, err := want.diffStation(ctx, c, v)
		if err != nil {
			return nil, err
		}
		changes = append(changes, more...)
	}
	var wrong []error
	idle := idleFields{kinds: want.kinds()}
	wanted := map[schema.PlanName]bool{}
	for _, v := range want.Plans {
		wanted[nameOf(v)] = true
		more, err := diffPlan(ctx, c, v, o)
		if invalid, is := errors.AsType[*schema.Error](err); errors.Is(err, ErrOfAnotherSet) || is && invalid.Code == schema.CodeInvalidPlan {
			wrong = append(wrong, fmt.Errorf("%s: %w", want.where["plan "+nameOf(v).String()], err))
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(more) > 0 {
			idle.look(ctx, c, v)
			wrong = append(wrong, want.preview(ctx, c, v))
			if err := want.traceless(&more[0], o); err != nil {
				return nil, err
			}
		}
		changes = append(changes, more...)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	idle.report(o)
	if !o.Prune {
		return changes, noteLeft(ctx, c, wanted, movesOf(changes), o)
	}
	removed, err := prune(ctx, c, wanted, movesOf(changes), o)
	return append(changes, removed...), err
}

// preview validates a plan that does not exist yet.
func (s *Set) preview(ctx context.Context, c *client.Client, v wire.Value) error {
	err := c.Do(ctx, "plans", "preview", schema.Preview{Plan: s.withoutNew(v), Count: 1}, nil)
	if wrong, is := errors.AsType[*schema.Error](err); is && wrong.Code == schema.CodeInvalidPlan {
		name := "plan " + nameOf(v).String()
		return fmt.Errorf("%s: %s: %w", s.where[name], name, wrong)
	}
	return err
}

func isNotFound(err error) bool { return errors.Is(err, client.ErrNotFound) }

func (s *Set) diffStation(ctx context.Context, c *client.Client, v wire.Value) ([]Change, error) {
	name, _ := v.Field("station").Text()
	change := Change{Action: Create, What: "station " + name, value: v}
	present, err := c.Stations().Get(ctx, name)
	if isNotFound(err) {
		change.Fields = fieldsOf(wire.Value{}, v)
		return []Change{change}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get station %s: %w", name, err)
	}
	revision := present.Revision
	present.Revision = 0
	was, err := wire.ValueOf(wire.JSON, present)
	if err != nil {
		return nil, err
	}
	if s.kindless[name] && present.Kind != schema.KindAPI {
		return nil, fmt.Errorf("%s: %w", s.where["station "+name], &schema.Error{
			Code: schema.CodeConflict, Field: "kind",
			Message: fmt.Sprintf("kind is missing, and station %s, which is there, is of kind %s: say that again to keep it, or kind: api to change it", name, present.Kind),
		})
	}
	change.Action, change.value = Update, inPlaceOf(v, revision)
	change.Fields = fieldsOf(was, v)
	if v.Field("kind").IsZero() && present.Kind == schema.KindAPI { // the meaning of an absent kind
		change.Fields = slices.DeleteFunc(change.Fields, func(f Field) bool { return f.Name == "kind" })
	}
	if len(change.Fields) == 0 {
		return nil, nil
	}
	return []Change{change}, nil
}

// inPlaceOf is the put of a record that takes the place of a revision alone; 0: of any.
func inPlaceOf(record wire.Value, revision uint64) wire.Value {
	if revision == 0 { // of an earlier release
		return record
	}
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	for name, member := range record.Map() {
		w.KeyText(name)
		w.Value(member)
	}
	w.Key("revision")
	w.Uint(revision)
	w.EndMap()
	return w.Whole()
}

func diffPlan(ctx context.Context, c *client.Client, v wire.Value, o Options) ([]Change, error) {
	name := nameOf(v)
	v = labelled(v, o.Set)
	view, err := c.PlanNamed(name).Get(ctx)
	if isNotFound(err) {
		plan, err := readPlan(v)
		if err != nil {
			return nil, err
		}
		why, err := goneBy(ctx, c, plan)
		if why != "" {
			report(o.Same, "= %s %s", titleOf(name, v), why)
		}
		if why != "" || err != nil {
			return nil, err
		}
		if err := schema.CheckHidden(v, wire.Value{}); err != nil {
			return nil, fmt.Errorf("plan %s: %w", name, err)
		}
		return []Change{{Action: Create, What: titleOf(name, v), Fields: newFieldsOf(v), plan: name, value: v}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get plan %s: %w", name, err)
	}
	if of, ok := view.Plan.Field("labels").Field(Label).Text(); ok && of != o.Set && !o.Move {
		return nil, fmt.Errorf("plan %s: %w", name, &otherSetError{of})
	}
	if err := forgotten(v, view.Plan); err != nil {
		return nil, fmt.Errorf("plan %s: %w", name, err)
	}
	if v, err = schema.KeepHidden(v, view.Plan); err == nil { // as an update would
		err = schema.CheckHidden(v, view.Plan)
	}
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", name, err)
	}
	var changes []Change
	fields := fieldsOf(view.Plan, v)
	if sameButHidden(name, fields) && isStored(ctx, c, update(fields, name, view.State.Revision), view.State.Revision) {
		fields = nil
	}
	if len(fields) > 0 {
		if view.Plan.Field("labels").Field(Label).IsZero() {
			report(o.Note, "plan %s was made by hand, and is of set %s from now on: --prune removes it once the files no longer have it", name, o.Set)
		}
		if err := endsUnrun(ctx, c, v); err != nil {
			return nil, fmt.Errorf("plan %s: %w", name, err)
		}
		changes = append(changes, Change{
			Action: Update, What: titleOf(name, v), Fields: fields, plan: name,
			value: update(fields, name, view.State.Revision),
		})
	}
	if paused, given := v.Field("paused").Bool(); given && paused != (view.State.Status == schema.StatusPaused) {
		change := Change{Action: Resume, What: titleOf(name, v), plan: name}
		if paused {
			change.Action = Pause
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// forgotten refuses a plan of a file without a plan_type that has another one than none, as the
// scheduler does, so that a dry run shows it, and the error has the line.
func forgotten(v, was wire.Value) error {
	if !v.Field("plan_type").IsZero() || was.Field("plan_type").IsZero() {
		return nil
	}
	var p schema.Plan
	if err := wire.DecodeLoose(was, &p); err != nil || p.PlanType == schema.TypeNone {
		return err
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: "plan_type",
		Message: fmt.Sprintf("plan_type is missing, and the plan that is there is of type %s: say that again to keep it, or plan_type: none to run it once, now, and end it", p.PlanType),
	}
}

// labelled is a plan with the label of a set.
func labelled(v wire.Value, set string) wire.Value {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	writeMembers(w, v, "labels")
	w.Key("labels")
	w.BeginMap()
	writeMembers(w, v.Field("labels"), Label)
	w.Key(Label)
	w.Text(set)
	w.EndMap()
	w.EndMap()
	return w.Whole()
}

// unmanaged are members that a file does not manage: how a plan was made and who asked for it, and the notes
// that REST keeps of a task.
var unmanaged = []string{"on_conflict", "paused", "ext", "by", "note"}

// fieldsOf compares two maps, member by member.
func fieldsOf(was, want wire.Value) (fields []Field) {
	for name, v := range want.Map() {
		old, now := plain(was.Field(name)), plain(v)
		if old != now && !ignored(name, want) {
			fields = append(fields, Field{name, old, now})
		}
	}
	for name, v := range was.Map() {
		if want.Field(name).IsZero() && !ignored(name, want) {
			fields = append(fields, Field{name, plain(v), ""})
		}
	}
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// newFieldsOf are the fields of a plan that is made, and that it is made paused, which a change of
// one has as an action of its own.
func newFieldsOf(v wire.Value) []Field {
	fields := fieldsOf(wire.Value{}, v)
	if paused, _ := v.Field("paused").Bool(); paused {
		fields = append(fields, Field{"paused", "", "true"})
		slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	}
	return fields
}

// ignored reports whether a member is left out of the comparison; a file's ext is compared.
func ignored(name string, want wire.Value) bool {
	return slices.Contains(unmanaged, name) && (name != "ext" || want.Field(name).IsZero())
}

// plain is the canonical JSON of a value, equal for values of the same meaning.
func plain(v wire.Value) string {
	if v.IsZero() || v.Kind() == wire.KindNull {
		return ""
	}
	return string(v.Canonical())
}

// update writes the request that resolves the differences.
func update(fields []Field, name schema.PlanName, revision uint64) wire.Value {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	w.Key("station")
	w.Text(name.Station)
	w.Key("plan_id")
	w.Text(name.PlanID)
	for _, f := range fields {
		w.KeyText(f.Name)
		if f.New == "" {
			w.Null()
		} else {
			w.Value(wire.Trust(wire.JSON, []byte(f.New)))
		}
	}
	w.Key("revision")
	w.Uint(revision)
	w.EndMap()
	return w.Whole()
}

// Apply carries out changes, in order, and returns how many were. It stops at the first
// refusal: if a plan has changed since the comparison the error is a conflict, and
// comparing again shows the remaining changes.
func Apply(ctx context.Context, c *client.Client, changes []Change) (done int, err error) {
	for i := range changes {
		if err := changes[i].apply(ctx, c); err != nil {
			return i, fmt.Errorf("%s %s: %w", changes[i].Action, changes[i].What, err)
		}
	}
	return len(changes), nil
}

func (c *Change) apply(ctx context.Context, by *client.Client) (err error) {
	switch {
	case c.plan == (schema.PlanName{}) && !c.value.Field("calendar_id").IsZero():
		var put schema.CalendarPut
		if err = by.Do(ctx, "calendars", "put", c.value, &put); err == nil && put.NoTime != nil {
			c.Warning = put.NoTime.String()
		}
		return err
	case c.plan == (schema.PlanName{}):
		return by.Do(ctx, "stations", "put", c.value, nil)
	case c.Action == Create:
		return by.Do(ctx, "plans", "create", c.value, nil)
	case c.Action == Update:
		return by.Do(ctx, "plans", "update", c.value, nil)
	case c.Action == Pause:
		_, err = by.PlanNamed(c.plan).Pause(ctx)
	case c.Action == Resume:
		_, err = by.PlanNamed(c.plan).Resume(ctx)
	case c.Action == Remove:
		_, err = by.PlanNamed(c.plan).RemoveRevision(ctx, c.revision)
	}
	return err
}
