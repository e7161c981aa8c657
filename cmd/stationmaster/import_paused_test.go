package main

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A queue that is restored as paused has all else as it was sent, numbers with their
// digits.
func TestAPausedCopyRoundsNothing(t *testing.T) {
	const members = `"station":"s","plan_id":"q","messages":[123456789012345678901,1.50]`
	p, err := pausedCopy(schema.PlanCopy{Plan: wire.Trust(wire.JSON, []byte(`{`+members+`}`)), Inbox: &schema.InboxState{}})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Plan.String(); !strings.Contains(text, `[123456789012345678901,1.50]`) || !strings.Contains(text, `"paused":true`) {
		t.Error(text)
	}
}
