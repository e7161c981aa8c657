package manifest

import (
	"context"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// sameButHidden reports that a plan and its file differ in values that are not shown alone.
func sameButHidden(plan schema.PlanName, fields []Field) bool {
	c := Change{plan: plan}
	return len(fields) == 1 && fields[0].Name == "messages" && plan.Station == schema.HTTPStation &&
		fields[0].Old != "" && fields[0].New != "" &&
		c.shown("messages", fields[0].Old) == c.shown("messages", fields[0].New)
}

// isStored asks the scheduler, which alone knows the values that are not shown, whether an update
// would change nothing. If the scheduler does not know either, the update is made.
func isStored(ctx context.Context, c *client.Client, update wire.Value, revision uint64) bool {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	for name, v := range update.Map() {
		w.KeyText(name)
		w.Value(v)
	}
	w.Key("dry_run")
	w.Bool(true)
	w.EndMap()
	var would schema.Created
	return c.Do(ctx, "plans", "update", w.Whole(), &would) == nil && would.Revision == revision
}

// shown hides in the messages of an HTTP call the values that the scheduler hides, too.
func (c *Change) shown(field, text string) string {
	if field != "messages" || c.plan.Station != schema.HTTPStation {
		return text
	}
	v, err := wire.ScanAs(wire.JSON, []byte(`{"station":"`+schema.HTTPStation+`","messages":`+text+`}`), wire.Limits{})
	if err != nil {
		return schema.Hidden // better than showing all of it
	}
	return schema.HidePlan(v).Field("messages").String()
}
