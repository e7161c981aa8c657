package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// LabelOfSet is on every plan that an apply of files has made; its value is the name of the set,
// which a later apply prunes.
const LabelOfSet = "stationmaster.set"

// HasLabels reports that labels, as a plan or a result has them, have all the pairs that are
// wanted.
func HasLabels(labels wire.Value, wanted map[string]string) bool {
	for name, value := range wanted {
		if got, ok := labels.Field(name).Text(); !ok || got != value {
			return false
		}
	}
	return true
}

// KeepSet returns a changed definition of a plan with its [LabelOfSet], because a change of labels
// replaces all of them, and its user thinks of their own. It is left alone where the change names that label,
// or has taken all labels away.
func KeepSet(changed, stored wire.Value) wire.Value {
	set := stored.Field("labels").Field(LabelOfSet)
	if set.IsZero() {
		return changed
	}
	return withMember(changed, "labels", func(labels wire.Value) wire.Value {
		if labels.Kind() != wire.KindMap || !labels.Field(LabelOfSet).IsZero() {
			return labels
		}
		w := wire.NewWriter(changed.Encoding(), make([]byte, 0, len(labels.Raw())+len(set.Raw())+32))
		w.BeginMap()
		for name, v := range labels.Map() {
			w.KeyText(name)
			w.Value(v)
		}
		w.KeyText(LabelOfSet)
		w.Value(set)
		w.EndMap()
		return w.Whole()
	})
}
