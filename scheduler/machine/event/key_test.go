package event_test

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Workers know an occurrence again by its key, so its form never changes.
func TestKeysAreFrozen(t *testing.T) {
	name := schema.PlanName{Station: "a.b", PlanID: "P1"}
	if got, want := event.PlanKeyOf(name, 7, 3), "a.b/P1/7/3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := event.TriggerKeyOf(name, 7, 12), "a.b/P1/7/0.12"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
