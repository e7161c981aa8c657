package front_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The benchmark shows an hour of 200,000 runs, at the first time, within its two seconds, and later.
func BenchmarkTimeline(b *testing.B) {
	const runs = 200_000
	now := time.Now()
	d := open(b, answering(command.OpenSlice{}, nil), func(c *front.Config) { c.Now = time.Now })
	d.keepMany(b, runs, func(i int) schema.Result {
		r := ran("mail", fmt.Sprint("p", i%10_000), int64(i/10_000+1), schema.StateOK, now)
		r.Command, r.Content, r.WorkerID = "send", wire.Text(wire.JSON, "214 sent, 2 bounced"), "w1"
		r.ExecTime = now.Add(-time.Duration(i%3000) * time.Second)
		return r
	})
	show := func() (n int64) {
		var got schema.Timeline
		d.page(wire.JSON, "plans.timeline", `{}`, &got)
		for _, l := range got.Lanes {
			for _, bucket := range l.Buckets {
				n += bucket.Count
			}
		}
		return n
	}
	began := time.Now()
	b.Logf("%d of %d runs are read in %v", show(), runs, time.Since(began))
	for b.Loop() {
		show()
	}
}
