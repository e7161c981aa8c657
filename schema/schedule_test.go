package schema

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Each constructor makes the members that users of other languages write by hand, and the
// scheduler accepts them.
func TestConstructorsMakeTheMembersOfAPlan(t *testing.T) {
	day := time.Date(2100, time.January, 2, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		plan Plan
		want string
	}{
		{Plan{}, `{"station":"s","command":"c"}`},
		{Plan{Schedule: Once()}, `{"station":"s","command":"c","plan_type":"none"}`},
		{Plan{Schedule: At(day)}, `{"station":"s","command":"c","plan_type":"time","plan_time":"2100-01-02T09:00:00Z"}`},
		{Plan{Schedule: Every(5 * time.Second)}, `{"station":"s","command":"c","plan_type":"second","plan_value":5,"plan_repet":-1}`},
		{Plan{Schedule: Every(0).Times(3)}, `{"station":"s","command":"c","plan_type":"second","plan_value":0,"plan_repet":3}`},
		{Plan{Schedule: Every(1500 * time.Millisecond)}, `{"station":"s","command":"c","plan_type":"second","plan_value":2,"plan_repet":-1}`},
		{Plan{Schedule: Every(32766 * time.Second)}, `{"station":"s","command":"c","plan_type":"second","plan_value":32766,"plan_repet":-1}`},
		{Plan{Schedule: Every(12 * time.Hour)}, `{"station":"s","command":"c","plan_type":"minute","plan_value":720,"plan_repet":-1}`},
		{Plan{Schedule: Every(365 * 24 * time.Hour)}, `{"station":"s","command":"c","plan_type":"hour","plan_value":8760,"plan_repet":-1}`},
		{Plan{Schedule: Every(3650 * 24 * time.Hour)}, `{"station":"s","command":"c","plan_type":"day","plan_value":3650,"plan_repet":-1}`},
		{
			Plan{Schedule: Cron("0 9 * * mon-fri", "Europe/Berlin").Between(day, day.AddDate(1, 0, 0))},
			`{"station":"s","command":"c","plan_type":"cron","cron":"0 9 * * mon-fri","timezone":"Europe/Berlin","start_at":"2100-01-02T09:00:00Z","end_at":"2101-01-02T09:00:00Z"}`,
		},
		{Plan{Messages: Messages("Ada", 7, nil, map[string]bool{"a": true})}, `{"station":"s","command":"c","messages":["Ada",7,null,{"a":true}]}`},
		{Plan{Policy: Policy{ExecTimeout: Within(90 * time.Second), StartTimeout: Within(0)}}, `{"station":"s","command":"c","exec_timeout":90,"start_timeout":0}`},
		{Plan{Policy: Policy{Retry: NoRetry()}}, `{"station":"s","command":"c","retry":{"strategy":"none"}}`},
		{
			Plan{Policy: Policy{Retry: RetryEvery(10*time.Second, 3)}},
			`{"station":"s","command":"c","retry":{"strategy":"fixed_period","interval":10,"max_error_count":3}}`,
		},
		{
			Plan{Policy: Policy{Retry: RetryBackoff(500*time.Millisecond, time.Minute, -1)}},
			`{"station":"s","command":"c","retry":{"strategy":"exponential","interval":0.5,"max_interval":60}}`,
		},
	}
	for _, tt := range tests {
		tt.plan.Station, tt.plan.Command = "s", "c"
		v, err := wire.ValueOf(wire.JSON, &tt.plan)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.Raw()); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		if _, err := ParsePlan(v, ParseOptions{}); err != nil {
			t.Errorf("%s is refused: %v", tt.want, err)
		}
	}
}

// A span that no plan type has is refused, because another one in its place would not be
// noticed.
func TestSpansThatNoPlanCanHaveAreRefused(t *testing.T) {
	for _, d := range []time.Duration{-time.Second, 12*time.Hour + time.Second, 40_000*time.Hour + time.Minute} {
		v, err := wire.ValueOf(wire.JSON, Plan{Station: "s", Command: "c", Schedule: Every(d)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParsePlan(v, ParseOptions{}); err == nil {
			t.Errorf("every %v was accepted", d)
		}
	}
}
