package storing

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

func BenchmarkBroadcast(b *testing.B) {
	t := broadcaster{nc: brokertest.Connect(b, brokertest.Server(b))}
	name := schema.PlanName{Station: "s", PlanID: "p"}
	body := append([]byte("{"), make([]byte, 600)...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.broadcast(resultMessage(schema.Space{}, name, body)); err != nil {
			b.Fatal(err)
		}
	}
}
