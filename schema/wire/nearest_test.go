package wire

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"plan_type", "plan_repet", "cron", "minute", "Europe/Berlin", "ok"}
	for given, want := range map[string]string{
		"plantype": "plan_type", "PLAN-TYPE": "plan_type", "plan_repeat": "plan_repet",
		"crno": "cron", "minutes": "minute", "europe/berlin": "Europe/Berlin", "OK": "ok",
		"repet": "plan_repet", "plan_type_of_it": "plan_type", "type": "plan_type", "pl": "",
		"": "", "nothing": "", "xy": "", strings.Repeat("a", 65): "",
	} {
		if got := Nearest(given, slices.Values(known)); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
