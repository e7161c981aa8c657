package schema

import "testing"

func TestTheZoneThatIsMeant(t *testing.T) {
	for given, want := range map[string]string{
		"berlin": "Europe/Berlin", "europe/berlin": "Europe/Berlin", "EUROPE/BERLIN": "Europe/Berlin",
		"New York": "America/New_York", "cet": "CET", "CEST": "", "": "", "Mars/Olympus": "",
	} {
		if got := zoneMeant(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	if _, err := LoadZone("berlin"); err == nil || err.Error() != `"berlin" is no IANA name; did you mean "Europe/Berlin"?` {
		t.Errorf("berlin: %v", err)
	}
}
