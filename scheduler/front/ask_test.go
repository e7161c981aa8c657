package front

import (
	"errors"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A command that only reads has no unknown outcome when its leader stops.
func TestReadingCommandHasNoUnknownOutcome(t *testing.T) {
	unknown := &schema.Error{Code: schema.CodeUnavailable, RetryAfterMS: 7, Message: "it stopped; whether it was done is unknown: ask again"}
	if err := asOf(command.CreatePlan{}, unknown); err != error(unknown) {
		t.Errorf("create: %v", err)
	}
	for _, c := range []command.Command{command.GetPlan{}, command.ListPlans{}, command.ListWorkers{}} {
		refused, is := errors.AsType[*schema.Error](asOf(c, unknown))
		if !is || refused.Code != schema.CodeUnavailable || refused.RetryAfterMS != 7 || refused.Message != "the scheduler stopped leading before it could answer; ask again in a few seconds" {
			t.Errorf("%T: %v", c, refused)
		}
	}
	if none := (&schema.Error{Code: schema.CodeNotFound, Message: "is unknown"}); asOf(command.GetPlan{}, none) != error(none) {
		t.Error("not_found has changed")
	}
}
