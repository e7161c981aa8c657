package schema

import (
	"strings"
	"testing"
)

func TestTheZoneThatIsMeant(t *testing.T) {
	for given, want := range map[string]string{
		"berlin": "Europe/Berlin", "europe/berlin": "Europe/Berlin", "EUROPE/BERLIN": "Europe/Berlin",
		"New York": "America/New_York", "cet": "CET", "CEST": "", "": "", "Mars/Olympus": "",
		"Europe/Berln": "Europe/Berlin", "Amercia/New_York": "America/New_York", "Tokio": "Asia/Tokyo", "Shanghay": "Asia/Shanghai",
		"../etc/passwd": "", "Europe/Nowhere": "", "\x00\x00\x00\x00\x00": "", strings.Repeat("E", 80_000): "",
	} {
		if got := zoneMeant(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	if _, err := LoadZone("berlin"); err == nil || err.Error() != `"berlin" is no IANA name; did you mean "Europe/Berlin"?` {
		t.Errorf("berlin: %v", err)
	}
}
