package main

import (
	"iter"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/schema"
)

// timeless are plans that calendars leave no time.
type timeless struct {
	count int
	first schema.PlanName
}

// among counts them among plans.
func (l *timeless) among(plans iter.Seq2[schema.PlanView, error]) iter.Seq2[schema.PlanView, error] {
	return func(yield func(schema.PlanView, error) bool) {
		for v, err := range plans {
			onCalendars := !v.Plan.Field("exclude").IsZero() || !v.Plan.Field("only").IsZero()
			if err == nil && onCalendars && v.State.Status == schema.StatusQueued && v.State.PlanTime.IsZero() && len(v.State.Open) == 0 {
				if l.count++; l.count == 1 {
					l.first.Station, _ = v.Plan.Field("station").Text()
					l.first.PlanID, _ = v.Plan.Field("plan_id").Text()
				}
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// note names the command that explains the first of them, if there is one.
func (l *timeless) note(cmd *cobra.Command) {
	switch l.count {
	case 0:
	case 1:
		cmd.PrintErrf("note: calendars leave %s no time; why: %s\n", l.first, whyCommand(l.first, 0))
	default:
		cmd.PrintErrf("note: calendars leave %d plans no time; why, of the first: %s\n", l.count, whyCommand(l.first, 0))
	}
}
