package machine

import (
	"bytes"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// inboxRecord is an inbox as it is read from a record.
type inboxRecord struct {
	Key     string        `json:"key"`
	Manner  schema.Manner `json:"manner"`
	First   int64         `json:"first"`
	Next    int64         `json:"next"`
	At      time.Time     `json:"at"`
	Asked   bool          `json:"asked"`
	Mark    bool          `json:"mark"`
	Taken   bool          `json:"taken"`
	Errors  int64         `json:"errors"`
	Abandon int64         `json:"abandon_us"`
	Waiting time.Time     `json:"waiting"`
	Data    wire.Value    `json:"data"`
}

func (r *inboxRecord) inbox() *inbox {
	if r == nil {
		return nil
	}
	in := &inbox{
		key: r.Key, manner: r.Manner, first: max(r.First, 1), next: max(r.Next, r.First, 1),
		at: unit.MomentOf(r.At), asked: r.Asked, mark: r.Mark, taken: r.Taken,
		errors: r.Errors, abandon: unit.Moment(r.Abandon), waiting: unit.MomentOf(r.Waiting),
	}
	in.dropped = in.first
	if !r.Data.IsZero() {
		in.data = wire.Trust(r.Data.Encoding(), bytes.Clone(r.Data.Raw()))
	}
	return in
}
