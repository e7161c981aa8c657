package machine

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Each verb has a row, and no row is of anything else.
func TestEachVerbHasARow(t *testing.T) {
	for _, k := range verb.All() {
		if verbs[k.Command] == nil {
			t.Errorf("%v has no row in the machine's table of verbs: no leader carries out %q", k.Command, k.Name)
		}
	}
	if len(verbs) > len(verb.All()) {
		t.Errorf("%d rows of %d verbs", len(verbs), len(verb.All()))
	}
}

// A command about a missing plan is answered. A step that only reads is marked as such, for each
// verb, because a panic in it has changed nothing.
func TestEachVerbIsAnswered(t *testing.T) {
	for _, k := range verb.All() {
		t.Run(k.Name, func(t *testing.T) {
			x, reads := newBench(t), false
			x.m.part.Config.Probe = func(at string, _ schema.PlanName) {
				if strings.HasPrefix(at, "end ") {
					reads = x.m.Suspect().Reads
				}
			}
			ev := event.Ask{From: &reads, What: sample(t, k)}
			x.m.Step(x.now, ev, x.b)
			if answers := answersIn(x.b); answers != 1 {
				t.Errorf("answered %d times", answers)
			}
			if reads != k.Is(verb.Reads) {
				t.Errorf("reports %v for: it only reads", reads)
			}
		})
	}
}

// sample is a command of that kind with next to nothing in it.
func sample(t *testing.T, k *verb.Kind) command.Command {
	t.Helper()
	c := reflect.New(k.Command).Elem()
	if d := c.FieldByName("Definition"); d.IsValid() {
		d.Set(reflect.ValueOf(parse(t, `{"station":"s","plan_id":"p","command":"c"}`)))
	}
	if s := c.FieldByName("Station"); s.IsValid() && s.Type() == reflect.TypeFor[*schema.Station]() {
		s.Set(reflect.ValueOf(&schema.Station{Station: "s"}))
	}
	if s := c.FieldByName("Calendar"); s.IsValid() {
		s.Set(reflect.ValueOf(&schema.Calendar{CalendarID: "c"}))
	}
	return c.Interface().(command.Command)
}

func answersIn(b *batch.Batch) (n int) {
	for _, e := range b.Effects {
		switch e.(type) {
		case event.Answer, event.ItemsGranted, event.ClaimGranted:
			n++
		}
	}
	return n
}

// A command without a row is refused, so that its caller does not wait.
func TestACommandWithoutARowIsRefused(t *testing.T) {
	x := newBench(t)
	ev := event.Ask{From: x, What: command.Dated{Command: command.GetPlan{}}} // which comes without its date
	x.m.Step(x.now, ev, x.b)
	answer, _ := x.b.Effects[0].(event.Answer)
	if !errors.Is(answer.Err, schema.CodeInternal) {
		t.Errorf("answered with %+v", answer)
	}
}
