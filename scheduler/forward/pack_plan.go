package forward

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// packedPlan is a definition with the parameters of its command. The front of the sending node
// has checked its bytes.
type packedPlan struct {
	Raw         []byte            `json:"raw"`
	OnConflict  schema.OnConflict `json:"on_conflict,omitempty"`
	Trace       string            `json:"trace,omitempty"`
	Task        bool              `json:"task,omitempty"`
	Incarnation uint64            `json:"incarnation,omitempty"`
	Revision    uint64            `json:"revision,omitempty"`
	Record      wire.Value        `json:"record,omitzero"`
}

func packCreate(c command.CreatePlan) packedPlan {
	return packedPlan{Raw: c.Definition.Raw, OnConflict: c.Definition.Plan.OnConflict, Trace: c.Trace, Task: c.Task}
}

func (p packedPlan) create() (command.CreatePlan, error) {
	d, err := p.definition()
	return command.CreatePlan{Definition: d, Trace: p.Trace, Task: p.Task}, err
}

func packUpdate(c command.UpdatePlan) packedPlan {
	return packedPlan{Raw: c.Definition.Raw, Incarnation: c.Incarnation, Revision: c.Revision}
}

func (p packedPlan) update() (command.UpdatePlan, error) {
	d, err := p.definition()
	return command.UpdatePlan{Definition: d, Incarnation: p.Incarnation, Revision: p.Revision}, err
}

// packedPause leaves out a member that other nodes may not know.
type packedPause struct {
	Name  schema.PlanName `json:"Name"`
	Drops bool            `json:"drops,omitempty"`
}

func packPause(c command.PausePlan) packedPause { return packedPause(c) }

func (p packedPause) pause() (command.PausePlan, error) { return command.PausePlan(p), nil }

func packRestore(c command.RestorePlan) packedPlan {
	return packedPlan{Raw: c.Definition.Raw, OnConflict: c.Definition.Plan.OnConflict, Record: c.Record}
}

func (p packedPlan) restore() (command.RestorePlan, error) {
	d, err := p.definition()
	return command.RestorePlan{Definition: d, Record: p.Record}, err
}

func (p packedPlan) definition() (*schema.Definition, error) {
	d, err := schema.LoadDefinition(p.Raw)
	if err != nil {
		return nil, err
	}
	d.Plan.OnConflict = p.OnConflict
	return d, nil
}

// A packedView keeps the definition in its own encoding, whichever the rest is in.
type packedView struct {
	Plan        []byte             `json:"plan"`
	State       schema.PlanState   `json:"state"`
	InForce     *schema.InForce    `json:"in_force,omitempty"`
	Incarnation uint64             `json:"incarnation"`
	Record      wire.Value         `json:"record,omitzero"`
	Trace       *command.TaskTrace `json:"trace,omitempty"`
	Runs        string             `json:"runs,omitempty"`
	Due         command.DuePlace   `json:"due,omitzero"`
}

func packView(v command.PlanView) packedView {
	return packedView{Plan: v.Plan.Raw(), State: v.State, InForce: v.InForce, Incarnation: v.Incarnation, Record: v.Record, Trace: v.Trace, Runs: v.Runs, Due: v.Due}
}

func (p packedView) view() command.PlanView {
	return command.PlanView{
		PlanView: schema.PlanView{
			Plan:    wire.Trust(wire.Detect(p.Plan), p.Plan),
			State:   p.State,
			InForce: p.InForce,
			Runs:    p.Runs,
		},
		Incarnation: p.Incarnation,
		Record:      p.Record,
		Trace:       p.Trace,
		Due:         p.Due,
	}
}

type packedSlice struct {
	Plans  []packedView       `json:"plans"`
	Last   schema.PlanName    `json:"last"`
	More   bool               `json:"more"`
	Due    command.DuePlace   `json:"due,omitzero"`
	Count  int64              `json:"count,omitempty"`
	Groups []command.DueGroup `json:"groups,omitempty"`
}

func packSlice(s command.PlanSlice) packedSlice {
	out := packedSlice{Last: s.Last, More: s.More, Due: s.Due, Count: s.Count, Groups: s.Groups}
	for _, v := range s.Plans {
		out.Plans = append(out.Plans, packView(v))
	}
	return out
}

func (p packedSlice) slice() command.PlanSlice {
	out := command.PlanSlice{Last: p.Last, More: p.More, Due: p.Due, Count: p.Count, Groups: p.Groups}
	for _, v := range p.Plans {
		out.Plans = append(out.Plans, v.view())
	}
	return out
}
