package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// whyWords are the words of plan why around the scheduler's sentences, in one language.
type whyWords struct {
	remedy, rule, late, before, after, next, lastOK string // labels

	occurrence string // with the number
	trigger    string // a run without a number
	gone       string // nothing is next, because the plan is gone
	paused     string // the same while it is paused, with a time
	idle       string // the same as things stand
	ended      string // with an occurrence and a time
	seconds    string // of a cause, with both
	between    string // parts of a list

	sources  map[schema.Source]string // those that are no words of the language
	causes   map[string]string        // of a late beginning, the same
	weekdays []string                 // from Sunday on; nil: those of package time
}

var whyEnglish = whyWords{
	remedy: "remedy", rule: "rule", late: "late", before: "before", after: "after", next: "next", lastOK: "last ok",
	occurrence: "occurrence %d", trigger: "a run by a trigger", gone: "none, because the plan is gone",
	paused: "none while it is paused; if it is resumed by then: %s", idle: "none, as things stand",
	ended: "%s, ended %s", seconds: "%[2]s s %[1]s", between: ", ",
}

var whyChinese = whyWords{
	remedy: "办法", rule: "规则", late: "延迟", before: "之前", after: "之后", next: "下次", lastOK: "上次成功",
	occurrence: "第 %d 次", trigger: "手动触发的执行", gone: "无，因为计划已不存在",
	paused: "暂停期间没有；若在此之前恢复：%s", idle: "目前没有",
	ended: "%s，结束于 %s", seconds: "%s %s 秒", between: "，",
	sources: map[schema.Source]string{
		schema.SourcePlan: "计划", schema.SourceStation: "站点", schema.SourceConfiguration: "配置", schema.SourceInstallation: "配置", schema.SourceDefault: "默认",
	},
	causes: map[string]string{
		"worker": "等待 worker", "claim": "等待领取", "room": "等待空位", "turn": "等待轮到", "retry": "重试", "jitter": "jitter",
		"lock": "等待收件箱交付", "person": "等待人工处理", "resume": "等待暂停结束", "journal": "等待结果存储", "absent": "没有调度器在任",
	},
	weekdays: []string{"周日", "周一", "周二", "周三", "周四", "周五", "周六"},
}

func whyWordsOf(lang schema.Lang) *whyWords {
	if lang == schema.LangChinese {
		return &whyChinese
	}
	return &whyEnglish
}

// padded is a label in the width of the longest one. A Chinese character takes two columns.
func padded(label string) string {
	columns := utf8.RuneCountInString(label)
	if columns < len(label) {
		columns *= 2
	}
	return label + strings.Repeat(" ", max(0, 9-columns))
}

// nextText is an occurrence and when it is due.
func (w *whyWords) nextText(n *schema.Next, zone *time.Location) string {
	return w.occurrenceText(n.Occurrence) + w.between + w.weekdayText(n.PlanTime, zone)
}

func (w *whyWords) occurrenceText(number int64) string {
	if number == 0 {
		return w.trigger
	}
	return fmt.Sprintf(w.occurrence, number)
}

// weekdayText is a moment as the clocks of a plan show it, with the weekday and the zone.
func (w *whyWords) weekdayText(t time.Time, zone *time.Location) string {
	if w.weekdays != nil {
		t = t.In(zone)
		return w.weekdays[t.Weekday()] + t.Format(" 2006-01-02 15:04:05 MST")
	}
	return weekdayText(t, zone)
}

// lateText are the causes of a late beginning, with the seconds of each.
func (w *whyWords) lateText(l *schema.Late) string {
	seconds, err := wire.ValueOf(wire.JSON, l)
	if err != nil {
		return "" // it came from a message
	}
	var parts []string
	for cause, n := range seconds.Map() {
		parts = append(parts, fmt.Sprintf(w.seconds, cmp.Or(w.causes[cause], cause), n.String()))
	}
	return strings.Join(parts, w.between)
}

func (w *whyWords) sourceText(s schema.Source) string { return cmp.Or(w.sources[s], string(s)) }
