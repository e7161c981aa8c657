package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Every zone in the list is one that plans take, and is listed once, in order.
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

// A crontab means the zone that the machine is set to, which must have a name.
func TestTheZoneOfThisMachineHasAName(t *testing.T) {
	for given, want := range map[string]string{
		"Europe/Berlin": "Europe/Berlin", ":Europe/Berlin": "Europe/Berlin",
		"/usr/share/zoneinfo/Asia/Tokyo": "Asia/Tokyo", ":/usr/share/zoneinfo/posix/Asia/Tokyo": "Asia/Tokyo",
		"": "UTC", ":": "UTC", "UTC": "UTC", "Etc/UTC": "UTC", ":UTC": "UTC",
		"CET-1CEST,M3.5.0,M10.5.0/3": "", "nonsense": "", "/etc/passwd": "", "../zoneinfo": "", "Local": "", "EST5": "",
		"/usr/share/zoneinfo/right/Asia/Tokyo": "", // which counts leap seconds
	} {
		t.Setenv("TZ", given)
		got, err := ownZone()
		if got != want || (err == nil) != (want != "") {
			t.Errorf("TZ=%s: %q, %v; want %q", given, got, err, want)
		}
		if err != nil && (!strings.Contains(err.Error(), "TZ="+given) || !strings.Contains(err.Error(), "--timezone")) {
			t.Errorf("TZ=%s: %v", given, err)
		}
	}
	t.Setenv("TZ", ":/etc/localtime")
	same, errSame := ownZone()
	if err := os.Unsetenv("TZ"); err != nil { // Setenv above brings it back
		t.Fatal(err)
	}
	if got, err := ownZone(); got != same || (err == nil) != (errSame == nil) {
		t.Errorf("without TZ %q, %v; by the path %q, %v", got, err, same, errSame)
	}
}
