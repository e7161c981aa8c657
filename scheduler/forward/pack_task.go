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

func packTask(l command.TaskView) packedTask {
	p := packedTask{Delivering: l.Delivering}
	if l.Plan != nil {
		v := packView(*l.Plan)
		p.Plan = &v
	}
	return p
}

func (p packedTask) task() command.TaskView {
	l := command.TaskView{Delivering: p.Delivering}
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

func packReport(w command.TaskReported) packedReport { return packedReport{w.Ack, packTask(w.Task)} }

func (p packedReport) report() command.TaskReported {
	return command.TaskReported{Ack: p.Ack, Task: p.Look.task()}
}
