package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// station puts a record, or takes it away.
func (u *users) station() {
	w := u.w
	name := one(w, stationNames...)
	if w.chance(0.3) && name != poolStation {
		u.ask(command.DeleteStation{Station: name, TaskType: w.chance(0.3)}, ignore)
		return
	}
	u.putStation(name)
}

func (u *users) putStation(name string) {
	w := u.w
	fields := map[string]any{"station": name}
	if isPool(name) && w.chance(0.85) {
		fields["kind"] = "pull"
	}
	if name == "news" && w.chance(0.75) {
		fields["kind"] = "pub"
	}
	if name == "other" && w.chance(0.75) {
		fields["kind"] = "vote"
	}
	if w.chance(0.5) {
		target := map[string]any{"url": "http://somebody/"}
		fields["callback"] = one(w, map[string]any{"success": target}, map[string]any{"error": target}, map[string]any{"success": target, "error": target})
	}
	if w.chance(0.5) {
		fields["voters"] = 1 + w.rng.IntN(4)
	}
	if w.chance(0.3) {
		fields["quorum"] = 1
	}
	if w.chance(0.5) {
		fields["encoding"] = "json"
	}
	u.policyOf(fields)
	v, err := wire.ValueOf(wire.JSON, fields)
	if err != nil {
		w.fail("a station cannot be encoded: %v", err)
	}
	s, err := schema.ParseStation(v)
	if err != nil {
		w.fail("%v is refused: %v", fields, err)
	}
	if name == jobStation {
		s = typed(s)
	}
	u.ask(command.PutStation{Station: s}, func(any, error, bool) {
		for range 4 { // it applies to the executions under way, before any of them ends
			w.after(w.within(500*time.Millisecond), func() {
				if w.lease != nil && !w.calm {
					w.check.compare(w.lease)
				}
			})
		}
	})
}
