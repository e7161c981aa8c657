package task

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// KeepLabels is merged, which an update makes of the plan present, with the labels in which the
// plan of a periodic task has fields of the task, because an update that sets labels replaces all
// of them. It refuses other values of these.
func KeepLabels(merged, present wire.Value) (wire.Value, error) {
	if _, periodic := PeriodicOf(command.PlanView{PlanView: schema.PlanView{Plan: present}}); !periodic {
		return merged, nil
	}
	kept := map[string]wire.Value{}
	given := merged.Field("labels")
	for _, name := range []string{labelLog, labelStatus} {
		was, is := present.Field("labels").Field(name), given.Field(name)
		switch {
		case is.IsZero() && !was.IsZero():
			kept[name] = was
		case !is.IsZero() && (was.IsZero() || !wire.Same(was, is)):
			return merged, &schema.Error{
				Code: schema.CodeConflict, Field: "labels",
				Message: fmt.Sprintf("label %s is a field of the periodic task itself: leave it out; periodic_tasks.put changes the task", name),
			}
		}
	}
	if len(kept) == 0 {
		return merged, nil
	}
	w := wire.NewWriter(merged.Encoding(), make([]byte, 0, len(merged.Raw())+64))
	w.BeginMap()
	for name, v := range merged.Map() {
		if name != "labels" {
			w.KeyText(name)
			w.Value(v)
		}
	}
	w.Key("labels")
	writeLabels(w, given, kept)
	w.EndMap()
	return w.Whole(), nil
}
