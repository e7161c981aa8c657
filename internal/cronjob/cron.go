package cronjob

import "strings"

// macros are the expressions that have six fields of their own.
var macros = map[string]string{
	"@yearly":   "0 0 0 1 1 *",
	"@annually": "0 0 0 1 1 *",
	"@monthly":  "0 0 0 1 * *",
	"@weekly":   "0 0 0 * * 0",
	"@daily":    "0 0 0 * * *",
	"@midnight": "0 0 0 * * *",
	"@hourly":   "0 0 * * * *",
}

// sixFields puts the second 0 before a cron expression of five fields, and expands macros. "@every 90s", which follows no wall clock, and wrong expressions stay as
// they are, because the calendar reports the errors in them.
func sixFields(expr string) string {
	fields := strings.Fields(expr)
	if len(fields) == 1 {
		if spelled := macros[strings.ToLower(fields[0])]; spelled != "" {
			return spelled
		}
	}
	if len(fields) == 5 {
		fields = append([]string{"0"}, fields...)
	}
	return strings.Join(fields, " ")
}
