package forward

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A packedPush keeps definition, item and data in their own encodings.
type packedPush struct {
	Name     schema.PlanName    `json:"name"`
	Raw      []byte             `json:"raw,omitempty"`
	Trace    string             `json:"trace,omitempty"`
	Item     []byte             `json:"item"`
	Enc      wire.Encoding      `json:"enc"`
	PlanTime time.Time          `json:"plan_time,omitzero"`
	Retime   schema.Retime      `json:"retime,omitempty"`
	Exact    bool               `json:"exact,omitempty"`
	Restored bool               `json:"restored,omitempty"`
	Terms    command.InboxTerms `json:"terms"`
}

func packPush(c command.PushItem) packedPush {
	p := packedPush{
		Name: c.Name, Trace: c.Trace, Item: c.Item.Raw(), Enc: c.Item.Encoding(),
		PlanTime: c.PlanTime, Retime: c.Retime, Exact: c.Exact, Restored: c.Restored, Terms: c.Terms,
	}
	if c.Definition != nil {
		p.Raw = c.Definition.Raw
	}
	return p
}

func (p packedPush) push() (command.PushItem, error) {
	c := command.PushItem{
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

// packedWork keeps each execution, and its plan, in their own encodings.
type packedWork struct {
	Executions []packedClaimed `json:"executions"`
}

type packedClaimed struct {
	Name       command.ClaimedName `json:"name"`
	Occurrence int64               `json:"occurrence"`
	Attempt    int64               `json:"attempt"`
	Priority   int64               `json:"priority"`
	Named      bool                `json:"named,omitempty"`
	PlanTime   time.Time           `json:"plan_time"`
	Body       []byte              `json:"body"`
	Enc        wire.Encoding       `json:"enc"`
	Reply      string              `json:"reply"`
	View       *packedView         `json:"view,omitempty"`
}

func packWork(w command.ClaimedWork) packedWork {
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

func (p packedWork) work() command.ClaimedWork {
	var out command.ClaimedWork
	for _, e := range p.Executions {
		c := command.ClaimedExecution{
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
