package simulate

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An answer is the machine's answer to the last request.
type answer struct {
	body any
	err  error
}

// asker is the asker of every request.
type asker struct{}

// tick has the machine do the work that is due, or hear that no reply of an execution past its
// deadline is on its way.
func (w *world) tick() {
	if w.machine.AwaitsReplies() && w.arrivalsPassed() {
		w.step(event.RepliesRead{To: w.time(), Performed: w.batch.Number})
		return
	}
	w.announce()
	w.step(event.Tick{})
}

// step steps an event, and those that follow from it.
func (w *world) step(ev event.Event) {
	w.stepping = true
	w.stepOne(ev)
	for i := 0; i < len(w.following) && w.err == nil; i++ {
		w.stepOne(w.following[i])
	}
	clear(w.following)
	w.following, w.stepping = w.following[:0], false
}

// then steps an event: now, or when the present one is stepped.
func (w *world) then(ev event.Event) {
	if w.stepping {
		w.following = append(w.following, ev)
		return
	}
	w.step(ev)
}

// stepOne steps an event and performs its effects. The batch counts as durable at once.
func (w *world) stepOne(ev event.Event) {
	for w.err == nil {
		progress := w.machine.Step(w.time(), ev, w.batch)
		if progress == machine.TooLarge || progress == machine.Full && w.batch.Empty() {
			w.err = fmt.Errorf("simulate: an empty batch has no room for %T", ev)
			return
		}
		effects := w.batch.Effects
		for i := 0; i < len(effects) && w.err == nil; i++ {
			w.perform(effects[i])
		}
		w.batch.Effects = w.batch.Effects[:0]
		if progress == machine.Done && w.batch.Size() < resetFrom {
			return
		}
		w.batch.Seal()
		w.batch.Reset(w.batch.Number + 1)
		if progress == machine.Done {
			return
		}
	}
}

// ask carries out a request.
func (w *world) ask(c command.Command) (any, error) {
	w.answer = answer{}
	w.step(event.Ask{From: asker{}, What: c})
	if w.err != nil {
		return nil, w.err
	}
	return w.answer.body, w.answer.err
}

// perform carries out an effect. Events that follow from it are left to step, because the list of
// effects is not at its end.
func (w *world) perform(e event.Effect) {
	switch e := e.(type) {
	case event.Answer:
		switch to := e.To.(type) {
		case asker:
			w.answer = answer{e.Body, e.Err}
		case *execution:
			if ack, is := e.Body.(schema.Ack); is {
				w.acknowledged(to, ack)
			}
		}
	case event.Dispatch:
		w.dispatched(e.Execution)
	case event.ClaimGranted:
		if to, is := e.To.(*claimer); is {
			w.granted(to, e.Executions)
		}
	case event.Publish:
		w.published(&e)
	case event.Write:
		w.written(&e)
	}
}

// failure is the error of a simulated failure.
var failure = wire.Text(wire.JSON, "simulated")
