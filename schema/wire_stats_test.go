package schema

// statsSamples is one value of every type that has counters.
func statsSamples() map[string]any {
	stats := StationStats{
		Station: "hello.eu", Plans: 3, Workers: 2, UnderWay: 1, Waiting: map[WaitFor]int64{WaitRoom: 2}, OldestWait: due,
		Results: map[string]ResultCounts{"1h": {States: map[State]int64{StateOK: 5}, Reasons: map[Reason]int64{ReasonOverlap: 4}}},
	}
	shared := stats
	shared.Shared = true
	return map[string]any{
		"list_stations_used": ListStations{Limit: 5, Used: true},
		"used_station_page": UsedStationPage{
			Stations: []UsedStation{{Station: Station{Station: "hello.eu", Kind: KindPull}, StationUse: StationUse{Put: true, Stats: stats}}}, Next: "x",
		},
		"station_stats":        stats,
		"station_stats_shared": shared,
	}
}
