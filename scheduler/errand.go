package scheduler

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An errand is a command on its way to a leader in another process, on
// scheduler.lead.<partition>; its answer comes back as a tidings. Both are
// MessagePack, and nobody but schedulers may send or read them.
type errand struct {
	Verb    string     `json:"verb"`
	Command wire.Value `json:"command"`
	// By is until when somebody waits for the answer.
	By time.Time `json:"by,omitzero"`
}

// tidings are the answer to an errand: a body, or an error.
type tidings struct {
	Body  wire.Value    `json:"body,omitzero"`
	Error *schema.Error `json:"error,omitempty"`
	// Moved says that nothing was done, since the node that was asked does not lead any
	// more, or not yet: whoever leads now may be asked.
	Moved bool `json:"moved,omitempty"`
	// Stuck says, to who only asks whether somebody leads, that nothing can be written.
	Stuck bool `json:"stuck,omitempty"`
}

// A route says how a command and its answer travel.
type route struct {
	verb    string
	pack    func(schema.Command) any
	unpack  func(wire.Value) (schema.Command, error)
	enclose func(answer any) (any, error)
	open    func(wire.Value) (any, error)
}

// routesByType and routesByVerb have each command that a partition takes.
var routesByType, routesByVerb = func() (map[reflect.Type]*route, map[string]*route) {
	byType, byVerb := map[reflect.Type]*route{}, map[string]*route{}
	for _, enter := range []func() (reflect.Type, *route){
		carried("create", packCreate, packedPlan.create, same[schema.Created], same[schema.Created]),
		carried("update", packUpdate, packedPlan.update, same[schema.Created], same[schema.Created]),
		carried("restore", packRestore, packedPlan.restore, same[schema.Created], same[schema.Created]),
		carried("get", same[schema.GetPlan], sure[schema.GetPlan], packView, packedView.view),
		carried("look", same[schema.LookPlans], sure[schema.LookPlans], packSlice, packedSlice.slice),
		plain[schema.PausePlan, schema.Standing]("pause"),
		plain[schema.ResumePlan, schema.Standing]("resume"),
		plain[schema.TriggerPlan, schema.Triggered]("trigger"),
		plain[schema.SkipPlan, schema.Standing]("skip"),
		plain[schema.ResetPlan, schema.Standing]("reset"),
		plain[schema.CancelRun, schema.Standing]("cancel"),
		plain[schema.ClosePlan, schema.Standing]("close"),
		plain[schema.RemovePlan, schema.Standing]("remove"),
		carried("push", packPush, packedPush.push, same[schema.Pushed], same[schema.Pushed]),
		plain[schema.ClaimItems, schema.Claimed]("claim"),
		plain[schema.LookItems, schema.Claimed]("look_items"),
		plain[schema.CompleteItems, schema.InboxLeft]("complete"),
		plain[schema.ReleaseItems, schema.InboxLeft]("release"),
		plain[schema.DropItems, schema.InboxLeft]("drop"),
		carried("claim_work", same[schema.ClaimWork], sure[schema.ClaimWork], packWork, packedWork.work),
		plain[schema.StopClaim, schema.Stopped]("stop_claim"),
		plain[schema.ReturnWork, schema.Returned]("return_work"),
		plain[schema.OpenRuns, []schema.Result]("runs"),
		carried("look_task", same[schema.LookTask], sure[schema.LookTask], packTask, packedTask.task),
		carried("report_task", same[schema.ReportTask], sure[schema.ReportTask], packWord, packedWord.word),
		plain[schema.EndTask, schema.Standing]("end_task"),
		plain[schema.PutStation, schema.StationPut]("put_station"),
		plain[schema.GetStation, schema.Station]("get_station"),
		plain[schema.DeleteStation, schema.StationDeleted]("delete_station"),
		plain[schema.LookStations, schema.StationSlice]("look_stations"),
		plain[schema.LookWorkers, schema.WorkerSlice]("look_workers"),
	} {
		of, r := enter()
		byType[of], byVerb[r.verb] = r, r
	}
	return byType, byVerb
}()

// plain is the route of a C, answered with an A, both of which travel as they are.
func plain[C schema.Command, A any](verb string) func() (reflect.Type, *route) {
	return carried(verb, same[C], sure[C], same[A], same[A])
}

// carried is the route of a C, which travels as a P, and is answered with an A,
// which travels as a Q.
func carried[C schema.Command, P, A, Q any](
	verb string, pack func(C) P, unpack func(P) (C, error), enclose func(A) Q, open func(Q) A,
) func() (reflect.Type, *route) {
	return func() (reflect.Type, *route) {
		return reflect.TypeFor[C](), &route{
			verb: verb,
			pack: func(c schema.Command) any { return pack(c.(C)) },
			unpack: func(v wire.Value) (schema.Command, error) {
				var p P
				if err := wire.DecodeLoose(v, &p); err != nil {
					return nil, err
				}
				return unpack(p)
			},
			enclose: func(answer any) (any, error) {
				a, ok := answer.(A)
				if !ok {
					return nil, fmt.Errorf("%s was answered with a %T", verb, answer)
				}
				return enclose(a), nil
			},
			open: func(v wire.Value) (any, error) {
				var q Q
				if err := wire.DecodeLoose(v, &q); err != nil {
					return nil, err
				}
				return open(q), nil
			},
		}
	}
}

func same[T any](t T) T          { return t }
func sure[T any](t T) (T, error) { return t, nil }

// packedPlan is a definition with what is asked of it. Its bytes were checked where
// the request came in.
type packedPlan struct {
	Raw         []byte            `json:"raw"`
	OnConflict  schema.OnConflict `json:"on_conflict,omitempty"`
	Trace       string            `json:"trace,omitempty"`
	Task        bool              `json:"task,omitempty"`
	Incarnation uint64            `json:"incarnation,omitempty"`
	Revision    uint64            `json:"revision,omitempty"`
	Record      wire.Value        `json:"record,omitzero"`
}

func packCreate(c schema.CreatePlan) packedPlan {
	return packedPlan{Raw: c.Definition.Raw, OnConflict: c.Definition.Plan.OnConflict, Trace: c.Trace, Task: c.Task}
}

func (p packedPlan) create() (schema.CreatePlan, error) {
	d, err := p.definition()
	return schema.CreatePlan{Definition: d, Trace: p.Trace, Task: p.Task}, err
}

// A packedPush keeps definition, item and data in their own encodings.
type packedPush struct {
	Name     schema.PlanName   `json:"name"`
	Raw      []byte            `json:"raw,omitempty"`
	Trace    string            `json:"trace,omitempty"`
	Item     []byte            `json:"item"`
	Enc      wire.Encoding     `json:"enc"`
	PlanTime time.Time         `json:"plan_time,omitzero"`
	Retime   schema.Retime     `json:"retime,omitempty"`
	Exact    bool              `json:"exact,omitempty"`
	Restored bool              `json:"restored,omitempty"`
	Terms    schema.InboxTerms `json:"terms"`
}

func packPush(c schema.PushItem) packedPush {
	p := packedPush{
		Name: c.Name, Trace: c.Trace, Item: c.Item.Raw(), Enc: c.Item.Encoding(),
		PlanTime: c.PlanTime, Retime: c.Retime, Exact: c.Exact, Restored: c.Restored, Terms: c.Terms,
	}
	if c.Definition != nil {
		p.Raw = c.Definition.Raw
	}
	return p
}

func (p packedPush) push() (schema.PushItem, error) {
	c := schema.PushItem{
		Name: p.Name, Trace: p.Trace, Item: wire.Trust(p.Enc, p.Item),
		PlanTime: p.PlanTime, Retime: p.Retime, Exact: p.Exact, Restored: p.Restored, Terms: p.Terms,
	}
	if p.Raw == nil {
		return c, nil
	}
	d, err := schema.LoadDefinition(p.Raw)
	c.Definition = d
	return c, err
}

func packUpdate(c schema.UpdatePlan) packedPlan {
	return packedPlan{Raw: c.Definition.Raw, Incarnation: c.Incarnation, Revision: c.Revision}
}

func (p packedPlan) update() (schema.UpdatePlan, error) {
	d, err := p.definition()
	return schema.UpdatePlan{Definition: d, Incarnation: p.Incarnation, Revision: p.Revision}, err
}

func packRestore(c schema.RestorePlan) packedPlan {
	return packedPlan{Raw: c.Definition.Raw, OnConflict: c.Definition.Plan.OnConflict, Record: c.Record}
}

func (p packedPlan) restore() (schema.RestorePlan, error) {
	d, err := p.definition()
	return schema.RestorePlan{Definition: d, Record: p.Record}, err
}

func (p packedPlan) definition() (*schema.Definition, error) {
	d, err := schema.LoadDefinition(p.Raw)
	if err != nil {
		return nil, err
	}
	d.Plan.OnConflict = p.OnConflict
	return d, nil
}

// A packedView keeps the definition in its own encoding, whatever the rest is in.
type packedView struct {
	Plan        []byte            `json:"plan"`
	State       schema.PlanState  `json:"state"`
	InForce     *schema.InForce   `json:"in_force,omitempty"`
	Incarnation uint64            `json:"incarnation"`
	Record      wire.Value        `json:"record,omitzero"`
	Trace       *schema.TaskTrace `json:"trace,omitempty"`
}

func packView(v schema.PlanView) packedView {
	return packedView{Plan: v.Plan.Raw(), State: v.State, InForce: v.InForce, Incarnation: v.Incarnation, Record: v.Record, Trace: v.Trace}
}

func (p packedView) view() schema.PlanView {
	return schema.PlanView{
		Plan: wire.Trust(wire.Detect(p.Plan), p.Plan), State: p.State, InForce: p.InForce,
		Incarnation: p.Incarnation, Record: p.Record, Trace: p.Trace,
	}
}

type packedSlice struct {
	Plans []packedView    `json:"plans"`
	Last  schema.PlanName `json:"last"`
	More  bool            `json:"more"`
}

func packSlice(s schema.PlanSlice) packedSlice {
	out := packedSlice{Last: s.Last, More: s.More}
	for _, v := range s.Plans {
		out.Plans = append(out.Plans, packView(v))
	}
	return out
}

func (p packedSlice) slice() schema.PlanSlice {
	out := schema.PlanSlice{Last: p.Last, More: p.More}
	for _, v := range p.Plans {
		out.Plans = append(out.Plans, v.view())
	}
	return out
}

// packedWork keeps each execution, and its plan, in their own encodings.
type packedWork struct {
	Executions []packedClaimed `json:"executions"`
}

type packedClaimed struct {
	Name       schema.ClaimedName `json:"name"`
	Occurrence int64              `json:"occurrence"`
	Attempt    int64              `json:"attempt"`
	Priority   int64              `json:"priority"`
	Named      bool               `json:"named,omitempty"`
	PlanTime   time.Time          `json:"plan_time"`
	Body       []byte             `json:"body"`
	Enc        wire.Encoding      `json:"enc"`
	Reply      string             `json:"reply"`
	View       *packedView        `json:"view,omitempty"`
}

func packWork(w schema.ClaimedWork) packedWork {
	var out packedWork
	for _, e := range w.Executions {
		p := packedClaimed{
			Name: e.ClaimedName, Occurrence: e.Occurrence, Attempt: e.Attempt, Priority: e.Priority, Named: e.Named, PlanTime: e.PlanTime,
			Body: e.Body.Raw(), Enc: e.Body.Encoding(), Reply: e.Reply,
		}
		if e.View != nil {
			view := packView(*e.View)
			p.View = &view
		}
		out.Executions = append(out.Executions, p)
	}
	return out
}

func (p packedWork) work() schema.ClaimedWork {
	var out schema.ClaimedWork
	for _, e := range p.Executions {
		c := schema.ClaimedExecution{
			ClaimedName: e.Name, Occurrence: e.Occurrence, Attempt: e.Attempt, Priority: e.Priority, Named: e.Named, PlanTime: e.PlanTime,
			Body: wire.Trust(e.Enc, e.Body), Reply: e.Reply,
		}
		if e.View != nil {
			view := e.View.view()
			c.View = &view
		}
		out.Executions = append(out.Executions, c)
	}
	return out
}

func typeOf(c schema.Command) reflect.Type { return reflect.TypeOf(c) }

// encodeErrand writes c as it travels.
func encodeErrand(c schema.Command) ([]byte, error) {
	c, by := schema.Bare(c)
	r := routesByType[typeOf(c)]
	if r == nil {
		return nil, fmt.Errorf("a %T has no route to a leader elsewhere", c)
	}
	command, err := wire.ValueOf(wire.MsgPack, r.pack(c))
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", r.verb, err)
	}
	return wire.Marshal(wire.MsgPack, errand{r.verb, command, by})
}

// decodeErrand is the inverse of encodeErrand.
func decodeErrand(body []byte) (*route, schema.Command, time.Time, error) {
	var e errand
	if err := scanInto(body, &e); err != nil {
		return nil, nil, time.Time{}, err
	}
	r := routesByVerb[e.Verb]
	if r == nil {
		return nil, nil, time.Time{}, fmt.Errorf("errand %q is not known in this release", e.Verb)
	}
	c, err := r.unpack(e.Command)
	if err != nil {
		return nil, nil, time.Time{}, fmt.Errorf("decode %s: %w", e.Verb, err)
	}
	return r, c, e.By, nil
}

// encodeTidings writes the answer to an errand that took route r.
func encodeTidings(r *route, answer any, asked error) ([]byte, error) {
	var t tidings
	switch {
	case errors.Is(asked, errElsewhere):
		t.Moved = true
		return wire.Marshal(wire.MsgPack, t)
	case asked != nil:
		if !errors.As(asked, &t.Error) {
			t.Error = &schema.Error{Code: schema.CodeInternal, Message: asked.Error()}
		}
		return wire.Marshal(wire.MsgPack, t)
	}
	enclosed, err := r.enclose(answer)
	if err != nil {
		return nil, err
	}
	body, err := wire.ValueOf(wire.MsgPack, enclosed)
	if err != nil {
		return nil, fmt.Errorf("encode the answer to %s: %w", r.verb, err)
	}
	t.Body = body
	return wire.Marshal(wire.MsgPack, t)
}

// maxDepth leaves room around what has the depth of a definition.
const maxDepth = 64

// moved says whether m is the answer of who does not lead.
func moved(m *nats.Msg) bool {
	var t tidings
	return scanInto(m.Data, &t) == nil && t.Moved
}

// presence is what a leader answers who is only asked whether it is there.
func presence(stuck bool) []byte {
	if !stuck {
		return []byte("{}") // no tidings: so did leaders of earlier releases answer
	}
	body, err := wire.Marshal(wire.MsgPack, tidings{Stuck: true})
	if err != nil {
		panic(err) // a bool
	}
	return body
}

// stuck says whether m is the presence of who leads and cannot write.
func stuck(m *nats.Msg) bool {
	var t tidings
	return scanInto(m.Data, &t) == nil && t.Stuck
}

// scanInto decodes a message between schedulers. Its size is bounded by the server,
// and what is in it was bounded when it came in.
func scanInto(body []byte, dst any) error {
	v, err := wire.ScanAs(wire.MsgPack, body, wire.Limits{Items: len(body), Depth: maxDepth})
	if err != nil {
		return err
	}
	return wire.DecodeLoose(v, dst)
}
