package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A library is a bench with a bucket, which reads definitions back from it.
type library struct {
	*bench
	bucket map[string][]byte
	reads  int
}

// newLibrary leads with room for so many bytes of large definitions.
func newLibrary(t *testing.T, room int) *library {
	x := &library{bench: newBench(t), bucket: map[string][]byte{}}
	x.m.part.Config.LargeRoom, x.rehearses = room, true // because the scripts evict no definition
	return x
}

// makeRoom has all large definitions that the bucket has leave memory, in a turn of its own.
func (x *library) makeRoom() {
	transition.MakeRoom(&x.m.part, 0)
	x.m.turn(unit.MomentOf(x.now), x.b).Settle()
}

// wordy is a plan with a long message.
func wordy(id, fields string) string {
	return fmt.Sprintf(`{"plan_id":%q,"station":"s","command":"c","caller":"somebody","messages":[%q],%s}`, id, message(id), fields)
}

func message(id string) string { return strings.Repeat(id, 8<<10) }

const onceAt = `"plan_type":"time","plan_time":"2026-03-01T12:%02d:00Z"`

// store writes all rows, and confirms them.
func (x *library) store() {
	x.Helper()
	x.now = x.now.Add(time.Second)
	for range 3 {
		_, w := x.flush(event.Flush{Max: 1000})
		for _, r := range w.Rows {
			if x.bucket[r.Key] = r.Value; len(r.Value) == 0 {
				delete(x.bucket, r.Key)
			}
		}
	}
}

// all steps ev, and the reads that it causes.
func (x *library) all(ev event.Event) (effects []event.Effect) {
	x.Helper()
	events := []event.Event{ev}
	for len(events) > 0 {
		done := x.step(events[0])
		events = events[1:]
		for _, e := range done {
			if e, ok := e.(event.Fetch); ok {
				x.reads++
				raw := x.bucket[storage.PlanKey(e.Name.Station, e.Name.PlanID)]
				if !e.Want.Of(raw) {
					raw = nil
				}
				events = append(events, event.Fetched{Fetch: e, Raw: raw})
				continue
			}
			effects = append(effects, e)
		}
	}
	return effects
}

// ask asks, and returns the only answer.
func (x *library) ask(c command.Command) (any, error) {
	x.Helper()
	var found []event.Answer
	for _, e := range x.all(event.Ask{From: "user", What: c}) {
		if a, ok := e.(event.Answer); ok {
			found = append(found, a)
		}
	}
	if len(found) != 1 {
		x.Fatalf("%T has %d answers", c, len(found))
	}
	return found[0].Body, found[0].Err
}

// until ticks until a moment of the hour.
func (x *library) until(minute, second int) (effects []event.Effect) {
	x.Helper()
	at := time.Date(2026, 3, 1, 12, minute, second, 0, time.UTC)
	for wake := x.m.Wake(); !wake.IsZero() && !wake.After(at); wake = x.m.Wake() {
		if wake.After(x.now) {
			x.now = wake
		}
		effects = append(effects, x.all(event.Tick{})...)
	}
	x.now = at
	return effects
}

func (x *library) isEvicted(id string) bool {
	x.Helper()
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: id}]
	if p == nil {
		x.Fatalf("there is no plan %s", id)
	}
	return p.Evicted
}

// messageOf is the first message of a map.
func messageOf(v wire.Value) string {
	for _, m := range v.Field("messages").List() {
		text, _ := m.Text()
		return text
	}
	return ""
}

func dispatchedIn(effects []event.Effect) (out []*event.Outgoing) {
	for _, e := range effects {
		if d, ok := e.(event.Dispatch); ok {
			out = append(out, d.Execution)
		}
	}
	return out
}

func replyAbout(o *event.Outgoing, state schema.State) event.ReplyReceived {
	return event.ReplyReceived{From: "worker", About: aboutOf(o), Reply: schema.Reply{State: state}}
}
