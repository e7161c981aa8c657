package command_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/wiretest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The bytes of the types that have names for the wire are committed, because nodes of two
// releases send them to each other. Today's code reads those of every release, and writes the
// same.
func TestFrozenBytes(t *testing.T) {
	due := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	later := time.Date(2026, 3, 1, 10, 0, 1, 250_000_000, time.UTC)
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		for name, sample := range map[string]any{
			"inbox_terms": command.InboxTerms{Key: "orders", Manner: schema.MannerHold, AbandonAfter: 1.5, Data: wire.Text(enc, "data"), Record: wire.MapOf(enc, nil, 0)},
			"claimed": command.Claimed{
				Items: []wire.Value{wire.Text(enc, "item"), wire.MapOf(enc, nil, 0)}, Data: wire.Text(enc, "data"), Length: 5, Next: 3,
			},
			"task_trace": command.TaskTrace{
				Accepted: due, Errors: 1, Lost: 1, LastError: &schema.LastError{Info: "no such codec", Cut: true, ExecTime: due, EndTime: later},
				Exec: "4-0123456789abcdef", Sent: due, Deadline: later,
			},
			"inbox_left": command.InboxLeft{Length: 5, PlanTime: due, Dropped: 2},
		} {
			for i, of := 0, reflect.ValueOf(sample); i < of.NumField(); i++ {
				if of.Field(i).IsZero() {
					t.Errorf("%s: no sample sets %s", name, of.Type().Field(i).Name)
				}
			}
			wiretest.Check(t, name, enc, sample)
		}
	}
}
