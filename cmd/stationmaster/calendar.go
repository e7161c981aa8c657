package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newCalendar() *cobra.Command {
	var a asker
	cmd := group("calendar", "Manage calendars",
		newCalendarPut(&a), newCalendarGet(&a), newCalendarList(&a), newCalendarRemove(&a), newCalendarShow(&a), newCalendarImport(&a))
	cmd.Long = `A calendar names days and times of day. Plans leave them out (plan create --exclude), or keep
to them (--only).`
	a.flags(cmd)
	return cmd
}

func newCalendarPut(a *asker) *cobra.Command {
	fields := newFields()
	fields.flags.String("calendar-id", "", "the calendar, if it is no argument")
	fields.flags.String("description", "", "its description")
	fields.flags.String("timezone", "", "zone of its days and times (default: the plan's)")
	var put calendarPutting
	cmd := &cobra.Command{
		Use:   "put [CALENDAR] -f FILE [flags]",
		Short: "Put a calendar in place of the one that there is",
		Long: `Put a calendar in place of the one that there is. CALENDAR is that of the file, if the file
names one; --calendar-id puts the file's entries under another name. A calendar without
entries leaves no day out, and is refused without --allow-empty. --dry-run says how many
plans name the calendar, and which of them it would leave no time.`,
		Example: `  echo '{"days":[{"weekday":"sat"},{"weekday":"sun"}]}' | stationmaster calendar put weekends -f -
  stationmaster calendar get weekends > weekends.json`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			record, err := fields.read(cmd)
			if err != nil {
				return err
			}
			if record, err = namedBy(args, record, fields.flags.Changed("calendar-id")); err != nil {
				return err
			}
			return put.send(cmd, a, record, "")
		},
	}
	fields.add(cmd)
	put.flags(cmd)
	return cmd
}

func putCalendarLine(put *schema.CalendarPut) string {
	switch {
	case put.DryRun && put.Created:
		return "would put " + put.CalendarID
	case put.DryRun:
		if put.Plans == 1 {
			return fmt.Sprintf("would replace %s, which 1 plan names", put.CalendarID)
		}
		return fmt.Sprintf("would replace %s, which %d plans name", put.CalendarID, put.Plans)
	case put.Created:
		return "put " + put.CalendarID
	}
	return fmt.Sprintf("replaced %s, revision %d", put.CalendarID, put.Revision)
}

func newCalendarGet(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "get CALENDAR",
		Short: "Show a calendar as it was put",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				calendar, err := c.Calendars().Get(ctx, args[0])
				if err != nil {
					return err
				}
				return printJSON(cmd.OutOrStdout(), calendar)
			})
		},
	}
}

func newCalendarList(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List calendars",
		Args:  takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				calendars := c.Calendars().All(ctx)
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "calendars", calendars)
				}
				return printTable(cmd, []string{"CALENDAR", "PLANS", "REVISION", "DESCRIPTION"}, calendars,
					func(s *schema.CalendarSummary) []string {
						return []string{
							s.CalendarID, strconv.FormatInt(s.Plans, 10), strconv.FormatUint(s.Revision, 10), strings.ReplaceAll(s.Description, "\n", " "),
						}
					})
			})
		},
	}
}

func newCalendarRemove(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "rm CALENDAR",
		Short: "Delete a calendar that no plan names",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				deleted, err := c.Calendars().Delete(ctx, args[0])
				if err != nil {
					return err
				}
				return a.answer(cmd, deleted, "removed "+args[0])
			})
		},
	}
}

func newCalendarShow(a *asker) *cobra.Command {
	var from, until string
	cmd := &cobra.Command{
		Use:   "show CALENDAR [--from DATE] [--until DATE]",
		Short: "Show the days that a calendar holds",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			first, err := dateOf("from", from, time.Now())
			if err != nil {
				return err
			}
			last, err := dateOf("until", until, first.AddDate(1, 0, -1))
			if err != nil {
				return err
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				days, err := c.Calendars().Days(ctx, args[0], first, last)
				if err != nil {
					return err
				}
				if a.json {
					return printJSON(cmd.OutOrStdout(), days)
				}
				for _, d := range days.Days {
					at, _ := schema.ParseDate(d.Date)
					fmt.Fprintln(cmd.OutOrStdout(), strings.TrimRight(d.Date+" "+at.Format("Mon")+"  "+d.Name, " "))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the first `date`, such as 2026-12-25 (default: today)")
	cmd.Flags().StringVar(&until, "until", "", "the last `date` (default: a year of them)")
	return cmd
}

// dateOf reads the date of a flag.
func dateOf(flag, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	at, ok := schema.ParseDate(text)
	if !ok {
		return at, usagef("--%s is %q; it takes a day such as 2026-12-25", flag, text)
	}
	return at, nil
}
