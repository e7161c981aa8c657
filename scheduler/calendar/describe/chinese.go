package describe

import (
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

type chinese struct{}

var chineseUnits = map[unit]string{second: "秒", minute: "分钟", hour: "小时", day: "天"}

func (chinese) atOnce() string { return "立即执行一次" }

func (chinese) inbox() string { return "收件箱中有条目到期时" }

func (chinese) onceAt(moment, zone string) string {
	return moment + " 执行一次（" + zone + " 时间）"
}

func (z chinese) grid(every interval) string {
	if every.n == 0 {
		return "前一次结束后立即执行下一次"
	}
	return z.every(every)
}

func (chinese) every(i interval) string {
	if i.n == 1 {
		return "每" + chineseUnits[i.unit]
	}
	return fmt.Sprintf("每 %d %s", i.n, chineseUnits[i.unit])
}

func (chinese) counted(from, zone string) string {
	return "，自 " + from + " 起算（" + zone + " 时间）"
}

func (chinese) times(n int64) string {
	if n < 0 {
		return ""
	}
	return fmt.Sprintf("；共 %d 次", n)
}

func (chinese) from(moment string) string { return "；自 " + moment + " 起" }

func (chinese) until(moment string) string { return "；至 " + moment + " 止" }

func (z chinese) rule(c clock, p *calendar.Parts, zone string) string {
	text := z.clock(&c)
	if days := z.days(p, len(c.times) > 0); days != "" {
		text = days + " " + text
	}
	return text + "（" + zone + " 时间）"
}

// clock writes the times of day, the larger units first.
func (z chinese) clock(c *clock) string {
	if len(c.times) > 0 {
		return strings.Join(c.times, "、")
	}
	text := ""
	switch {
	case c.hours != nil:
		text = z.named(c.hours) + " 时"
	case c.minutes != nil, c.unit == minute && (c.of || c.step == 0):
		text = "每小时"
	}
	switch {
	case c.minutes != nil:
		text += "的第 " + z.named(c.minutes) + " 分"
	case c.unit == second && (c.of || c.step == 0):
		text += "每分钟"
	}
	ordinals := map[unit]string{second: " 秒", minute: " 分"}
	switch {
	case c.of:
		text += "的第 " + c.from + " 至 " + c.to + ordinals[c.unit] + "，"
	case c.from != "":
		text += c.from + " 至 " + c.to + " "
	case c.step == 0:
		text += "的第 " + z.named(c.at) + ordinals[c.unit]
	case text != "":
		text += "内"
	}
	if c.step > 0 {
		text += z.every(interval{int64(c.step), c.unit})
	}
	if c.second != 0 {
		text += fmt.Sprintf("的第 %d 秒", c.second)
	}
	return text
}

func (z chinese) named(values []int) string {
	return z.runs(runsOf(values), "、", func(n int) string { return fmt.Sprint(n) })
}

func (chinese) runs(runs []run, comma string, name func(int) string) string {
	words := make([]string, len(runs))
	for i, r := range runs {
		words[i] = name(r.first)
		if r.first != r.last {
			between := "至"
			if strings.ContainsAny(words[i], "0123456789") {
				between = " 至 "
			}
			words[i] += between + name(r.last)
		}
	}
	return strings.Join(words, comma)
}

// days writes months, then days. "Every day" is written only before times of day.
func (z chinese) days(p *calendar.Parts, times bool) string {
	months := ""
	if len(p.Months) < 12 {
		months = "每年 " + z.named(p.Months) + " 月"
	}
	month := "每月"
	if months != "" {
		month = months
	}
	switch dayKindOf(p) {
	case byDate:
		return z.dates(p, month)
	case byWeekday:
		return z.weekdays(p, months, month)
	case byEither:
		return z.dates(p, month) + "或" + z.weekdays(p, "", "当月")
	}
	if times {
		return months + "每天"
	}
	return months
}

func (z chinese) dates(p *calendar.Parts, month string) string {
	if step := dateStep(p); step > 0 {
		return fmt.Sprintf("%s %d 日起每 %d 天", month, p.Dates[0], step)
	}
	var all []string
	if len(p.Dates) > 0 {
		all = append(all, " "+z.named(p.Dates)+" 日")
	}
	for _, n := range p.BeforeLast {
		if n == 0 {
			all = append(all, "最后一天")
		} else {
			all = append(all, fmt.Sprintf("倒数第 %d 天", n+1))
		}
	}
	if p.LastWorkday {
		all = append(all, "最后一个工作日（周一至周五）")
	}
	for _, n := range p.NearestTo {
		all = append(all, fmt.Sprintf("距 %d 日最近的工作日（周一至周五）", n))
	}
	text := month + strings.Join(all, "和")
	if p.Clamps && len(p.Dates) > 0 && last(p.Dates) > 28 {
		text += "（当月无此日则为最后一天）"
	}
	if p.Clamps && len(p.BeforeLast) > 0 && last(p.BeforeLast) > 27 {
		text += "（当月无此日则为第一天）"
	}
	return text
}

// weekdays writes plain weekdays behind months, if any, and the nth ones behind month.
func (z chinese) weekdays(p *calendar.Parts, months, month string) string {
	var all []string
	if len(p.Weekdays) == 1 {
		all = append(all, months+"每"+chineseWeekday(p.Weekdays[0]))
	} else if len(p.Weekdays) > 1 {
		all = append(all, months+z.runs(weekdayRuns(p.Weekdays), "、", chineseWeekday))
	}
	ordinals := [...]string{"最后一个", "第一个", "第二个", "第三个", "第四个", "第五个"}
	for _, n := range [...]int{1, 2, 3, 4, 5, 0} {
		for _, r := range weekdayRuns(p.Nth[n]) {
			for d := r.first; d <= r.last; d++ {
				all = append(all, month+ordinals[n]+chineseWeekday(d))
			}
		}
	}
	return strings.Join(all, "和")
}

func chineseWeekday(d int) string {
	return "周" + [...]string{"日", "一", "二", "三", "四", "五", "六"}[d%7]
}

func (chinese) gap(g *calendar.Gap, due time.Time, zone string) string {
	times := shown(g.First, g.From)
	if g.First != g.Last {
		times += " 至 " + shown(g.Last, g.From)
	}
	text := fmt.Sprintf("%s 时钟从 %s 拨快到 %s（%s），当天不存在 %s；",
		g.From.Format(time.DateOnly), shown(g.From, g.From), shown(g.To, g.From), zone, times)
	at := shown(due, g.From)
	switch g.Choice {
	case schema.GapBefore:
		return text + "改在跳过前的最后一秒 " + at
	case schema.GapShift:
		return text + "顺延同样的时长，改在 " + at
	}
	return text + "改在跳过后的第一刻 " + at
}

func (chinese) oneOfGap(g *calendar.Gap, due time.Time) string {
	text := shown(g.First, g.From) + " 的触发"
	if g.N > 1 {
		text = fmt.Sprintf("%s 至 %s 的 %d 次触发", shown(g.First, g.From), shown(g.Last, g.From), g.N)
	}
	if g.Own {
		text += "与 " + shown(due, g.From) + " 的触发"
	}
	return text + "落在同一时刻，合为一次"
}

func (chinese) overlap(local time.Time, pass int, back calendar.Change, zone string) string {
	which := "第一次"
	if pass == 2 {
		which = "第二次"
	}
	return fmt.Sprintf("%s 时钟从 %s 拨回到 %s（%s），当天 %s 出现两次；这是%s", local.Format(time.DateOnly),
		shown(back.From, local), shown(back.To, local), zone, local.Format(clockLayout(local)), which)
}

func (chinese) clamped(local time.Time, missing int) string {
	month := fmt.Sprintf("%d 年 %d 月只有 %d 天", local.Year(), local.Month(), daysOf(local))
	if missing > 0 {
		return fmt.Sprintf("%s，以 %d 日代替 %d 日", month, local.Day(), missing)
	}
	return fmt.Sprintf("%s，以 %d 日代替倒数第 %d 天", month, local.Day(), 1-missing)
}

func (chinese) jitter(seconds string) string { return "随机推迟，最多 " + seconds + " 秒" }
