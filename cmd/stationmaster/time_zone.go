package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A plan of type week or month uses the time of day of --time, as the clock of its timezone shows
// it at that moment. A --time that names a zone means that zone's clock, also when its offset is
// another, so the plan has to be of that zone.

// timeZone is the zone whose name is behind --time; empty: there is none.
func (f *fields) timeZone() string {
	flag := f.flags.Lookup("time")
	if flag == nil || !flag.Changed {
		return ""
	}
	r, named := readingWithZone(flag.Value.String())
	if !named {
		return ""
	}
	return r.place.String()
}

// clockOf is the timezone of a plan of a type, which has one already or none (empty), beside a
// --time that names a zone.
func clockOf(kind schema.PlanType, has, named string) (string, error) {
	switch {
	case named == "" || named == has || kind != schema.TypeWeek && kind != schema.TypeMonth:
		return has, nil
	case has == "":
		return named, nil
	}
	return "", usagef("--time names the zone %s, and a plan of type %s runs by the clock of its timezone, %s: give --timezone %[1]s, or the time of day there", named, kind, has)
}

// inZone is a new plan with the timezone that its --time names.
func (f *fields) inZone(cmd *cobra.Command, plan wire.Value) (wire.Value, error) {
	kind, _ := plan.Field("plan_type").Text()
	has, _ := plan.Field("timezone").Text()
	made, err := withClock(plan, schema.PlanType(kind), has, f.timeZone())
	if err == nil && has == "" {
		noteClock(cmd, schema.PlanType(kind), made, f.flags.Lookup("time"))
	}
	return made, err
}

// noteClock names the clock by which a plan of type week or month runs without a timezone of its
// own.
func noteClock(cmd *cobra.Command, kind schema.PlanType, plan wire.Value, given *pflag.Flag) {
	if zone, _ := plan.Field("timezone").Text(); zone != "" {
		cmd.PrintErrf("note: --timezone is %s, as --time says\n", zone)
		return
	}
	if !given.Changed || kind != schema.TypeWeek && kind != schema.TypeMonth {
		return
	}
	for _, form := range dateForms {
		at, err := time.Parse(form+"Z07:00", given.Value.String())
		if err != nil {
			continue
		}
		if utc := at.UTC().Format(time.TimeOnly); utc != at.Format(time.TimeOnly) {
			cmd.PrintErrf("note: it runs at %s by the clock of UTC in summer and winter, because an offset is no zone: --timezone names one, such as Europe/Berlin\n", utc)
		}
	}
}

// withClock is a map with the timezone of [clockOf], unless the plan has that already.
func withClock(m wire.Value, kind schema.PlanType, has, named string) (wire.Value, error) {
	zone, err := clockOf(kind, has, named)
	if err != nil || zone == has {
		return m, err
	}
	members := membersOf(m)
	members["timezone"] = zone
	return wire.ValueOf(m.Encoding(), members)
}

// changeInZone is a change of a plan with the timezone that its --time names.
func (f *fields) changeInZone(ctx context.Context, cmd *cobra.Command, c *client.Client, name schema.PlanName, change wire.Value) (wire.Value, error) {
	named := f.timeZone()
	if named == "" {
		return change, nil
	}
	view, err := c.PlanNamed(name).Get(ctx)
	if err != nil {
		return change, err
	}
	after := func(field string) string {
		v := change.Field(field)
		if v.IsZero() {
			v = view.Plan.Field(field)
		}
		text, _ := v.Text() // empty where the change takes it back to its default
		return text
	}
	changed, err := withClock(change, schema.PlanType(after("plan_type")), after("timezone"), named)
	if err == nil && changed.Field("timezone").Kind() != change.Field("timezone").Kind() {
		cmd.PrintErrf("note: --timezone is %s, as --time says\n", named)
	}
	return changed, err
}
