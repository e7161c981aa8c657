package front_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The benchmark finds the newest trouble among a million results, of which one in ten thousand is
// trouble, at the first search and later.
func BenchmarkTrouble(b *testing.B) {
	const results = 1_000_000
	d := open(b, answering([]schema.Result(nil), nil))
	d.keepMany(b, results, func(i int) schema.Result {
		r := ran("mail", fmt.Sprint("p", i%10_000), int64(i/10_000+1), schema.StateOK, time.Now())
		r.Command, r.Content, r.WorkerID = "send", wire.Text(wire.JSON, "214 sent, 2 bounced"), "w1"
		if i%9_999 == 0 {
			r.State = schema.StateFailure
		}
		return r
	})
	began, pages := time.Now(), 0
	var rows []string
	rows, pages = d.listed(map[string]any{"trouble": true})
	b.Logf("%d of %d are read in %v, %d pages", len(rows), results, time.Since(began), pages)
	for what, ask := range map[string]map[string]any{
		"read before": {"trouble": true}, "of one station": {"trouble": true, "station": "mail"}, "with a text": {"failed": true, "text": "nothing has it"},
		"without an index": {"text": "nothing has it"},
	} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				d.listed(ask)
			}
		})
	}
}

// keepMany stores many results.
func (d *harness) keepMany(b *testing.B, n int, result func(i int) schema.Result) {
	js, err := jetstream.New(d.nc, jetstream.WithPublishAsyncMaxPending(10_000))
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		r := result(i)
		body, err := wire.Marshal(wire.JSON, r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := js.PublishAsync(storage.Kept(d.space, d.space.Result(r.Station, r.PlanID)), body); err != nil {
			b.Fatal(err)
		}
		if i%5_000 == 0 {
			<-js.PublishAsyncComplete()
		}
	}
	<-js.PublishAsyncComplete()
}
