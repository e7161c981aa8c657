package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// definitionOf decodes a plan's definition, of which a list may show a part.
func definitionOf(v *schema.PlanView) *schema.Plan {
	var p schema.Plan
	_ = wire.DecodeLoose(v.Plan, &p) // stored plans were checked
	name := planNameOf(v.Plan)
	p.Station, p.PlanID = name.Station, name.PlanID
	if p.PlanType == "" {
		p.PlanType = schema.TypeNone
	}
	return &p
}

// planNameOf is the name of a plan in its definition, whose id may be a number.
func planNameOf(definition wire.Value) (name schema.PlanName) {
	name.Station, _ = definition.Field("station").Text()
	id := definition.Field("plan_id")
	text, is := id.Text()
	if !is && !id.IsZero() {
		text = id.String()
	}
	name.PlanID = text
	return name
}

// planRow is a plan as lists show it.
func planRow(v *schema.PlanView) []string {
	p := definitionOf(v)
	s := &v.State
	schedule := scheduleText(p)
	if v.Words != "" {
		schedule = oneLine(v.Words)
	}
	return []string{
		p.Station + "/" + p.PlanID, statusText(s), string(p.PlanType),
		when(dueNext(s)), strconv.FormatInt(s.RealRepet, 10), strconv.FormatInt(s.SkipNum, 10),
		lastText(s), schedule, oneLine(describe(v, p)),
	}
}

// dueNext returns the next due time of a plan; zero: it has none, also when it has stopped until
// a person acts, because a time that has passed is no news then.
func dueNext(s *schema.PlanState) time.Time {
	if s.Status == schema.StatusPending || s.Status == schema.StatusPlanError {
		return time.Time{}
	}
	return s.PlanTime
}

// describe is the name that people know a plan by, and its description.
func describe(v *schema.PlanView, p *schema.Plan) string {
	switch known := v.DisplayName(); {
	case known == "" || known == p.Description:
		return p.Description
	case p.Description == "":
		return known
	default:
		return known + ": " + p.Description
	}
}

func planRowWithLabels(v *schema.PlanView) []string {
	p := definitionOf(v)
	pairs := make([]string, 0, len(p.Labels))
	for _, name := range slices.Sorted(maps.Keys(p.Labels)) {
		pairs = append(pairs, name+"="+p.Labels[name])
	}
	return append(planRow(v), oneLine(strings.Join(pairs, ",")))
}

// statusText is a status, with a useful detail.
func statusText(s *schema.PlanState) string {
	text := string(s.Status)
	switch errors := errorsOf(s); {
	case errors > 0 && s.Reason != "":
		text += fmt.Sprintf(" (%s, %s)", s.Reason, counted64(errors, "error"))
	case errors > 0:
		text += " (" + counted64(errors, "error") + ")"
	case s.Reason != "":
		text += " (" + string(s.Reason) + ")"
	}
	return text
}

// taken reports whether a worker has replied to an execution of the plan.
func taken(s *schema.PlanState) bool {
	for _, o := range s.Open {
		for _, x := range o.Executions {
			if x.State != schema.StateDispatched || x.WorkerID != "" {
				return true
			}
		}
	}
	return len(s.Open) == 0
}

// errorsOf is how often the plan's open occurrences have failed; of a queue, how many attempts in a row.
func errorsOf(s *schema.PlanState) (n int64) {
	if s.Inbox != nil {
		return s.Inbox.Errors
	}
	for _, o := range s.Open {
		n += o.Errors
	}
	return n
}

// lastText is the outcome of the last run, and the time of the next attempt.
func lastText(s *schema.PlanState) string {
	text := string(s.LastState)
	for _, o := range s.Open {
		if !o.NextTry.IsZero() {
			return text + ", again " + when(o.NextTry)
		}
	}
	return orDash(text)
}

// scheduleText is when a plan runs, as it was written.
func scheduleText(p *schema.Plan) string {
	value, repet := int64(0), int64(-1)
	if p.PlanValue != nil {
		value = *p.PlanValue
	}
	if p.PlanRepet != nil {
		repet = *p.PlanRepet
	}
	text := ""
	switch p.PlanType {
	case schema.TypeCron:
		text = p.Cron
	case schema.TypeSecond, schema.TypeMinute, schema.TypeHour, schema.TypeDay:
		text = "one after the other"
		if value > 0 {
			text = "every " + counted64(value, string(p.PlanType))
		}
	case schema.TypeWeek, schema.TypeMonth:
		text = dayText(p.PlanType, value) + " at 00:00:00"
		if !p.PlanTime.IsZero() {
			text = dayText(p.PlanType, value) + p.PlanTime.In(zoneOf(p)).Format(" at 15:04:05")
		}
	default:
		return "once"
	}
	if p.Timezone != "" {
		text += " " + p.Timezone
	}
	if repet > 0 {
		text += ", " + counted64(repet, "time")
	}
	return text
}

// dayText names the day of a plan of type week or month.
func dayText(planType schema.PlanType, value int64) string {
	switch {
	case planType == schema.TypeWeek:
		return "each " + time.Weekday(value).String()
	case value > 0:
		return fmt.Sprintf("day %d of each month", value)
	case value == 0:
		return "the last day of each month"
	default:
		return counted64(-value, "day") + " before the last of each month"
	}
}

// zoneOf is the zone of a plan's clocks.
func zoneOf(p *schema.Plan) *time.Location { return clockNamed(p.Timezone) }

// clockNamed is a zone; one that is unknown here is UTC.
func clockNamed(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.UTC
}

func counted64(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}

// oneLine keeps text within a cell of a table.
func oneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > longestBrief {
		runes = append(runes[:longestBrief], '…')
	}
	return orDash(string(runes))
}

// planText is a plan as people read it.
func planText(name schema.PlanName, v *schema.PlanView) string {
	var b strings.Builder
	s := &v.State
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("plan", "%s", name)
	if known := v.DisplayName(); known != "" {
		line("name", "%s", known)
	}
	if s.Status == schema.StatusExecuting && !taken(s) {
		line("status", "%s (no worker has answered)", s.Status)
	} else {
		line("status", "%s", statusText(s))
	}
	if s.Paused != nil {
		line("paused", "%s", askedText(s.Paused.Since, s.Paused.Attribution))
	}
	if s.Waits != nil {
		line("waits", "%s", waitsText(s.Waits))
	}
	if s.Waits != nil || s.Paused != nil || s.Status == schema.StatusPending || s.Status == schema.StatusPlanError {
		line("why", "%s", whyCommand(name, 0))
	}
	p := definitionOf(v)
	if p.Command != "" {
		line("command", "%s", oneLine(p.Command))
	}
	line("schedule", "%s", scheduleText(p))
	if len(p.Exclude) > 0 {
		line("exclude", "%s", strings.Join(p.Exclude, ", "))
	}
	if len(p.Only) > 0 {
		line("only", "%s", strings.Join(p.Only, ", "))
	}
	line("due", "%s", when(dueNext(s)))
	switch {
	case s.SkipNext < 0:
		line("skips", "all, until a skip of 0%s", skipsText(s.Skips))
	case s.SkipNext > 0:
		line("skips", "the next %s%s", counted64(s.SkipNext, "occurrence"), skipsText(s.Skips))
	}
	line("run", "%d, skipped %d", s.RealRepet, s.SkipNum)
	if in := s.Inbox; in != nil && in.Notified > 0 {
		line("queue", "%s", untakenNote(name.Station, in.Key, in.Notified))
	}
	if s.LastState != "" {
		line("last", "%s at %s", s.LastState, when(s.ExecTime))
	}
	for i := range s.Open {
		openText(&s.Open[i], line)
	}
	if v.InForce != nil {
		inForceText(v.InForce, line)
	}
	line("as sent", "%s", v.Plan)
	return strings.TrimSuffix(b.String(), "\n")
}

// openText are the lines of an occurrence that is not settled.
func openText(o *schema.OpenOccurrence, line func(label, format string, args ...any)) {
	line("open", "%s of %s", dueStep(o.Occurrence, 0), when(o.PlanTime))
	for _, x := range o.Executions {
		line("", "%s %s%s, deadline %s", executionStep(o.Occurrence, x.Attempt, x.N), x.State, at(x.WorkerID), when(x.Deadline))
	}
	if !o.NextTry.IsZero() {
		line("next try", "%s", when(o.NextTry))
	}
	if e := o.LastError; e != nil {
		info := e.Info
		if e.Cut {
			info += "…"
		}
		line("error", "%s, the last at %s: %s", counted64(max(o.Errors, 1), "error"), when(e.EndTime), oneLine(info))
	}
}

// inForceText are the lines of the settings in force, with the origin of each.
func inForceText(f *schema.InForce, line func(label, format string, args ...any)) {
	fields, err := wire.ValueOf(wire.JSON, f)
	if err != nil {
		return // it came from a message
	}
	label := "in force"
	for field, value := range fields.Map() {
		if field != "from" {
			text, is := value.Text()
			if !is {
				text = value.String()
			}
			line(label, "%s %s (%s)", field, text, f.From[field])
			label = ""
		}
	}
}

func at(worker string) string {
	if worker == "" {
		return ""
	}
	return " at " + worker
}
