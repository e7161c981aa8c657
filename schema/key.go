package schema

import (
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// CallerAndTitle reads the caller and the description among the shared members of
// a definition, for the headers that carry them.
func CallerAndTitle(enc wire.Encoding, shared []byte, count int) (caller, title string) {
	for name, v := range wire.MapOf(enc, shared, count).Map() {
		switch name {
		case "caller":
			caller, _ = v.Text()
		case "description":
			title, _ = v.Text()
		}
	}
	return caller, title
}

// Presence is where the records of workers are put: the keys of their bucket.
func (s Space) Presence() string { return "$KV." + s.WorkersBucket() + ".>" }
