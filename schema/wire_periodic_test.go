package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// periodicSamples is one value of every type of the services periodic_tasks.*.
func periodicSamples(enc wire.Encoding) map[string]any {
	task := PeriodicTask{
		ID: "7", TenantID: "17", Type: "hello.eu", Creator: "me", CronExpressions: "0 0 * * * ?", Timezone: "UTC",
		Status: PeriodicOnline, Log: PeriodicLogTrans, Category: "c", Ext: wire.Text(enc, "x"), CreateDate: due, UpdateDate: later,
	}
	log := PeriodicLog{
		ID: "P1-4", PeriodicTaskID: "7", TenantID: "17", Result: PeriodicFailure, ErrorInfo: "no", CreateDate: due, UpdateDate: later,
	}
	return map[string]any{
		"periodic_put": PeriodicPut{
			ID: "7", TenantID: "17", Type: "hello.eu", Creator: "me", CronExpressions: "0 0 * * * ?", Timezone: "UTC",
			Log: PeriodicLogTrigger, Category: "c", Ext: wire.Text(enc, "x"),
		},
		"periodic_task":      task,
		"periodic_name":      PeriodicName{ID: "7"},
		"periodic_standing":  PeriodicStanding{ID: "7", Status: PeriodicOffline},
		"periodic_dropped":   PeriodicStanding{ID: "7", Status: PeriodicOnline, Dropped: []string{"timezone", "plan.exec_timeout"}},
		"periodic_warned":    PeriodicStanding{ID: "7", Status: PeriodicOnline, Warning: "nobody claims it"},
		"periodic_deleted":   PeriodicDeleted{ID: "7", Deleted: true},
		"list_periodic":      ListPeriodic{Type: "hello.eu", Status: PeriodicNew, TenantID: "1", Category: "c", Creator: "me", Limit: 5, Cursor: "x"},
		"periodic_page":      PeriodicPage{PeriodicTasks: []PeriodicTask{task}, Next: "x"},
		"list_periodic_logs": ListPeriodicLogs{ID: "7", Limit: 5, Cursor: "x"},
		"periodic_log_page":  PeriodicLogPage{Logs: []PeriodicLog{log}, Next: "x"},
	}
}
