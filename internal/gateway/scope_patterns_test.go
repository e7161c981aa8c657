package gateway

import "testing"

func TestWhatAPatternOfStationsCovers(t *testing.T) {
	for _, tt := range []struct {
		pattern, station string
		covers           bool
	}{
		{"mail", "mail", true}, {"mail", "mail.big", false}, {"mail", "mai", false}, {"mail", "", false},
		{"eu.*", "eu.mail", true}, {"eu.*", "eu", false}, {"eu.*", "eu.mail.big", false}, {"eu.*", "eu.>", false}, {"eu.*", "eu.*", true},
		{"eu.>", "eu.mail", true}, {"eu.>", "eu.mail.big", true}, {"eu.>", "eu", false}, {"eu.>", "eu.>", true}, {"eu.>", "europe.mail", false},
		{"*.mail", "eu.mail", true}, {"*.mail", "mail", false}, {"*", "mail", true}, {"*", ">", false}, {">", "eu.mail", true}, {">", "", true},
		{"eu.mail", "eu.>", false}, {"eu.mail", "eu.*", false},
	} {
		if got := (scope{tt.pattern}).covers(tt.station); got != tt.covers {
			t.Errorf("%s covers %q: %v", tt.pattern, tt.station, got)
		}
	}
	if !scope(nil).covers("mail") {
		t.Error("a token without stations is not for all")
	}
	for _, text := range []string{"", ",", "mail,", ">.mail", "eu.>.x", "ma*l", "mail big", "a..b", "../x"} {
		if s, err := readScope(text); err == nil {
			t.Errorf("%q is read as %q", text, s)
		}
	}
}
