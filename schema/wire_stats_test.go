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
		"overview": Overview{Lang: LangChinese},
		"overviewed": Overviewed{
			AsOf: due, Plans: PlanCounts{Total: 3, ByStatus: map[Status]int64{StatusQueued: 3}, ByType: map[PlanType]int64{TypeCron: 3}},
			Executions: ExecutionCounts{UnderWay: 1, Waiting: map[WaitFor]int64{WaitWorker: 1}},
			Results:    stats.Results,
			Lateness:   map[string]LatenessCounts{"1m": {Count: 2, P50MS: 1, P99MS: 7, MaxMS: 8, Buckets: []int64{1, 0, 0, 1}}},
			NextDue:    []DuePlan{{Station: "hello.eu", PlanID: "P1", PlanTime: later}},
			Trouble:    []Trouble{{Kind: TroubleStopped, Station: "hello.eu", PlanID: "P1", Since: due, Count: 1, Text: "it stopped"}},
		},
		"due_plan_known":          DuePlan{Station: "http", PlanID: "h1", PlanTime: later, KnownAs: "nightly"},
		"stats_series":            StatsSeries{Of: "results", Step: "1m", Station: "hello.eu", From: due},
		"stats_series_in_chinese": StatsSeries{Of: "skips", Step: "1s", Lang: LangChinese},
		"stats_points": StatsPoints{
			Of: "results", Step: "1m", From: due, T: []int64{1772359200}, Series: map[string][]int64{"ok": {5}},
			Marks: []Mark{{T: 1772359200, Kind: "leader", Text: "another leader"}},
		},
		"list_stations_used": ListStations{Limit: 5, Used: true},
		"used_station_page": UsedStationPage{
			Stations: []UsedStation{{Station: Station{Station: "hello.eu", Kind: KindPull}, StationUse: StationUse{Put: true, Stats: stats}}}, Next: "x",
		},
		"station_stats":        stats,
		"station_stats_shared": shared,
	}
}
