package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The lines that tail and demo print:
//
//	12:00:03.001 hello/greet  due 3 → execution 3.1 → ok 0.8ms "hi"
//
// An execution is named by its occurrence and attempt, so that a retry of occurrence 3 is
// 3.2.

// traceResult is the line of a result.
func traceResult(r *schema.Result) string {
	steps := []string{dueStep(r.Occurrence, r.Count)}
	if r.State != schema.StateSkipped {
		steps = append(steps, executionStep(r.Occurrence, r.Attempt, r.N))
	}
	end := string(r.State)
	if took := r.EndTime.Sub(r.ExecTime); !r.ExecTime.IsZero() && r.State != schema.StateSkipped {
		end += " " + span(took)
	}
	if r.Reason != "" {
		end += " (" + string(r.Reason) + ")"
	}
	switch {
	case !r.Error.IsZero():
		end += " " + brief(r.Error)
	case !r.Content.IsZero():
		end += " " + brief(r.Content)
	}
	return traceLine(r.EndTime, r.Station, r.PlanID, append(steps, end))
}

// traceNotice is the line of an event.
func traceNotice(n *schema.Notice) string {
	var steps []string
	if n.N > 0 || n.Occurrence > 0 {
		steps = append(steps, dueStep(n.Occurrence, 0))
	}
	if n.Attempt > 0 {
		steps = append(steps, executionStep(n.Occurrence, n.Attempt, n.N))
	}
	last := string(n.Kind)
	switch n.Kind {
	case schema.NoticeDispatched:
		last = "" // the execution has it
	case schema.NoticeNotWorker:
		last = "no worker is at station." + n.Station + "; it waits"
	case schema.NoticePaused:
		last = "paused; nothing of it is due until it is resumed"
	case schema.NoticePlanError:
		last = "plan_error: a person must reset or remove the plan"
	}
	if n.Progress != nil {
		last += fmt.Sprintf(" %.0f%%", *n.Progress)
	}
	if n.Reason != "" {
		last += " (" + string(n.Reason) + ")"
	}
	if last != "" {
		steps = append(steps, last)
	}
	return traceLine(n.Time, n.Station, n.PlanID, steps)
}

func traceLine(at time.Time, station, planID string, steps []string) string {
	return fmt.Sprintf("%s %s/%s  %s", at.Local().Format("15:04:05.000"), station, planID, strings.Join(steps, " → "))
}

// dueStep names an occurrence, the last one of count; 0 is a trigger's, which is on no
// schedule.
func dueStep(occurrence, count int64) string {
	switch {
	case occurrence == 0:
		return "triggered"
	case count > 1:
		return fmt.Sprintf("due %d to %d", occurrence-count+1, occurrence)
	default:
		return fmt.Sprintf("due %d", occurrence)
	}
}

// executionStep names an execution; one of a trigger by its number.
func executionStep(occurrence, attempt, n int64) string {
	if occurrence == 0 {
		return fmt.Sprintf("execution #%d", n)
	}
	return fmt.Sprintf("execution %d.%d", occurrence, attempt)
}

// span returns a duration with some two digits, such as 0.8ms, 12ms or 2.5s.
func span(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%.0fms", math.Round(float64(d)/float64(time.Millisecond)))
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

// longestBrief bounds a reply in a line, so that the line stays one on a screen.
const longestBrief = 60

// brief is a worker's reply as far as it fits.
func brief(v wire.Value) string {
	text := []rune(inWords(v))
	if len(text) > longestBrief {
		return string(text[:longestBrief]) + "…"
	}
	return string(text)
}

// inWords returns the text of a worker's reply for people. An error with a class, as station http
// has them, is the message with the class before it. A result that gave way after an error has
// the text of that error.
func inWords(v wire.Value) string {
	if text, is := v.Text(); is && strings.HasPrefix(text, `{"class":`) {
		if of, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{}); err == nil {
			v = of
		}
	}
	if o, is := schema.ReadHTTPOutcome(&schema.Result{Error: v}); is && o.Message != "" {
		return string(o.Class) + ": " + o.Message
	}
	return v.String()
}
