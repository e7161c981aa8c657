package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// An askedTime is when something of a plan was due, as a person writes it: an instant, or what
// the clocks show in a zone, which is the plan's where none is named.
type askedTime struct {
	at    time.Time      // counts where text is empty
	text  string         // what the clocks show in place
	place *time.Location // nil: the plan's
}

// askedForm describes the notation.
const askedForm = `RFC 3339 such as 2027-03-28T01:30:00Z, a date and a time such as "2027-03-28 02:30", which are in the plan's zone, or Unix seconds`

// askedTimeOf reads one.
func askedTimeOf(text string) (askedTime, error) {
	for _, form := range dateForms {
		if t, err := time.Parse(form+"Z07:00", text); err == nil {
			return askedTime{at: t}, nil
		}
	}
	if r, ok := readingWithZone(text); ok {
		return askedTime{text: r.text, place: r.place}, nil
	}
	if about, err := strconv.ParseFloat(text, 64); err == nil && about >= earliest {
		t, err := unixSeconds(text, about)
		return askedTime{at: t}, err
	}
	if _, ok := shownIn(text, time.UTC, time.Unix(0, 0)); ok {
		return askedTime{text: text}, nil
	}
	return askedTime{}, fmt.Errorf("%q is no time; give %s", text, askedForm)
}

// shownIn is a date and a time of day, or a time of day of today, in a place.
func shownIn(text string, place *time.Location, now time.Time) (reading, bool) {
	if r, ok := readingIn(text, place); ok {
		return r, true
	}
	return readingIn(now.In(place).Format("2006-01-02 ")+text, place)
}

// needsZone reports that the zone of the plan has to be known.
func (a askedTime) needsZone() bool { return a.text != "" && a.place == nil }

// of is the instant that is meant of a plan of that zone and with that rule for the change of
// its clocks; note describes what the clocks there do not show, or show twice.
func (a askedTime) of(zone *time.Location, rule schema.ClockChange, now time.Time) (at time.Time, note string) {
	if a.text == "" {
		return a.at, ""
	}
	if a.place != nil {
		zone = a.place
	}
	r, _ := shownIn(a.text, zone, now) // it was read once before
	at, other, note := r.under(rule)
	if !other.IsZero() {
		note += "; the other is " + other.Format(time.RFC3339)
	}
	return at, note
}
