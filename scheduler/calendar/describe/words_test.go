package describe_test

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar/describe"
	"github.com/stationmaster-io/stationmaster/schema"
)

func TestX(t *testing.T) {
	for _, cron := range []string{
		"0 9 * * mon-fri", "30 2 * * *", "* * * * *", "*/15 * * * *", "*/15 9-16 * * mon-fri", "0 9-17 * * *", "0 */2 * * *", "30 * * * *",
		"0 9,17 * * *", "5,20,35,50 * * * *", "*/7 * * * *", "1-59/2 * * * *", "10-20 * * * *", "*/5 9 * * *", "*/15 9,12,15 * * *", "5,10,40 9-12 * * *",
		"*/10 * * * * *", "* * * * * *", "30 0 9 * * *", "0,30 0 9 * * *", "*/10 30 9 * * *", "*/10 0-5 * * * *", "*/10 * 9-16 * * *", "5 */15 * * * *", "*/7 */7 */7 * * *",
		"0 9 1 * *", "0 9 1,15 * *", "0 9 L * *", "0 9 LW * *", "0 9 15W * *", "0 9 L-3 * *", "0 9 * * tue#2", "0 9 * * friL", "0 9 1 * mon", "0 9 1,L * fri-mon",
		"0 9 */2 * *", "0 9 1-7 * *", "0 0 1 1 *", "@yearly", "@monthly", "@weekly", "@daily", "@hourly", "@every 90m", "@every 1h", "@every 90s", "@every 24h",
		"0 9 * 6-8 *", "0 9 * jan,mar,jul *", "0 9 25 12 *", "0 9 29 2 *", "* 11 * 11 thu#4", "0 9 * * sat,sun", "0 9 * * mon,wed,fri", "0 9 * * mon-thu,sat", "0 9 1-31 * mon",
		"*/5 * * * sun", "0 8-18/2 * * *", "0 0,1,2,5,8,9 * * *", "0 0,1,2,5,8,9,14,15,20 * * *", "15,45 * * * *", "0 9 1W,L-1 * *", "0 9 * * sun-fri", "* 9-16 * * mon-fri",
		"0,20,40 * * * * *", "0 9 ? * 1#1,5L", "30 9-11 * * *",
	} {
		p := &schema.Plan{Schedule: schema.Cron(cron, "Europe/Berlin")}
		en, err := describe.Words(p, "")
		zh, _ := describe.Words(p, "zh")
		t.Log(cron, "\n   ", en, "\n   ", zh, err)
	}
}
