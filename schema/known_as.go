package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// KnownAs is the name that users gave to the HTTP job behind a plan, whose id is derived from it. The
// definition is the plan's, or a result of it. Empty: it is no HTTP job, or its definition is large and
// was put away.
func KnownAs(definition wire.Value) string {
	if station, _ := definition.Field("station").Text(); station != HTTPStation {
		return ""
	}
	for _, call := range definition.Field("messages").List() {
		name, _ := call.Field("name").Text()
		return name
	}
	return ""
}
