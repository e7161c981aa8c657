package schema

import "testing"

func TestTheZoneThatIsMeant(t *testing.T) {
	for said, want := range map[string]string{
		"berlin": "Europe/Berlin", "europe/berlin": "Europe/Berlin", "EUROPE/BERLIN": "Europe/Berlin",
		"New York": "America/New_York", "cet": "CET", "CEST": "", "": "", "Mars/Olympus": "",
	} {
		if got := zoneMeant(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	if _, err := LoadZone("berlin"); err == nil || err.Error() != `"berlin" is no IANA name; did you mean "Europe/Berlin"?` {
		t.Errorf("berlin: %v", err)
	}
}
