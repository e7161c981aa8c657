package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// An askedTime is a due time as a person writes it. It is an instant, or a date and a time of day
// in a zone, by default the plan's.
type askedTime struct {
	at    time.Time      // counts where text is empty
	text  string         // the date and the time of day in place
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

// of returns the instant of the asked time for a plan with a zone and a rule for changes of its
// clocks. The note describes a local time that does not exist, or exists twice.
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
