package describe_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/describe"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Expressions read like the sentences of people, in Europe/Berlin.
func TestWordsOfCron(t *testing.T) {
	for _, c := range []struct{ cron, english, chinese string }{
		{"0 9 * * mon-fri", "At 09:00, Monday to Friday", "周一至周五 09:00"},
		{"30 2 * * *", "At 02:30, every day", "每天 02:30"},
		{"0 9,17 * * *", "At 09:00 and 17:00, every day", "每天 09:00、17:00"},
		{"30 0 9 * * *", "At 09:00:30, every day", "每天 09:00:30"},
		{"* * * * *", "Every minute", "每分钟"},
		{"*/15 * * * *", "Every 15 minutes", "每 15 分钟"},
		{"*/15 9-16 * * mon-fri", "Every 15 minutes from 09:00 to 16:45, Monday to Friday", "周一至周五 09:00 至 16:45 每 15 分钟"},
		{"*/5 9 * * *", "Every 5 minutes from 09:00 to 09:55", "09:00 至 09:55 每 5 分钟"},
		{"0 9-17 * * *", "Every hour from 09:00 to 17:00", "09:00 至 17:00 每小时"},
		{"0 */2 * * *", "Every 2 hours from 00:00 to 22:00", "00:00 至 22:00 每 2 小时"},
		{"30 * * * *", "At minute 30 of each hour", "每小时的第 30 分"},
		{"5,20,35,50 * * * *", "At minutes 5, 20, 35 and 50 of each hour", "每小时的第 5、20、35、50 分"},
		{"*/7 * * * *", "Every 7 minutes from minute 0 to 56 of each hour", "每小时的第 0 至 56 分，每 7 分钟"},
		{"0-29 * * * *", "Every minute from minute 0 to 29 of each hour", "每小时的第 0 至 29 分，每分钟"},
		{"0-30/10 * * * *", "At minutes 0, 10, 20 and 30 of each hour", "每小时的第 0、10、20、30 分"},
		{"0-29 9-11 * * *", "Every minute from minute 0 to 29 in hours 9 to 11", "9 至 11 时的第 0 至 29 分，每分钟"},
		{"10-20 * * * *", "Every minute from minute 10 to 20 of each hour", "每小时的第 10 至 20 分，每分钟"},
		{"*/15 9,12,15 * * *", "Every 15 minutes in hours 9, 12 and 15", "9、12、15 时内每 15 分钟"},
		{"5,10,40 9-12 * * *", "At minutes 5, 10 and 40 in hours 9 to 12", "9 至 12 时的第 5、10、40 分"},
		{"0 0-2,5,8,9,14,15,20 * * *", "At minute 0 in hours 0 to 2, 5, 8, 9, 14, 15 and 20", "0 至 2、5、8、9、14、15、20 时的第 0 分"},
		{"*/10 * * * * *", "Every 10 seconds", "每 10 秒"},
		{"*/10 30 9 * * *", "Every 10 seconds from 09:30:00 to 09:30:50", "09:30:00 至 09:30:50 每 10 秒"},
		{"*/10 * 9-16 * * *", "Every 10 seconds from 09:00:00 to 16:59:50", "09:00:00 至 16:59:50 每 10 秒"},
		{"*/10 0-5 * * * *", "Every 10 seconds in minutes 0 to 5 of each hour", "每小时的第 0 至 5 分内每 10 秒"},
		{"5 */15 * * * *", "Every 15 minutes, at second 5", "每 15 分钟的第 5 秒"},
		{"0 9 1,15 * *", "At 09:00, on days 1 and 15 of the month", "每月 1、15 日 09:00"},
		{"0 9 1-7 * *", "At 09:00, on days 1 to 7 of the month", "每月 1 至 7 日 09:00"},
		{"0 9 */2 * *", "At 09:00, on every 2nd day of the month from day 1 on", "每月 1 日起每 2 天 09:00"},
		{"0 9 L * *", "At 09:00, on the last day of the month", "每月最后一天 09:00"},
		{"0 9 L-3 * *", "At 09:00, 3 days before the last day of the month", "每月倒数第 4 天 09:00"},
		{"0 9 LW * *", "At 09:00, on the last working day (Monday to Friday) of the month", "每月最后一个工作日（周一至周五） 09:00"},
		{"0 9 15W * *", "At 09:00, on the working day (Monday to Friday) nearest to day 15 of the month", "每月距 15 日最近的工作日（周一至周五） 09:00"},
		{"0 9 * * tue#2", "At 09:00, on the second Tuesday of the month", "每月第二个周二 09:00"},
		{"0 9 * * friL", "At 09:00, on the last Friday of the month", "每月最后一个周五 09:00"},
		{"0 9 1 * mon", "At 09:00, on day 1 of the month or on Monday", "每月 1 日或每周一 09:00"},
		{"0 9 1 * mon-fri", "At 09:00, on day 1 of the month or Monday to Friday", "每月 1 日或周一至周五 09:00"},
		{"0 9 * * sat,sun", "At 09:00, on Saturday and Sunday", "周六、周日 09:00"},
		{"0 9 * * fri-mon", "At 09:00, Friday to Monday", "周五至周一 09:00"},
		{"0 9 * * 0-6", "At 09:00, every day", "每天 09:00"},
		{"0 9 1-31 * mon", "At 09:00, every day", "每天 09:00"},
		{"0 9 * * mon-thu,sat", "At 09:00, on Monday to Thursday and Saturday", "周一至周四、周六 09:00"},
		{"*/5 * * * sun", "Every 5 minutes, every Sunday", "每周日 每 5 分钟"},
		{"0 9 * 6-8 *", "At 09:00, every day, from June to August", "每年 6 至 8 月每天 09:00"},
		{"* 11 * 11 thu#4", "Every minute from 11:00 to 11:59, on the fourth Thursday of the month, in November", "每年 11 月第四个周四 11:00 至 11:59 每分钟"},
		{"0 9 25 12 *", "At 09:00, on 25 December", "每年 12 月 25 日 09:00"},
		{"@yearly", "At 00:00, on 1 January", "每年 1 月 1 日 00:00"},
		{"@weekly", "At 00:00, every Sunday", "每周日 00:00"},
		{"@daily", "At 00:00, every day", "每天 00:00"},
		{"@hourly", "Every hour", "每小时"},
	} {
		p := &schema.Plan{Schedule: schema.Cron(c.cron, "Europe/Berlin")}
		words(t, p, c.english+", in Europe/Berlin", c.chinese+"（Europe/Berlin 时间）")
	}
}

func words(t *testing.T, p *schema.Plan, english, chinese string) {
	t.Helper()
	for lang, want := range map[schema.Lang]string{"": english, schema.LangEnglish: english, schema.LangChinese: chinese} {
		if got, err := describe.Words(p, lang); got != want || err != nil {
			t.Errorf("%s %s in %q: %q, %v; want %q", p.PlanType, p.Cron, lang, got, err, want)
		}
	}
}

// The other types, an end, and the bounds of a schedule.
func TestWordsOfEachType(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	nine := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	grid := func(typ schema.PlanType, value, repet int64) schema.Schedule {
		return schema.Schedule{PlanType: typ, PlanValue: &value, PlanRepet: &repet}
	}
	from := func(s schema.Schedule, t time.Time) schema.Schedule { s.PlanTime = t; return s }
	monthly := func(value int64) schema.Schedule {
		return schema.Schedule{PlanType: schema.TypeMonth, PlanValue: &value, PlanTime: nine, PlanRepet: n(-1)}
	}
	for _, c := range []struct {
		s                schema.Schedule
		english, chinese string
	}{
		{schema.Once(), "Once, at once", "立即执行一次"},
		{schema.At(nine), "Once, at 2026-03-01 09:00 in UTC", "2026-03-01 09:00 执行一次（UTC 时间）"},
		{grid(schema.TypeSecond, 5, -1), "Every 5 seconds", "每 5 秒"},
		{grid(schema.TypeDay, 1, 1), "Every day; once", "每天；共 1 次"},
		{grid(schema.TypeSecond, 0, 9), "One after the other, each when the one before has ended; 9 times", "前一次结束后立即执行下一次；共 9 次"},
		{from(grid(schema.TypeHour, 5, 3), nine), "Every 5 hours, counted from 2026-03-01 09:00 in UTC; 3 times", "每 5 小时，自 2026-03-01 09:00 起算（UTC 时间）；共 3 次"},
		{schema.Cron("@every 90m", "").Times(2), "Every 90 minutes; 2 times", "每 90 分钟；共 2 次"},
		{schema.Cron("@every 24h", ""), "Every 24 hours", "每 24 小时"},
		{from(schema.Schedule{PlanType: schema.TypeWeek, PlanValue: n(0), PlanRepet: n(-1), Timezone: "Asia/Tokyo"}, nine),
			"At 18:00, every Sunday, in Asia/Tokyo", "每周日 18:00（Asia/Tokyo 时间）"},
		{monthly(5), "At 09:00, on day 5 of the month, in UTC", "每月 5 日 09:00（UTC 时间）"},
		{monthly(31), "At 09:00, on day 31 of the month, or on its last day, in UTC", "每月 31 日（当月无此日则为最后一天） 09:00（UTC 时间）"},
		{monthly(0), "At 09:00, on the last day of the month, in UTC", "每月最后一天 09:00（UTC 时间）"},
		{monthly(-2), "At 09:00, 2 days before the last day of the month, in UTC", "每月倒数第 3 天 09:00（UTC 时间）"},
		{schema.Cron("0 9 * * *", "Europe/Berlin").Between(nine, nine.AddDate(1, 0, 0)),
			"At 09:00, every day, in Europe/Berlin; from 2026-03-01 10:00 on; until 2027-03-01 10:00",
			"每天 09:00（Europe/Berlin 时间）；自 2026-03-01 10:00 起；至 2027-03-01 10:00 止"},
	} {
		words(t, &schema.Plan{Schedule: c.s}, c.english, c.chinese)
	}
}

// Each expression that the calendar takes has words, in which no part is empty.
func FuzzWords(f *testing.F) {
	for _, cron := range []string{"0 9 * * mon-fri", "*/7 */7 */7 * * *", "0 9 1W,L-1,LW * 1#1,5L", "@every 90s", "5-59/9 1,2,9 */9 jan-mar,9 fri-mon"} {
		f.Add(cron)
	}
	f.Fuzz(func(t *testing.T, cron string) {
		p := &schema.Plan{Schedule: schema.Cron(cron, "Europe/Berlin")}
		_, refused := calendar.SpecOf(p).Parts()
		for _, lang := range schema.Langs() {
			text, err := describe.Words(p, lang)
			if (err != nil) != (refused != nil) {
				t.Fatalf("%q: %v, and the calendar %v", cron, err, refused)
			}
			if err == nil {
				wellFormed(t, cron, text)
			}
		}
	})
}

// Random expressions, of which a fuzzer would seldom find one, have words, too.
func TestWordsAreNeverEmpty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 39))
	item := func(low, high int, special ...string) string {
		a, b := low+r.IntN(high-low+1), low+r.IntN(high-low+1)
		switch n := r.IntN(8 + len(special)); n {
		case 0, 1, 2:
			return strconv.Itoa(a)
		case 3:
			return strconv.Itoa(min(a, b)) + "-" + strconv.Itoa(max(a, b))
		case 4:
			return "*/" + strconv.Itoa(1+r.IntN(high-low))
		case 5:
			return strconv.Itoa(min(a, b)) + "-" + strconv.Itoa(max(a, b)) + "/" + strconv.Itoa(1+r.IntN(5))
		case 6, 7:
			return "*"
		default:
			return special[n-8]
		}
	}
	field := func(low, high int, special ...string) string {
		items := []string{item(low, high, special...)}
		for r.IntN(3) == 0 {
			items = append(items, item(low, high, special...))
		}
		return strings.Join(items, ",")
	}
	seen := 0
	for range 20_000 {
		cron := strings.Join([]string{
			field(0, 59), field(0, 59), field(0, 23), field(1, 31, "L", "LW", "L-4", "15W"), field(1, 12), field(0, 6, "tue#2", "friL", "fri-mon"),
		}, " ")
		for _, lang := range schema.Langs() {
			if text, err := describe.Words(&schema.Plan{Schedule: schema.Cron(cron, "")}, lang); err == nil {
				seen++
				wellFormed(t, cron, text)
			}
		}
	}
	if seen < 30_000 {
		t.Errorf("only %d were expressions", seen)
	}
}

func wellFormed(t *testing.T, cron, text string) {
	t.Helper()
	for _, wrong := range []string{"  ", ", ,", ",,", " ,", "、、", "，，", "and ,", "on of", "%!", " 0 days", "；；"} {
		if strings.Contains(text, wrong) {
			t.Fatalf("%q: %q has %q", cron, text, wrong)
		}
	}
	if strings.TrimSpace(text) == "" || text != strings.TrimSpace(text) || !utf8.ValidString(text) || len(text) > 2000 {
		t.Fatalf("%q: %q", cron, text)
	}
}
