package main

import (
	"strings"
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-01T13:00:00+01:00":           now,
		"2026-03-01T13:00+01:00":              now,
		"2026-03-01 13:00:00 Europe/Berlin":   now,
		"2026-03-01 13:00 Europe/Berlin":      now,
		"2026-03-01 Europe/Berlin":            now.Add(-13 * time.Hour),
		"2026-03-01Z":                         now.Add(-12 * time.Hour),
		"1772366400":                          now,
		"1772366400.25":                       now.Add(250 * time.Millisecond),
		"1772366400.123456789":                now.Add(123_456_789),
		"1772366399.9999999999":               now.Add(-1),
		"1772366400.":                         now,
		"1.7723664e9":                         now,
		"1772366400000e-3":                    now,
		"1e9":                                 time.Unix(1e9, 0),
		"100000000":                           time.Unix(earliest, 0),
		"253402300799.5":                      time.Unix(beyond-1, 5e8),
		"90s":                                 now.Add(90 * time.Second),
		"-1h":                                 now.Add(-time.Hour),
		"2d":                                  now.Add(48 * time.Hour),
		"9999-12-31T23:59:59.999999999Z":      time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		"2026-03-01T10:00:00.5-02:00":         now.Add(500 * time.Millisecond),
		"2026-03-29 03:30:00 Europe/Berlin":   time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC),
		"2026-03-01 00:00 America/New_York":   time.Date(2026, 3, 1, 5, 0, 0, 0, time.UTC),
		"2026-03-01T07:00:00 America/Jamaica": now,
	} {
		if got, err := moment(text, now); err != nil || !got.Equal(want) {
			t.Errorf("moment(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, message := range map[string]string{
		"9:00":              `has no zone: write 2026-03-01T09:00:00Z`,
		"2026-11-24":        `has no zone: write 2026-11-24T00:00:00Z`,
		"2026-11-24 10:00":  `has no zone: write 2026-11-24T10:00:00Z`,
		"10":                "10 would be Unix seconds, and lies in the year 1970: write 10s",
		"10.5":              "10.5 would be Unix seconds, and lies in the year 1970: write 10.5s",
		"-0.5":              "-0.5 would be Unix seconds, and lies in the year 1969: write -0.5s",
		"99999999.9":        "lies in the year 1973: write 99999999.9s",
		"1e7":               "lies in the year 1970: write 10000000s",
		"1772366400000":     "are they milliseconds?",
		"1e999999999":       "are they milliseconds?",
		"-1e999999999":      "is no time",
		"nan":               "is no time",
		"tomorrow":          `"tomorrow" is no time; give RFC 3339`,
		"":                  "is no time",
		"2026-03-01 berlin": "is no time",
		"2026-03-01 Local":  "is no time",
	} {
		if got, err := moment(text, now); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("moment(%q) = %v, %v; want %q", text, got, err, message)
		}
	}
}

// A time that the clocks skip, or show twice, is the first instant at which they show it or have
// passed it, because schedules have the same rule. A note reports that, in the words of the user.
func TestTimesThatClocksDoNotShowOnce(t *testing.T) {
	for _, c := range []struct{ text, want, note string }{
		{
			"2027-03-14 02:30 America/New_York", "2027-03-14T07:00:00Z",
			"2027-03-14 02:30 does not exist in America/New_York: clocks go from 02:00 to 03:00; taken as 03:00",
		},
		{
			"2027-03-28T02:30:00.5 Europe/Berlin", "2027-03-28T01:00:00Z",
			"2027-03-28T02:30:00.5 does not exist in Europe/Berlin: clocks go from 02:00 to 03:00; taken as 03:00",
		},
		{
			"2027-10-31 02:30 Europe/Berlin", "2027-10-31T00:30:00Z",
			"2027-10-31 02:30 exists twice in Europe/Berlin: clocks go back from 03:00 to 02:00; taken as the first, 02:30 +02:00",
		},
		{
			"2027-11-07 01:30 America/New_York", "2027-11-07T05:30:00Z",
			"2027-11-07 01:30 exists twice in America/New_York: clocks go back from 02:00 to 01:00; taken as the first, 01:30 -04:00",
		},
		{
			"2011-12-30 09:00 Pacific/Apia", "2011-12-30T10:00:00Z",
			"2011-12-30 09:00 does not exist in Pacific/Apia: clocks go from 00:00 to 2011-12-31 00:00; taken as 2011-12-31 00:00",
		},
		{
			"2018-11-04 America/Sao_Paulo", "2018-11-04T03:00:00Z",
			"2018-11-04 00:00 does not exist in America/Sao_Paulo: clocks go from 00:00 to 01:00; taken as 01:00",
		},
		{
			"2027-04-04 01:45 Australia/Lord_Howe", "2027-04-03T14:45:00Z",
			"2027-04-04 01:45 exists twice in Australia/Lord_Howe: clocks go back from 02:00 to 01:30; taken as the first, 01:45 +11:00",
		},
		{"2027-03-28 01:59:59 Europe/Berlin", "2027-03-28T00:59:59Z", ""},
		{"2027-03-28 03:00 Europe/Berlin", "2027-03-28T01:00:00Z", ""},
		{"2027-10-31 01:59 Europe/Berlin", "2027-10-30T23:59:00Z", ""},
		{"2027-10-31 03:00 Europe/Berlin", "2027-10-31T02:00:00Z", ""},
		{"2027-12-31 23:59:59.5 Europe/Berlin", "2027-12-31T22:59:59.5Z", ""},
		{"2027-03-28 02:30 UTC", "2027-03-28T02:30:00Z", ""},
		{"2027-03-28T02:30+02:00", "2027-03-28T00:30:00Z", ""},
	} {
		got, err := moment(c.text, time.Now())
		typed := timeText(c.text)
		if err != nil || got.UTC().Format(time.RFC3339Nano) != c.want || typed.note() != c.note {
			t.Errorf("%s: %v, %v, %q; want %s, %q", c.text, got.UTC(), err, typed.note(), c.want, c.note)
		}
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := moment("02:30", time.Date(2027, 3, 28, 12, 0, 0, 0, berlin)); err == nil || !strings.Contains(err.Error(), "write 2027-03-28T03:00:00+02:00") {
		t.Errorf("02:30 of that day: %v", err)
	}
}

// Each flag for a time, of any command, is a timeText, and its note comes.
func TestFlagsForTimesAreNoted(t *testing.T) {
	twice := "2027-10-31 02:30 Europe/Berlin"
	for _, args := range [][]string{
		{"plan", "create", "--station", "s", "--command", "c", "--type", "time", "--time"},
		{"plan", "create", "--station", "s", "--command", "c", "--start-at"},
		{"plan", "update", "s/p", "--end-at"},
		{"plan", "preview", "--type", "none", "--from"},
		{"plan", "ls", "--due-from"}, {"plan", "ls", "--due-before"},
		{"plan", "runs", "s/p", "--since"}, {"plan", "runs", "s/p", "--until"},
		{"queue", "push", "k", "1", "--at"}, {"queue", "release", "k", "--random", "r", "--at"}, {"task", "submit", "t", "--at"},
	} {
		flag := args[len(args)-1]
		_, _, errs := try(t, "", append(args, twice, "--nats-url=nats://127.0.0.1:1", "--timeout=10ms")...)
		if !strings.Contains(errs, "note: "+flag+": 2027-10-31 02:30 exists twice in Europe/Berlin") {
			t.Errorf("%q: %s", args, errs)
		}
	}
}

// A time without a zone is proposed in the zone that the plan names.
func TestTheProposedTimeIsInTheNamedZone(t *testing.T) {
	code, _, errs := try(t, "", "plan", "create", "--station", "s", "--command", "c", "--type", "time", "--time", "2027-03-28 10:00", "--timezone", "Asia/Tokyo")
	if want := `"2027-03-28 10:00" has no zone: write 2027-03-28T10:00:00+09:00, if that of Asia/Tokyo is meant`; code != exitUsage || !strings.Contains(errs, want) {
		t.Errorf("exit code %d: %s, want %s", code, errs, want)
	}
}
