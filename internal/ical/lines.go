package ical

import (
	"bytes"
	"fmt"
	"strings"

	ics "github.com/arran4/golang-ical"
)

const (
	// mostDepth bounds the components within each other; a file has three, such as an alarm in
	// an event of a calendar.
	mostDepth = 8
	// mostParameters bounds the bytes of a property before its value, because each of its
	// parameters is copied with the rest of the line.
	mostParameters = 1000
)

// A LineError is why a file is not read.
type LineError struct {
	Line   int    // of the file, from 1
	Reason string // in words
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

func lineErrorf(line int, format string, args ...any) error {
	return &LineError{line, fmt.Sprintf(format, args...)}
}

// A line is a content line: a line of the file with those that continue it.
type line struct {
	number int // of its first line, from 1
	text   string
}

// linesOf unfolds the lines of a file. Empty ones are left out.
func linesOf(file []byte) (lines []line) {
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	var whole []byte
	begin := 0
	end := func() {
		if len(whole) > 0 {
			lines = append(lines, line{begin, string(whole)})
		}
		whole = whole[:0]
	}
	number := 0
	for text := range bytes.Lines(file) {
		number++
		text = bytes.TrimRight(text, "\r\n")
		if len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
			whole = append(whole, text[1:]...)
			continue
		}
		end()
		begin, whole = number, append(whole, text...)
	}
	end()
	return lines
}

// A property is one of an event.
type property struct {
	line  int
	value string
}

// An event is one VEVENT: where it begins, and its properties by name in capitals, without those
// of the components in it.
type event struct {
	line       int
	properties map[string][]property
}

// first is the value of a property; false: it has none.
func (e *event) first(name string) (value string, is bool) {
	if all := e.properties[name]; len(all) > 0 {
		return all[0].value, true
	}
	return "", false
}

// eventsOf returns the events of a file.
func eventsOf(lines []line) (events []event, err error) {
	if len(lines) == 0 {
		return nil, lineErrorf(1, "the file is empty; an iCalendar file begins with BEGIN:VCALENDAR")
	}
	if !strings.EqualFold(strings.TrimSpace(lines[0].text), "BEGIN:VCALENDAR") {
		return nil, lineErrorf(lines[0].number, "it is %q; an iCalendar file begins with BEGIN:VCALENDAR", shorten(lines[0].text))
	}
	var open []line // the components that have begun, by their names
	for i, l := range lines {
		name, value, is := strings.Cut(l.text, ":")
		name, value = strings.ToUpper(name), strings.ToUpper(strings.TrimSpace(value))
		switch {
		case !is:
			return nil, lineErrorf(l.number, "%q has no colon, so that it is no property; a line that continues another begins with a space", shorten(l.text))
		case i > 0 && len(open) == 0:
			return nil, lineErrorf(l.number, "%q stands behind END:VCALENDAR; one calendar is read of a file", shorten(l.text))
		case name == "BEGIN" && len(open) == mostDepth:
			return nil, lineErrorf(l.number, "BEGIN:%s is within %d others; at most %d components are within each other", shorten(value), mostDepth, mostDepth)
		case name == "BEGIN":
			open = append(open, line{l.number, value})
			if value == "VEVENT" && len(open) == 2 {
				events = append(events, event{l.number, map[string][]property{}})
			}
		case name == "END":
			last := open[len(open)-1]
			if value != last.text {
				return nil, lineErrorf(l.number, "END:%s; the component that ends here is %s, of line %d", shorten(value), shorten(last.text), last.number)
			}
			open = open[:len(open)-1]
		case len(open) == 2 && open[1].text == "VEVENT":
			if err := events[len(events)-1].add(l); err != nil {
				return nil, err
			}
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return nil, lineErrorf(last.number, "the file ends before END:%s, which belongs to BEGIN:%s here", shorten(last.text), shorten(last.text))
	}
	return events, nil
}

// used are the properties that are read.
var used = []string{"DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "STATUS", "RECURRENCE-ID", "SUMMARY"}

// add adds a property, if it is one that is read.
func (e *event) add(l line) error {
	for _, name := range used {
		rest, is := cutName(l.text, name)
		if !is {
			continue
		}
		if parametersOf(rest) > mostParameters {
			return lineErrorf(l.number, "%s has more than %d bytes of parameters", name, mostParameters)
		}
		p, err := ics.ParseProperty(ics.ContentLine(l.text))
		if err != nil || p == nil {
			return lineErrorf(l.number, "%s cannot be read; it is written as %s:VALUE, or %s;PARAMETER=VALUE:VALUE", name, name, name)
		}
		e.properties[name] = append(e.properties[name], property{l.number, p.Value})
	}
	return nil
}

// cutName returns the rest of a line behind the name of a property; false: the line has another
// one.
func cutName(text, name string) (rest string, is bool) {
	if len(text) <= len(name) || !strings.EqualFold(text[:len(name)], name) {
		return "", false
	}
	rest = text[len(name):]
	return rest, rest[0] == ':' || rest[0] == ';'
}

// parametersOf is the length of the parameters, which end at the first colon outside of quotes.
func parametersOf(rest string) int {
	quoted := false
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == '"':
			quoted = !quoted
		case c == ':' && !quoted:
			return i
		}
	}
	return len(rest)
}
