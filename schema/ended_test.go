package schema

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestWhetherAPlanEndedWithAResult(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	two, forever := int64(2), int64(-1)
	message := func(text string) []wire.Value { return []wire.Value{wire.Trust(wire.JSON, []byte(text))} }
	once := Plan{Station: "s", Command: "c", Messages: message(`{"a":1,"b":2}`)}
	timed := once
	timed.PlanType, timed.PlanTime = TypeTime, at
	inNanoseconds := timed
	inNanoseconds.PlanTime = at.Add(-243 * time.Nanosecond)
	finite := once
	finite.PlanType, finite.PlanRepet = TypeSecond, &two
	endless := finite
	endless.PlanRepet = &forever
	later := finite
	later.StartAt = at.Add(time.Hour)
	call := Plan{Station: HTTPStation, Messages: message(`{"headers":{"Authorization":"Bearer x"}}`)}

	ran := Result{Command: "c", Occurrence: 1, State: StateOK, Final: true, RealRepet: 1, PlanTime: at, Messages: message(`{"b":2.0,"a":1}`)}
	with := func(change func(r *Result)) Result {
		r := ran
		change(&r)
		return r
	}
	last := with(func(r *Result) { r.Occurrence, r.RealRepet, r.SkipNum = 2, 1, 1 })
	for _, tt := range []struct {
		name string
		plan Plan
		r    Result
		want bool
	}{
		{"ran", once, ran, true},
		{"failed", once, with(func(r *Result) { r.State = StateFailure }), true},
		{"tried again", once, with(func(r *Result) { r.Final = false }), false},
		{"skipped", once, with(func(r *Result) { r.State, r.RealRepet, r.SkipNum = StateSkipped, 0, 1 }), false},
		{"of another command", once, with(func(r *Result) { r.Command = "d" }), false},
		{"of another message", once, with(func(r *Result) { r.Messages = message(`{"a":1,"b":3}`) }), false},
		{"of a message that is not kept", once, with(func(r *Result) { r.Messages = nil }), true},
		{"triggered while its own is open", once, with(func(r *Result) { r.Trigger, r.RealRepet = TriggerManual, 0 }), false},
		{"triggered, and ends after its own", once, with(func(r *Result) { r.Trigger = TriggerManual }), true},
		{"at its time", timed, ran, true},
		{"at another time", timed, with(func(r *Result) { r.PlanTime = at.Add(time.Microsecond) }), false},
		{"at its time, rounded up to a microsecond", inNanoseconds, ran, true},
		{"before its time", inNanoseconds, with(func(r *Result) { r.PlanTime = at.Add(-time.Microsecond) }), false},
		{"the first of two", finite, ran, false},
		{"the last of two", finite, last, true},
		{"of another number", finite, with(func(r *Result) { r.RealRepet = 3 }), false},
		{"before it begins", later, last, false},
		{"for ever", endless, last, false},
		{"with a header that is hidden", call, Result{Occurrence: 1, State: StateOK, Final: true, RealRepet: 1, Messages: message(`{"headers":{"Authorization":"(secret)"}}`)}, true},
	} {
		if got := tt.plan.EndedWith(&tt.r); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
