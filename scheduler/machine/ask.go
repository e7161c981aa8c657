package machine

import (
	"fmt"
	"reflect"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A row is the entry of one verb in the table verbs. The functions on, onPlan and handing make
// it, because each keeps the type of its command.
type row struct {
	*verb.Kind
	about func(command.Command) schema.PlanName
	needs func(command.Command) need
	do    func(*turn, command.Command, event.Asker)
}

// A need is the part of a plan's definition that has to be in memory before a command about the
// plan is carried out.
type need uint8

const (
	// inPart: the part that is in memory.
	inPart need = iota
	// inWhole: the whole definition. If it is lost, the command is carried out all the same,
	// because the plan can still be managed.
	inWhole
	// forShow: the whole definition, because users would take a part for the whole.
	forShow
)

// on makes the row of a verb that is answered as soon as it has been carried out: about names
// the plan that a command is about (zero: none), needs the part of its definition that is in
// memory by then.
func on[C command.Command, A any](
	v verb.Verb[C, A],
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

// onPlan is on for a verb that changes one plan, and is answered with the plan's standing.
func onPlan[C command.Command](
	v verb.Verb[C, schema.Standing],
	about func(C) schema.PlanName, needs func(C) need, do func(*turn, *state.Plan, C) error,
) *row {
	return on(v, about, needs, func(t *turn, c C) (schema.Standing, error) {
		return manage(t, about(c), func(p *state.Plan) error { return do(t, p, c) })
	})
}

// handing is on for a verb that sends its answer itself, because the answer waits for an event,
// or is made once items have been read.
func handing[C command.Command, A any](
	v verb.Verb[C, A],
	about func(C) schema.PlanName, needs func(C) need, do func(*turn, C, event.Asker),
) *row {
	return &row{
		Kind:  v.Kind,
		about: func(c command.Command) schema.PlanName { return about(c.(C)) },
		needs: func(c command.Command) need { return needs(c.(C)) },
		do:    func(t *turn, c command.Command, from event.Asker) { do(t, c.(C), from) },
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
	if r.needs(ev.What) != inPart && !t.IsResident(p) {
		t.FetchFor(p, ev) // the command is carried out once the definition has been read
		return
	}
	if p != nil {
		t.Save(p)
		t.upToDate(p)
	}
	if r.Is(verb.Reads) {
		t.Subject.Reads = true
	}
	if r.Is(verb.ByWorkers) {
		t.Subject.Asked = false // the panic is the list's, not that of a plan that other users made
	}
	t.by, t.Asked, t.Verb = unit.MomentOf(ev.By), ev.Asked, transition.VerbOf(r.Name)
	if ev.Dry {
		t.foresee(r, ev)
		return
	}
	r.do(t, ev.What, ev.From)
}

// needOf is the part that a command needs of its plan's definition.
func needOf(c command.Command) need {
	if r := verbs[reflect.TypeOf(c)]; r != nil {
		return r.needs(c)
	}
	return inPart
}
