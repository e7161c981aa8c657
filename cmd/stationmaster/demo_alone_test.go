package main

import "testing"

// The commands that a demo proposes reach it, also where another address was exported.
func TestHintsOfADemoReachIt(t *testing.T) {
	for _, c := range []struct {
		exported, url string
		want          bool
	}{
		{"", defaultURL, false},
		{"", "nats://127.0.0.1:5", true},
		{"nats://10.0.0.1:4222", defaultURL, true},
	} {
		t.Setenv("STATIONMASTER_NATS_URL", c.exported)
		if got := isElsewhere(c.url); got != c.want {
			t.Errorf("%s, with %q exported: printed %v, want %v", c.url, c.exported, got, c.want)
		}
	}
}
