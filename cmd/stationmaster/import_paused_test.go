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

// The pause of a restored plan is in its record, because its definition has only the pause of its
// creation.
func TestAPausedCopyHasThePauseInItsRecord(t *testing.T) {
	for _, inbox := range []*schema.InboxState{nil, {}} {
		const definition = `{"station":"s","plan_id":"q","paused":true}`
		p, err := pausedCopy(schema.PlanCopy{
			Plan: wire.Trust(wire.JSON, []byte(definition)), Record: wire.Trust(wire.JSON, []byte(`{"revision":1}`)), Inbox: inbox,
		})
		if err != nil {
			t.Fatal(err)
		}
		if halt, _ := p.Record.Field("halt").Text(); p.Plan.String() != definition || halt != "paused" || !p.Record.Field("paused_at").IsZero() {
			t.Errorf("%s %s", p.Plan, p.Record)
		}
	}
}

// A resume takes the plans that the import has paused, and no others.
func TestAResumeKnowsThePauseOfTheImport(t *testing.T) {
	const accepted = `"accepted":"2026-03-01T12:00:00Z"`
	backup := schema.PlanCopy{Record: wire.Trust(wire.JSON, []byte(`{`+accepted+`}`))}
	for record, want := range map[string]pauseOf{
		`{` + accepted + `}`:                                                    notPaused,
		`{"halt":"plan_error",` + accepted + `}`:                                notPaused,
		`{"halt":"paused",` + accepted + `}`:                                    pausedByImport,
		`{"halt":"paused","paused_at":"2026-03-02T12:00:00Z",` + accepted + `}`: pausedByUser,
		`{"halt":"paused","accepted":"2026-02-01T12:00:00Z"}`:                   pausedByUser, // created as paused, and kept
	} {
		now := schema.PlanCopy{Record: wire.Trust(wire.JSON, []byte(record)).In(wire.MsgPack)}
		if got := pauseIn(now, backup); got != want {
			t.Errorf("%s: %d, want %d", record, got, want)
		}
	}
}
