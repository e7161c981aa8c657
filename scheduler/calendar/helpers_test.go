package calendar_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// moment reads an RFC 3339 time, or a date at midnight in UTC.
func moment(t testing.TB, text string) time.Time {
	t.Helper()
	layout := time.RFC3339
	if len(text) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	at, err := time.Parse(layout, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func cron(expression, zone string) calendar.Spec {
	return calendar.Spec{Type: schema.TypeCron, Cron: expression, Zone: zone, Repet: -1}
}

func compile(t testing.TB, s calendar.Spec, accepted time.Time) calendar.Schedule {
	t.Helper()
	c, err := calendar.Compile(s, accepted)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return c
}

// refusal compiles a spec that must be refused, and returns the error.
func refusal(t testing.TB, s calendar.Spec, accepted time.Time) *schema.Error {
	t.Helper()
	_, err := calendar.Compile(s, accepted)
	var refused *schema.Error
	if !errors.As(err, &refused) {
		t.Fatalf("%+v: error %v, want a *schema.Error", s, err)
	}
	return refused
}
