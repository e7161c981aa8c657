package front_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// usedStations are leaders of partitions that have counted different things.
type usedStations [][]schema.UsedStation

func (l usedStations) Ask(partition int, c command.Command, done func(any, error)) {
	query := c.(command.ListStations)
	var out command.StationSlice
	for _, u := range l[partition] {
		switch {
		case query.Station != "" && u.Station.Station != query.Station, query.Station == "" && u.Station.Station <= query.After:
		case query.Station == "" && len(out.Used) == query.Limit:
			out.More = true
		default:
			out.Used = append(out.Used, u)
		}
	}
	done(out, nil)
}

// The counters of a station are those of all partitions together.
func TestCountersOfPartitionsAreAdded(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		used := func(name string, n int64, put bool) schema.UsedStation {
			return schema.UsedStation{Station: schema.Station{Station: name}, StationUse: schema.StationUse{Put: put, Stats: schema.StationStats{
				Station: name, Plans: n, Workers: n, UnderWay: n, Waiting: map[schema.WaitFor]int64{schema.WaitRoom: n},
				OldestWait: noon.Add(time.Duration(-n) * time.Minute),
				Results: map[string]schema.ResultCounts{
					"1h": {States: map[schema.State]int64{schema.StateOK: n}, Reasons: map[schema.Reason]int64{}},
				},
			}}}
		}
		d := openOn(t, ns, usedStations{{used("a", 1, true), used("c", 2, true)}, {used("a", 3, true), used("b", 1, false), used("c", 1, true)}},
			func(c *front.Config) { c.Space = schema.Space{Partitions: 2} })
		stats := func(name, n, most, since string) string {
			return `{"station":"` + name + `","plans":` + n + `,"workers":` + most + `,"under_way":` + n + `,"waiting":{"room":` + n +
				`},"oldest_wait":"2026-03-01T11:` + since + `:00Z","results":{"1h":{"states":{"ok":` + n + `},"reasons":{}}}}`
		}
		d.want("stations.stats", `{"station":"a"}`, stats("a", "4", "3", "57"))
		d.want("stations.get", `{"station":"b","used":true}`, `{"station":"b","put":false,"stats":`+stats("b", "1", "1", "59")+`}`)
		d.want("stations.list", `{"used":true}`, `{"stations":[`+
			`{"station":"a","put":true,"stats":`+stats("a", "4", "3", "57")+`},`+
			`{"station":"b","put":false,"stats":`+stats("b", "1", "1", "59")+`},`+
			`{"station":"c","put":true,"stats":`+stats("c", "3", "2", "58")+`}]}`)
		for cursor, names := "", []string{"a", "b", "c"}; len(names) > 0; names = names[1:] {
			var p schema.UsedStationPage
			d.page(wire.JSON, "stations.list", `{"used":true,"limit":1,"cursor":"`+cursor+`"}`, &p)
			if len(p.Stations) != 1 || p.Stations[0].Station.Station != names[0] || (p.Next == "") != (names[0] == "c") {
				t.Errorf("a page is %+v, want %s", p, names[0])
			}
			cursor = p.Next
		}
		d.refuse("stations.stats", `{"station":"s.>"}`, schema.CodeInvalidRequest, "station", "'>'")
		d.refuse("stations.get", `{"station":"s.>","used":true}`, schema.CodeInvalidRequest, "station", "'>'")
		d.refuse("stations.list", `{"usde":true}`, schema.CodeInvalidRequest, "usde", `"used"`)
	})
}
