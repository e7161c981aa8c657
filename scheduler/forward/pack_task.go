package forward

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A packedTask is the state of a task, with the definition in its own encoding.
type packedTask struct {
	Plan       *packedView `json:"plan,omitempty"`
	Delivering bool        `json:"delivering,omitempty"`
}

func packTask(l command.TaskLook) packedTask {
	p := packedTask{Delivering: l.Delivering}
	if l.Plan != nil {
		v := packView(*l.Plan)
		p.Plan = &v
	}
	return p
}

func (p packedTask) task() command.TaskLook {
	l := command.TaskLook{Delivering: p.Delivering}
	if p.Plan != nil {
		v := p.Plan.view()
		l.Plan = &v
	}
	return l
}

type packedReport struct {
	Ack  schema.Ack `json:"ack"`
	Look packedTask `json:"look"`
}

func packReport(w command.TaskWord) packedReport { return packedReport{w.Ack, packTask(w.Look)} }

func (p packedReport) report() command.TaskWord {
	return command.TaskWord{Ack: p.Ack, Look: p.Look.task()}
}
