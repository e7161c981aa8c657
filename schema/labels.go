package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

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
