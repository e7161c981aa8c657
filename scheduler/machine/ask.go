package machine

import (
	"fmt"
	"reflect"

	"github.com/stationmaster-io/stationmaster/scheduler/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A row is how the machine carries out a verb. It is made by on, onPlan or handing, which
// take all of it.
type row struct {
	*command.Kind
	about func(schema.Command) schema.PlanName
	needs func(schema.Command) need
	do    func(*turn, schema.Command, event.Asker)
}

// A need is what of a plan's definition is in memory before a command about it is carried
// out.
type need uint8

const (
	// inPart: what there is of it.
	inPart need = iota
	// inWhole: all of it. Where it is lost, the command is carried out all the same, since
	// the plan can be managed.
	inWhole
	// forShow: all of it, because it is shown to somebody who takes it for whole.
	forShow
)

// on is the row of a verb that is answered when it has been carried out: about names the
// plan that a command is about (zero: none), and needs says what of its definition is in memory
// by then.
func on[C schema.Command, A any](
	v command.Verb[C, A],
	about func(C) schema.PlanName, needs func(C) need, do func(*turn, C) (A, error),
) *row {
	return handing(v, about, needs, func(t *turn, c C, from event.Asker) {
		answer, err := do(t, c)
		if err != nil {
			t.Batch.Answer(from, nil, err)
			return
		}
		t.Batch.Answer(from, answer, nil)
	})
}

// onPlan is on for what is done to one plan, and answered with how the plan stands then.
func onPlan[C schema.Command](
	v command.Verb[C, schema.Standing],
	about func(C) schema.PlanName, needs func(C) need, do func(*turn, *state.Plan, C) error,
) *row {
	return on(v, about, needs, func(t *turn, c C) (schema.Standing, error) {
		return manage(t, about(c), func(p *state.Plan) error { return do(t, p, c) })
	})
}

// handing is on for a verb that sees to its answer itself, because that waits for something,
// or is made when items have been read.
func handing[C schema.Command, A any](
	v command.Verb[C, A],
	about func(C) schema.PlanName, needs func(C) need, do func(*turn, C, event.Asker),
) *row {
	return &row{
		Kind:  v.Kind,
		about: func(c schema.Command) schema.PlanName { return about(c.(C)) },
		needs: func(c schema.Command) need { return needs(c.(C)) },
		do:    func(t *turn, c schema.Command, from event.Asker) { do(t, c.(C), from) },
	}
}

// ask carries out one command and answers it.
func (t *turn) ask(ev event.Ask) {
	r := verbs[reflect.TypeOf(ev.What)]
	if r == nil {
		t.Batch.Answer(ev.From, nil, &schema.Error{Code: schema.CodeInternal, Message: fmt.Sprintf("no leader carries out a %T", ev.What)})
		return
	}
	p := t.Find(r.about(ev.What))
	if r.needs(ev.What) != inPart && !t.IsWhole(p) {
		t.FetchFor(p, ev) // it is carried out when that has been read
		return
	}
	if p != nil {
		t.Save(p)
	}
	if r.Is(command.Reads) {
		t.Subject.Reads = true
	}
	if r.Is(command.ByWorkers) {
		t.Subject.Asked = false // who says it is not to blame for a plan that others have made
	}
	r.do(t, ev.What, ev.From)
}

// needOf is what a command needs of the definition of the plan that it is about.
func needOf(c schema.Command) need {
	if r := verbs[reflect.TypeOf(c)]; r != nil {
		return r.needs(c)
	}
	return inPart
}
