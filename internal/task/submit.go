package task

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// noCreator is the creator of a task without one, which the interface prescribes.
const noCreator = "0"

// A Submission is a task that was checked, but for its type.
type Submission struct {
	Type string
	task schema.TaskSubmit
	enc  wire.Encoding
	plan *schema.Definition // while the type adds nothing
}

// ParseSubmit checks a task as tasks.submit takes it, as far as that is possible without its
// type; newID makes its id when it has none. It has the encoding of v. The error is
// [schema.Errors], with code invalid_request or too_large.
func ParseSubmit(v wire.Value, newID func() string) (*Submission, error) {
	s := &Submission{enc: v.Encoding()}
	var c checker
	q := &s.task
	if err := wire.Decode(v, q); err != nil {
		c.errs = schema.WireErrors(schema.CodeInvalidRequest, err)
	}
	c.addAll(schema.RefuseEmpty(schema.CodeInvalidRequest, v, "id"), asTaskError)
	c.typeName(q.Type)
	c.text("tenant_id", q.TenantID)
	c.text("creator", q.Creator)
	c.text("category", q.Category)
	if q.Creator == "" {
		q.Creator = noCreator
	}
	if q.ID == "" {
		q.ID = newID()
	}
	var err error
	if s.plan, err = s.define(); err != nil {
		c.addAll(err, asTaskError)
	}
	s.Type = q.Type
	return s, c.err()
}

// Plan returns the plan of the task, whose type is t. A task without a category has its
// type's. The error is [schema.Errors].
func (s *Submission) Plan(t *schema.TaskType) (*schema.Definition, error) {
	if s.task.Category != "" || t.Category == "" {
		return s.plan, nil
	}
	s.task.Category = t.Category
	plan, err := s.define()
	if err != nil {
		var c checker
		c.addAll(err, asTaskError)
		return nil, c.errs
	}
	return plan, nil
}

// define makes the plan.
//
// A task without a start time is a plan of type none, so that submitting it again makes an equal
// plan, by which on_conflict keep distinguishes a repetition from another task.
func (s *Submission) define() (*schema.Definition, error) {
	return schema.ParsePlan(definition(&s.task, s.enc), schema.ParseOptions{})
}

// Again makes the submission of a task that is to be carried out once more, from its
// definition or its result v: the same task, due now. False: v does not have it.
func Again(v wire.Value) (*Submission, bool) {
	for _, m := range v.Field("messages").List() {
		s := &Submission{enc: v.Encoding()}
		if err := wire.DecodeLoose(m, &s.task); err != nil || s.task.ID == "" {
			return nil, false
		}
		s.task.StartTime = time.Time{}
		s.Type = s.task.Type
		var err error
		s.plan, err = s.define()
		return s, err == nil
	}
	return nil, false
}

// definition writes the plan of a task.
func definition(q *schema.TaskSubmit, enc wire.Encoding) wire.Value {
	w := wire.NewWriter(enc, make([]byte, 0, 256+len(q.Ext.Raw())))
	w.BeginMap()
	writeText(w, "plan_id", q.ID)
	writeText(w, "station", q.Type)
	writeText(w, "command", schema.TaskCommand)
	writeOwner(w, q)
	w.Key("messages")
	w.BeginList()
	writeMessage(w, q)
	w.EndList()
	if q.StartTime.IsZero() {
		writeText(w, "plan_type", string(schema.TypeNone))
	} else {
		writeText(w, "plan_type", string(schema.TypeTime))
		w.Key("plan_time")
		w.Time(q.StartTime)
		w.Key("no_keep") // a task whose time has passed runs now
		w.Bool(true)
	}
	writeDelivery(w, q)
	if q.OnConflict != "" {
		writeText(w, "on_conflict", string(q.OnConflict))
	}
	w.EndMap()
	return w.Whole()
}

// writeMessage writes the message of an agent, which is the task as it was submitted.
func writeMessage(w *wire.Writer, q *schema.TaskSubmit) {
	w.BeginMap()
	writeText(w, "id", q.ID)
	writeText(w, "type", q.Type)
	if !q.StartTime.IsZero() {
		w.Key("start_time")
		w.Time(q.StartTime)
	}
	writeOwner(w, q)
	if !q.Ext.IsZero() && q.Ext.Kind() != wire.KindNull {
		w.Key("ext")
		w.Value(q.Ext)
	}
	writeDelivery(w, q)
	w.EndMap()
}

// writeOwner writes the tenant and the creator, by which lists and claims filter.
func writeOwner(w *wire.Writer, q *schema.TaskSubmit) {
	writeText(w, "tenant_id", q.TenantID)
	writeText(w, "creator", q.Creator)
	writeText(w, "category", q.Category)
}

// writeDelivery writes the workers and the priority.
func writeDelivery(w *wire.Writer, q *schema.TaskSubmit) {
	if q.Priority != nil {
		w.Key("priority")
		w.Int(*q.Priority)
	}
	if q.WorkerCount != 0 {
		w.Key("worker_count")
		w.Int(q.WorkerCount)
	}
	if len(q.WorkerIDs) > 0 {
		w.Key("worker_ids")
		w.BeginList()
		for _, id := range q.WorkerIDs {
			w.Text(id)
		}
		w.EndList()
	}
}

func writeText(w *wire.Writer, name wire.Name, s string) {
	if s != "" {
		w.Key(name)
		w.Text(s)
	}
}

// asTaskError translates an error of a plan into one of its task.
func asTaskError(e *schema.Error) *schema.Error {
	names := map[string]string{"plan_id": "id", "station": "type", "plan_time": "start_time"}
	return asked(renamed(e, names[e.Field]))
}
