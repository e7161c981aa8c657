package schema_test

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

func TestTraceID(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	for traceparent, want := range map[string]string{
		"00-" + id + "-b7ad6b7169203331-01":      id,
		"01-" + id + "-b7ad6b7169203331-01-more": id, // of a later version
		"":                                       "",
		id:                                       "",
		"00-" + id:                               "",
		"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01": "",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01": "",
		"ff-" + id + "-b7ad6b7169203331-01":                       "",
		"00-" + id + "0-b7ad6b7169203331-01":                      "",
		"00-" + id + "\n-b7ad6b7169203331-01":                     "",
	} {
		if got := schema.TraceID(traceparent); got != want {
			t.Errorf("%q: %q", traceparent, got)
		}
	}
}
