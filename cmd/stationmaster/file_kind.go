package main

import (
	"bufio"
	"bytes"
	"regexp"
	"slices"
)

// A fileKind is the kind of a file, as its beginning shows it, and the command that reads it.
type fileKind struct{ is, reads string }

var (
	kindYAML     = fileKind{"a YAML file", "stationmaster apply -f FILE"}
	kindCrontab  = fileKind{"a crontab", "stationmaster apply -f FILE.crontab --station STATION"}
	kindBackup   = fileKind{"a backup", "stationmaster import -f FILE"}
	kindPlans    = fileKind{"a list of plans in JSON", "stationmaster plan import -f FILE"}
	kindCalendar = fileKind{"an iCalendar file", "stationmaster calendar import FILE"}
)

// beginnings are the kinds with a pattern of their first line that is no comment, in the order in
// which they are tried.
var beginnings = []struct {
	line *regexp.Regexp
	kind fileKind
}{
	{regexp.MustCompile(`^BEGIN:VCALENDAR`), kindCalendar},
	{regexp.MustCompile(`^\{\s*"stationmaster"\s*:\s*"` + backupKind + `"`), kindBackup},
	{regexp.MustCompile(`^\{\s*"(?:station|plan_id|command|plan_type|messages)"\s*:`), kindPlans},
	{regexp.MustCompile(`^(?:---|(?:plans|stations|tasks|calendars):|\{\s*"(?:plans|stations|tasks|calendars)"\s*:)`), kindYAML},
	{regexp.MustCompile(`^(?:@[a-z]+\s+\S|[\d*][\d*,/-]*\s+[\d*][\d*,/-]*\s+[\d*]\S*\s+[\w*]\S*\s+[\w*]\S*\s+\S|(?:PATH|HOME|SHELL|TZ|CRON_TZ|MAILTO)\s*=)`), kindCrontab},
}

// headBytes is how much of a file is looked at.
const headBytes = 4096

// fileKindOf returns the kind of a file by its beginning, and the number of the line that shows
// it; zero: the kind is unknown.
func fileKindOf(head []byte) (kind fileKind, number int) {
	for line := range bytes.Lines(head) {
		number++
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, b := range beginnings {
			if b.line.Match(line) {
				return b.kind, number
			}
		}
		return fileKind{}, 0
	}
	return fileKind{}, 0
}

// refuseOther refuses a file that another command reads; here describes the files of this one, for people.
func refuseOther(in *bufio.Reader, here string, ours ...fileKind) error {
	head, _ := in.Peek(headBytes) // an error is met again by who reads on
	kind, number := fileKindOf(head)
	if kind == (fileKind{}) || slices.Contains(ours, kind) {
		return nil
	}
	return usagef("line %d begins %s, which %q reads; %s", number, kind.is, kind.reads, here)
}
