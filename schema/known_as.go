package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// KnownAs is the name that users gave to the object behind a plan, where its id is derived
// from it: of an HTTP job the name, of a merge queue the key, which is its description.
// Empty: users know the plan by its id. A large definition that was put away has none.
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
