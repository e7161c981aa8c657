package event

import (
	"strconv"

	"github.com/stationmaster-io/stationmaster/schema"
)

// PlanKeyOf is the idempotency key of occurrence k, the same for every attempt and
// never the same for anything else: "<station>/<plan_id>/<incarnation>/<k>".
func PlanKeyOf(name schema.PlanName, incarnation uint64, k int64) string {
	var room [2*schema.MaxName + 48]byte
	b := append(append(room[:0], name.Station...), '/')
	b = append(append(b, name.PlanID...), '/')
	b = append(strconv.AppendUint(b, incarnation, 10), '/')
	return string(strconv.AppendInt(b, k, 10))
}

// TriggerKeyOf is the key of a triggered run, whose first execution was n:
// "<station>/<plan_id>/<incarnation>/0.<n>".
func TriggerKeyOf(name schema.PlanName, incarnation uint64, n int64) string {
	return PlanKeyOf(name, incarnation, 0) + "." + strconv.FormatInt(n, 10)
}
