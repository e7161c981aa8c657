package front

import "github.com/stationmaster-io/stationmaster/schema"

// notSupported refuses what this release knows but does not do yet, so that nobody relies
// on what would be ignored.
func notSupported(code schema.Code, field string) *schema.Error {
	return &schema.Error{Code: code, Field: field, Message: field + ", as it is given, is not supported by this release; leave it out"}
}
