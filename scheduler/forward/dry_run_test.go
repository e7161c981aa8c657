package forward

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A dry run travels as one, and as a verb that earlier releases do not know, because they would
// carry it out.
func TestADryRunTravelsAsOne(t *testing.T) {
	name := schema.PlanName{Station: "s", PlanID: "p"}
	asked := command.Dated{Command: command.RemovePlan{Name: name}, By: time.Unix(5, 0).UTC(), Dry: true}
	body, err := encodeRequest(asked, 0)
	if err != nil {
		t.Fatal(err)
	}
	var read request
	if err := scanInto(body, &read); err != nil || !strings.HasPrefix(read.Verb, "dry_run:") {
		t.Errorf("the verb is %q, %v", read.Verb, err)
	}
	r, c, _, err := decodeRequest(body)
	if diff := cmp.Diff(asked, c); err != nil || diff != "" {
		t.Fatalf("%v (-sent +read):\n%s", err, diff)
	}
	answer := schema.DryRun{
		PlanID: "p", Station: "s", DryRun: true, State: schema.StatusClosed, Before: []time.Time{due}, After: []time.Time{},
		Changes: []schema.FieldChange{{Field: "status", Before: wire.Text(wire.MsgPack, "queued"), After: wire.Text(wire.MsgPack, "closed")}},
	}
	if body, err = encodeResponse(r, answer, nil); err != nil {
		t.Fatal(err)
	}
	got, err := (&Sent{command: asked}).read(body)
	if diff := cmp.Diff(answer, got, values); err != nil || diff != "" {
		t.Errorf("%v (-answered +read):\n%s", err, diff)
	}
}

// A dry run whose answer is that of the command has it also from another node.
func TestADryRunAnswersAsItsCommand(t *testing.T) {
	asked := command.Dated{Command: command.DropItems{PlanID: "q"}, Dry: true}
	body, err := encodeRequest(asked, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, _, _, err := decodeRequest(body)
	if err != nil {
		t.Fatal(err)
	}
	if body, err = encodeResponse(r, command.InboxLeft{Dropped: 3}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := (&Sent{command: asked}).read(body)
	if diff := cmp.Diff(any(command.InboxLeft{Dropped: 3}), got); err != nil || diff != "" {
		t.Errorf("%v (-answered +read):\n%s", err, diff)
	}
}
