package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A calendarPutting has the options that the commands share which put a calendar.
type calendarPutting struct {
	dry, empty bool
}

func (p *calendarPutting) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.empty, "allow-empty", false, "take a calendar without entries")
	foreseenVar(cmd.Flags(), &p.dry)
}

// namedBy gives a record the name of the argument, unless its file has another one, because the
// calendar of that name would be lost. A flag is meant to give another.
func namedBy(args []string, record wire.Value, byFlag bool) (wire.Value, error) {
	name, _ := record.Field("calendar_id").Text()
	switch {
	case len(args) == 0 && record.Field("calendar_id").IsZero():
		return record, usagef("name the calendar")
	case len(args) == 0 || args[0] == name:
		return record, nil
	case byFlag:
		return record, usagef("%q and --calendar-id %q are two calendars; one is put", args[0], name)
	}
	if err := refuseOtherName(args[0], record, "calendar", "calendar_id"); err != nil {
		return record, err
	}
	members := membersOf(record)
	members["calendar_id"] = args[0]
	return wire.ValueOf(record.Encoding(), members)
}

// send puts a calendar; more is added to the line that says so.
func (p *calendarPutting) send(cmd *cobra.Command, a *asker, record wire.Value, more string) error {
	if !p.empty && hasNoEntry(record) {
		return usagef("the calendar has no entry: none of days, except, windows. It would leave no day out, and keep plans that have it in only from any time; if that is meant, give --allow-empty")
	}
	if p.dry {
		var err error
		if record, err = asDryRun(record); err != nil {
			return err
		}
	}
	was := ""
	if !p.dry && !a.json {
		a.beside(cmd, func(ctx context.Context, c *client.Client) { was = replacedCalendar(ctx, c, record) })
	}
	return a.do(cmd, record.Encoding(), func(ctx context.Context, c *client.Client) error {
		var put schema.CalendarPut
		if err := c.Do(ctx, "calendars", "put", record, &put); err != nil {
			return err
		}
		if was != "" && !put.Created {
			cmd.PrintErrln("note: " + was)
		}
		return a.answerPut(cmd, &put, putCalendarLine(&put)+more)
	})
}

// hasNoEntry reports that a calendar has none. A member that is no list is left to the scheduler, which
// refuses it as such.
func hasNoEntry(record wire.Value) bool {
	for _, name := range []string{"days", "except", "windows"} {
		entries := record.Field(name)
		if entries.Len() > 0 || !entries.IsZero() && entries.Kind() != wire.KindNull && entries.Kind() != wire.KindList {
			return false
		}
	}
	return true
}

// replacedCalendar describes the calendar that a put takes away; empty: there is none, or it has the
// same entries, or it cannot be read.
func replacedCalendar(ctx context.Context, c *client.Client, record wire.Value) string {
	is, err := schema.ParseCalendar(record)
	if err != nil {
		return "" // the scheduler reports its errors
	}
	was, err := c.Calendars().Get(ctx, is.CalendarID)
	if err != nil || sameCalendar(was, is) {
		return ""
	}
	text := fmt.Sprintf("calendar %s had %s before", was.CalendarID, entriesOf(was))
	var dry schema.CalendarPut
	request, err := asDryRun(record)
	if err != nil || c.Do(ctx, "calendars", "put", request, &dry) != nil || dry.Plans == 0 {
		return text
	}
	if dry.Plans == 1 {
		return text + ", and 1 plan names it: its due times are others now"
	}
	return text + fmt.Sprintf(", and %d plans name it: their due times are others now", dry.Plans)
}

// entriesOf counts the entries of a calendar.
func entriesOf(c *schema.Calendar) string {
	if n := len(c.Days) + len(c.Except) + len(c.Windows); n != 1 {
		return fmt.Sprintf("%d entries", n)
	}
	return "1 entry"
}

// answerPut prints the answer to a put, and a warning about plans for which the calendar leaves
// no time.
func (a *asker) answerPut(cmd *cobra.Command, put *schema.CalendarPut, line string) error {
	show := a.answer
	if put.DryRun {
		show = a.answerForeseen
	}
	if err := show(cmd, put, line); err != nil || put.NoTime == nil || a.json {
		return err
	}
	if put.DryRun {
		cmd.PrintErrf("warning: %s\n", put.NoTime.Foreseen())
		return nil
	}
	cmd.PrintErrf("warning: %s; why: %s\n", put.NoTime, whyCommand(put.NoTime.Plans[0], 0))
	return nil
}

// refuseOtherName refuses a file that is of another thing than the argument names, because one of
// the two is a mistake, and what is put replaces what is there. The flag of the field says which.
func refuseOtherName(arg string, file wire.Value, thing, field string) error {
	of := file.Field(field)
	name, isText := of.Text()
	if !isText && !of.IsZero() {
		name = brief(of)
	}
	if of.IsZero() || name == arg {
		return nil
	}
	return usagef("%q is to be put, and the file is of %s %q: name that one, or give --%s %s in place of the argument, to put what the file has under that name",
		arg, thing, name, strings.ReplaceAll(field, "_", "-"), arg)
}
