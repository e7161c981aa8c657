package schema

// calendarSamples are values of the types of calendars, which together set every field.
func calendarSamples() map[string]any {
	moved := Plan{Station: "hello.eu", PlanID: "P1", Schedule: Schedule{PlanType: TypeCron, Cron: "0 9 * * *", Timezone: "Europe/Berlin",
		Exclude: []string{"de-holidays", "freeze"}, Only: []string{"trading-days"}, Excluded: ExcludedNext}}
	return map[string]any{
		"plan_calendars": moved,
		"calendar": Calendar{
			CalendarID: "de-holidays", Description: "d", Timezone: "Europe/Berlin", Revision: 3,
			Days: []CalendarDay{
				{Date: "2026-12-24", Until: "2027-01-01", Name: "Freeze"}, {Yearly: "12-25", Name: "Christmas"},
				{Easter: ptr[int64](-2), Name: "Good Friday"}, {Weekday: "sat"}, {Cron: "* 11 thu#4", Name: "Thanksgiving"},
			},
			Except:  []CalendarDay{{Date: "2026-02-14", Name: "make-up day"}},
			Windows: []CalendarWindow{{From: "22:00", To: "06:00", Weekdays: []string{"fri"}}, {Date: "2026-12-05", From: "22:00", To: "02:00"}},
		},
		"periodic_put_calendars": PeriodicPut{ID: "7", Type: "s", CronExpressions: "0 9 * * *", Exclude: []string{"a"}, Only: []string{"b"}, Excluded: ExcludedNext},
		"periodic_task_calendars": PeriodicTask{
			ID: "7", Type: "s", CronExpressions: "0 9 * * *", Status: PeriodicNew, Log: PeriodicLogNone, CreateDate: due, UpdateDate: due,
			Exclude: []string{"a"}, Only: []string{"b"}, Excluded: ExcludedNext,
		},
		"calendar_name":    CalendarName{CalendarID: "de-holidays"},
		"calendar_put":     CalendarPut{CalendarID: "de-holidays", Created: true, Revision: 1},
		"calendar_dry":     CalendarPut{CalendarID: "de-holidays", Revision: 2, Plans: 3, DryRun: true},
		"calendar_emptied": CalendarPut{CalendarID: "de-holidays", Revision: 2, Plans: 3, Dropped: []string{"days"}},
		"calendar_no_time": CalendarPut{CalendarID: "de-holidays", Revision: 2, NoTime: &NoTime{
			Count: 3, More: true, Plans: []PlanName{{Station: "hello.eu", PlanID: "P1"}},
		}},
		"calendar_deleted":  CalendarDeleted{CalendarID: "de-holidays", Deleted: true},
		"list_calendars":    ListCalendars{Limit: 5, Cursor: "x"},
		"calendar_page":     CalendarPage{Calendars: []CalendarSummary{{CalendarID: "de-holidays", Description: "d", Revision: 3, Plans: 2}}, Next: "x"},
		"ask_calendar_days": AskCalendarDays{CalendarID: "de-holidays", From: "2026-01-01", Until: "2026-12-31"},
		"calendar_days":     CalendarDays{Days: []NamedDay{{Date: "2026-12-25", Name: "Christmas"}}},
		"execution_moved": Execution{
			PlanID: "P1", Station: "hello.eu", Command: "greet", Occurrence: 3, Attempt: 1, Exec: "4-" + nonce, Key: "hello.eu/P1/7/3",
			PlanTime: later, MovedFrom: due, Epoch: 1772359200000,
		},
		"result_moved": Result{
			PlanID: "P1", Station: "hello.eu", Occurrence: 3, Attempt: 1, N: 4, Key: "hello.eu/P1/7/3",
			PlanTime: later, MovedFrom: due, State: StateOK, RealRepet: 3, Final: true,
		},
		"previewed_moved": Previewed{Occurrences: []PreviewedOccurrence{{
			Occurrence: 1, PlanTime: later, Notes: []Note{{Kind: NoteMoved, Text: "moved", From: due, Calendar: "de-holidays"}},
		}}},
	}
}
