package simulate

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"
)

// CSVHeader names the columns of the CSV output.
var CSVHeader = []string{"station", "plan_id", "occurrence", "attempt", "plan_time", "begin", "end", "state", "reason", "count"}

// CSV returns a sink that writes a line for each result, and a function that writes the buffer
// and returns the first error. Times are RFC 3339 in UTC; begin is empty when no worker began. A
// line stands for count occurrences, occurrence being the last of them.
func CSV(to io.Writer) (sink Sink, flush func() error) {
	w := csv.NewWriter(to)
	_ = w.Write(CSVHeader) // flush returns the error
	line := make([]string, len(CSVHeader))
	sink = func(r *Result) error {
		line[0], line[1] = r.Name.Station, r.Name.PlanID
		line[2], line[3] = strconv.FormatInt(r.Occurrence, 10), strconv.FormatInt(r.Attempt, 10)
		line[4], line[5], line[6] = timeText(r.PlanTime), timeText(r.Begin), timeText(r.End)
		line[7], line[8] = string(r.State), string(r.Reason)
		line[9] = strconv.FormatInt(r.Count, 10)
		return w.Write(line)
	}
	return sink, func() error {
		w.Flush()
		return w.Error()
	}
}

// timeText is a moment in RFC 3339; empty for none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
