package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// waitingView is a plan in a list of which something waits since then.
func waitingView(station, id string, cause schema.WaitFor, since time.Time) *schema.PlanView {
	definition, _ := wire.ValueOf(wire.JSON, map[string]any{"station": station, "plan_id": id})
	return &schema.PlanView{Plan: definition, State: schema.PlanState{Waits: &schema.Waits{For: cause, Occurrence: 3, Since: since}}}
}

// Waiting plans are shown by station and cause, the longest wait first, with a part of each
// group.
func TestWhatWaitsIsShownTheLongestFirst(t *testing.T) {
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	ago := func(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }
	w := waiting{limit: 2}
	for _, v := range []*schema.PlanView{
		waitingView("mail", "c", schema.WaitWorker, ago(1)), waitingView("mail", "a", schema.WaitWorker, ago(3)),
		waitingView("mail", "b", schema.WaitWorker, ago(2)), waitingView("mail", "d", schema.WaitPerson, time.Time{}),
		waitingView("mail", "e", schema.WaitPerson, ago(90)), waitingView("jobs", "f", schema.WaitRetry, ago(2)), waitingView("jobs", "g", schema.WaitRetry, ago(2)), waitingView("reports", "a", "newer", time.Time{}),
		{}, // of an earlier release
	} {
		w.add(v)
	}
	var b strings.Builder
	for _, g := range w.sorted() {
		writeWaitGroup(&b, g, now)
	}
	got := strings.NewReplacer(when(ago(90)), "T90", when(ago(3)), "T3", when(ago(2)), "T2").Replace(b.String())
	want := `mail: 2 plans wait for a person
  mail/e  for 1h30m0s, occurrence 3, since T90
  mail/d  occurrence 3
mail: 3 plans wait for a worker
  mail/a  for 3m0s, occurrence 3, since T3
  mail/b  for 2m0s, occurrence 3, since T2
  and 1 more: stationmaster plan ls mail --waits worker
jobs: 2 plans wait for their retry
  jobs/f  for 2m0s, occurrence 3, since T2
  jobs/g  for 2m0s, occurrence 3, since T2
reports: 1 plan waits for newer
  reports/a  occurrence 3
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// However many plans wait, only so many are kept, and the longest of each group.
func TestWhatWaitsIsBounded(t *testing.T) {
	begin := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	w := waiting{limit: mostWaiting}
	const n = mostWaiting + 100
	for i := range n {
		w.add(waitingView("mail", fmt.Sprint(i), schema.WaitWorker, begin.Add(-time.Duration(i)*time.Second)))
	}
	w.add(waitingView("reports", "a", schema.WaitClaim, begin))
	groups := w.sorted()
	if len(groups) != 2 || groups[0].count != n || len(groups[0].plans) != mostWaiting || len(groups[1].plans) != 1 {
		t.Fatalf("%d groups, the first with %d of %d plans", len(groups), len(groups[0].plans), groups[0].count)
	}
	if got := groups[0].plans[0].PlanID; got != fmt.Sprint(n-1) {
		t.Errorf("the first is %s", got)
	}
}

// A time is that of the plan's clocks, and one that they do not show, or show twice, is taken
// as the plan's schedule takes it.
func TestATimeOfAPlanIsInItsZone(t *testing.T) {
	now := time.Date(2027, 6, 1, 22, 30, 0, 0, time.UTC) // the 2nd in Berlin
	berlin, err := schema.LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text       string
		rule       schema.ClockChange
		want, note string
	}{
		{text: "2027-03-01 02:30", want: "2027-03-01T01:30:00Z"},
		{text: "2027-03-01T02:30:15", want: "2027-03-01T01:30:15Z"},
		{text: "02:30", want: "2027-06-02T00:30:00Z"},
		{text: "2027-03-01", want: "2027-02-28T23:00:00Z"},
		{text: "1803864600", want: "2027-03-01T01:30:00Z"},
		{text: "2027-03-01 02:30 America/New_York", want: "2027-03-01T07:30:00Z"},
		{text: "2027-03-01T02:30:00+05:00", want: "2027-02-28T21:30:00Z"},
		{text: "2027-03-28 02:30", want: "2027-03-28T01:00:00Z", note: "clocks go from 02:00 to 03:00; taken as 03:00"},
		{"2027-03-28 02:30", schema.ClockChange{Gap: schema.GapBefore}, "2027-03-28T00:59:59Z", "taken as 01:59:59"},
		{"2027-03-28 02:30", schema.ClockChange{Gap: schema.GapShift}, "2027-03-28T01:30:00Z", "taken as 03:30"},
		{"2027-03-28 02:30", schema.ClockChange{Gap: schema.GapSkip}, "2027-03-28T01:30:00Z", "taken as 03:30"},
		{text: "2027-10-31 02:30", want: "2027-10-31T00:30:00Z", note: "taken as the first, 02:30 +02:00; the other is 2027-10-31T02:30:00+01:00"},
		{"2027-10-31 02:30", schema.ClockChange{Overlap: schema.OverlapSecond}, "2027-10-31T01:30:00Z", "taken as the second, 02:30 +01:00; the other is 2027-10-31T02:30:00+02:00"},
	} {
		asked, err := askedTimeOf(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		at, note := asked.of(berlin, c.rule, now)
		if got := at.UTC().Format(time.RFC3339); got != c.want || !strings.HasSuffix(note, c.note) || c.note == "" && note != "" {
			t.Errorf("%s under %v: %s, %q; want %s, %q", c.text, c.rule, got, note, c.want, c.note)
		}
	}
	for _, bad := range []string{"", "tomorrow", "90s", "123", "2027-02-30", "2027-03-01 02:30 Europe/Berlim", "1803864600000", "1e400", "NaN"} {
		if at, err := askedTimeOf(bad); err == nil || libraryWords.MatchString(err.Error()) {
			t.Errorf("%q: %v, %v", bad, at, err)
		}
	}
}

// An explanation is a sentence and, below it, the answers to the likely next questions, with
// times in the plan's zone.
func TestAnExplanationIsASentenceAndWhatFollows(t *testing.T) {
	at := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	definition, err := wire.ValueOf(wire.JSON, map[string]any{"station": "mail", "plan_id": "it's", "timezone": "Europe/Berlin"})
	if err != nil {
		t.Fatal(err)
	}
	view := &schema.PlanView{Plan: definition, State: schema.PlanState{PlanTime: at.Add(24 * time.Hour)}}
	text := func(x *schema.Explanation, view *schema.PlanView) string {
		var b strings.Builder
		writeWhy(&b, schema.PlanName{Station: "mail", PlanID: "it's"}, x, view, "")
		return b.String()
	}
	got := text(&schema.Explanation{
		Verdict: schema.VerdictSkipped, Sentence: "Occurrence 42\n\x1b[2Jdid not run.", Remedy: "overlap: queue would run it after occurrence 41",
		Rule: &schema.Rule{Field: "overlap", Value: wire.Text(wire.JSON, "skip"), From: schema.SourcePlan}, Late: &schema.Late{Worker: 1.5},
		Because: &schema.Because{Before: &schema.Next{PlanTime: at, Occurrence: 42}, After: &schema.Next{PlanTime: at.Add(time.Hour), Occurrence: 43}},
		Next:    &schema.Next{PlanTime: at.Add(24 * time.Hour), Occurrence: 43}, LastOK: &schema.LastOK{EndTime: at},
	}, view)
	want := `Occurrence 42  [2Jdid not run.
remedy    overlap: queue would run it after occurrence 41
rule      overlap skip (plan)
late      1.5 s worker
before    occurrence 42, Tue 2026-11-24 09:00:00 CET
after     occurrence 43, Tue 2026-11-24 10:00:00 CET
next      occurrence 43, Wed 2026-11-25 09:00:00 CET
last ok   a run by a trigger, ended Tue 2026-11-24 09:00:00 CET
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	view.State.Status = schema.StatusPaused
	got = text(&schema.Explanation{Verdict: schema.VerdictWaits, Sentence: "It waits.", Remedy: "plans.resume ends the pause"}, view)
	want = "It waits.\nremedy    `stationmaster plan resume 'mail/it'\\''s'` ends the pause\n" +
		"next      none while it is paused; if it is resumed by then: Wed 2026-11-25 09:00:00 CET\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	got = text(&schema.Explanation{Verdict: schema.VerdictRan, Sentence: "It ran.", LastOK: &schema.LastOK{Occurrence: 2, EndTime: at}}, nil)
	want = "It ran.\nnext      none, because the plan is gone\nlast ok   occurrence 2, ended Tue 2026-11-24 08:00:00 UTC\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every word beside the scheduler's sentences is in the requested language. Only names, words of
// the protocol and times are in Latin letters.
func TestAllLabelsAreInTheLanguage(t *testing.T) {
	at := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	definition, err := wire.ValueOf(wire.JSON, map[string]any{"station": "mail", "plan_id": "digest", "timezone": "Europe/Berlin"})
	if err != nil {
		t.Fatal(err)
	}
	view := &schema.PlanView{Plan: definition, State: schema.PlanState{PlanTime: at.Add(24 * time.Hour)}}
	full := &schema.Explanation{
		Sentence: "第 42 次未执行。", Remedy: "overlap: queue",
		Rule:    &schema.Rule{Field: "overlap", Value: wire.Text(wire.JSON, "skip"), From: schema.SourceStation},
		Late:    &schema.Late{Worker: 1, Claim: 1, Room: 1, Turn: 1, Retry: 1, Jitter: 1, Lock: 1, Person: 1, Resume: 1, Journal: 1, Absent: 1},
		Because: &schema.Because{Before: &schema.Next{PlanTime: at, Occurrence: 42}, After: &schema.Next{PlanTime: at.Add(time.Hour)}},
		Next:    &schema.Next{PlanTime: at.Add(24 * time.Hour), Occurrence: 43}, LastOK: &schema.LastOK{Occurrence: 41, EndTime: at},
	}
	var b strings.Builder
	write := func(x *schema.Explanation, v *schema.PlanView) {
		writeWhy(&b, schema.PlanName{Station: "mail", PlanID: "digest"}, x, v, schema.LangChinese)
	}
	write(full, view)
	want := `第 42 次未执行。
办法      overlap: queue
规则      overlap skip (站点)
延迟      等待 worker 1 秒，等待领取 1 秒，等待空位 1 秒，等待轮到 1 秒，重试 1 秒，jitter 1 秒，等待收件箱交付 1 秒，等待人工处理 1 秒，等待暂停结束 1 秒，等待结果存储 1 秒，没有调度器在任 1 秒
之前      第 42 次，周二 2026-11-24 09:00:00 CET
之后      手动触发的执行，周二 2026-11-24 10:00:00 CET
下次      第 43 次，周三 2026-11-25 09:00:00 CET
上次成功  第 41 次，结束于 周二 2026-11-24 09:00:00 CET
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	for _, source := range []schema.Source{schema.SourcePlan, schema.SourceConfiguration, schema.SourceInstallation, schema.SourceDefault} {
		write(&schema.Explanation{Rule: &schema.Rule{Field: "x", Value: wire.Text(wire.JSON, "x"), From: source}}, nil)
	}
	write(&schema.Explanation{}, view)
	view.State.Status = schema.StatusPaused
	write(&schema.Explanation{}, view)
	for _, known := range []string{"overlap: queue", "overlap skip", "worker", "jitter", "CET", "x x"} {
		text := strings.ReplaceAll(b.String(), known, "")
		b.Reset()
		b.WriteString(text)
	}
	if left := regexp.MustCompile(`[A-Za-z]+`).FindAllString(b.String(), -1); len(left) > 0 {
		t.Errorf("words that are left in English: %q", left)
	}
}
