package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Every zone that is listed is one that plans take, and is listed once, in order.
func TestZonesAreThoseOfPlans(t *testing.T) {
	names := zonesLike("")
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) || len(names) < 500 {
		t.Errorf("%d zones, sorted %t", len(names), slices.IsSorted(names))
	}
	for _, name := range names {
		if _, err := schema.LoadZone(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestZonesAreFoundAndCompleted(t *testing.T) {
	for text, want := range map[string]string{
		"berlin": "Europe/Berlin", "NEW york": "America/New_York", "nowhere": "", "europe/berl": "Europe/Berlin",
	} {
		if got := strings.Join(zonesLike(text), " "); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	for begun, want := range map[string]string{"europe/be": "Europe/Belfast Europe/Belgrade Europe/Berlin", "Berlin": "Europe/Berlin"} {
		if got, _ := completeZone(nil, nil, begun); strings.Join(got, " ") != want {
			t.Errorf("%q completes to %q, want %q", begun, got, want)
		}
	}
	summer := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	rows, err := zoneRows([]string{"Europe/Berlin"}, summer)
	if err != nil || rows[0] != (zoneRow{"Europe/Berlin", "+02:00", "CEST"}) {
		t.Errorf("%+v, %v", rows, err)
	}
}
