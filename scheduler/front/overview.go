package front

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/explain"
	"github.com/stationmaster-io/stationmaster/schema"
)

// mostShown bounds the plans that an overview shows of each kind.
const mostShown = 20

// overview answers with the counters of all partitions together.
func (ps plans) overview(r *request) error {
	var q schema.Overview
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkLang(q.Lang); err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		all, err := ps.front.counters(ctx, command.ReadCounters{})
		if err != nil {
			return nil, err
		}
		out := schema.Overviewed{
			Results: map[string]schema.ResultCounts{}, Lateness: map[string]schema.LatenessCounts{}, NextDue: []schema.DuePlan{}, Trouble: []schema.Trouble{},
		}
		for _, one := range all {
			if one.Overview != nil {
				mergeOverview(&out, one.Overview)
			}
		}
		finishOverview(&out, q.Lang)
		return out, nil
	})
}

// checkLang checks the language of the texts of an answer; empty is one, too.
func (r *request) checkLang(lang schema.Lang) error {
	if lang == "" {
		return nil
	}
	return among(r, schema.Langs(), "lang", lang)
}

// counters asks the leaders of all partitions.
func (f *Front) counters(ctx context.Context, c command.ReadCounters) ([]command.Counters, error) {
	return askMany[command.Counters](ctx, f, f.partitions(), func(i int) (int, command.Command) { return i, c })
}

func mergeOverview(to, of *schema.Overviewed) {
	if to.AsOf.IsZero() || of.AsOf.Before(to.AsOf) {
		to.AsOf = of.AsOf
	}
	to.Plans.Total += of.Plans.Total
	addCounts(&to.Plans.ByStatus, of.Plans.ByStatus)
	addCounts(&to.Plans.ByType, of.Plans.ByType)
	to.Executions.UnderWay += of.Executions.UnderWay
	addCounts(&to.Executions.Waiting, of.Executions.Waiting)
	mergeResults(&to.Results, of.Results)
	for window, l := range of.Lateness {
		sum := to.Lateness[window]
		mergeLateness(&sum, &l)
		to.Lateness[window] = sum
	}
	to.NextDue = append(to.NextDue, of.NextDue...)
	for _, t := range of.Trouble {
		same := func(other schema.Trouble) bool {
			return t.PlanID == "" && other.Kind == t.Kind && other.Station == t.Station && other.PlanID == ""
		}
		i := slices.IndexFunc(to.Trouble, same)
		if i < 0 {
			to.Trouble = append(to.Trouble, t)
			continue
		}
		to.Trouble[i].Count += t.Count
		if t.Since.Before(to.Trouble[i].Since) {
			to.Trouble[i].Since = t.Since
		}
	}
}

func mergeLateness(to, of *schema.LatenessCounts) {
	to.Count += of.Count
	to.MaxMS = max(to.MaxMS, of.MaxMS)
	for len(to.Buckets) < len(of.Buckets) {
		to.Buckets = append(to.Buckets, 0)
	}
	for i, n := range of.Buckets {
		to.Buckets[i] += n
	}
}

// finishOverview orders the entries of all partitions, cuts them, and writes their sentences.
func finishOverview(o *schema.Overviewed, lang schema.Lang) {
	for window, l := range o.Lateness {
		l.P50MS, l.P99MS = percentile(&l, 50), percentile(&l, 99)
		o.Lateness[window] = l
	}
	slices.SortStableFunc(o.NextDue, func(a, b schema.DuePlan) int {
		return cmp.Or(a.PlanTime.Compare(b.PlanTime), cmp.Compare(a.Station, b.Station), cmp.Compare(a.PlanID, b.PlanID))
	})
	o.NextDue = o.NextDue[:min(len(o.NextDue), mostShown)]
	o.Trouble = someOfEach(o.Trouble)
	for i := range o.Trouble {
		o.Trouble[i].Text = explain.Trouble(&o.Trouble[i], lang)
	}
}

// percentile is about the lateness below which so many of a hundred executions began, as the end
// of its class, or the latest.
func percentile(l *schema.LatenessCounts, of int64) int64 {
	left := (l.Count*of + 99) / 100
	for i, n := range l.Buckets {
		if left -= n; n > 0 && left <= 0 {
			return min(int64(1)<<i, l.MaxMS)
		}
	}
	return l.MaxMS
}

// fairShare is how much trouble of a kind is shown beside much of another.
const fairShare = 4

// someOfEach cuts a list, so that some of each kind is left. The kinds keep their order, and the
// trouble that has lasted for the longest comes first among its kind.
func someOfEach(all []schema.Trouble) []schema.Trouble {
	kinds := []schema.TroubleKind{schema.TroubleStopped, schema.TroubleNoWorker, schema.TroubleOverdue, schema.TroubleLate, schema.TroubleCallback}
	slices.SortStableFunc(all, func(a, b schema.Trouble) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), a.Since.Compare(b.Since))
	})
	over := len(all) - mostShown
	of := map[schema.TroubleKind]int{}
	kept := []schema.Trouble{}
	for _, t := range all {
		if of[t.Kind]++; of[t.Kind] > fairShare && over > 0 {
			over--
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// The steps of a series, with their seconds and points.
var steps = map[string]struct {
	seconds int64
	points  int
}{"1s": {1, 60}, "1m": {60, 60}, "1h": {3600, 168}}

// series answers with the counts at each of the last times, of all partitions together.
func (ps plans) series(r *request) error {
	var q schema.StatsSeries
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := among(r, []string{"results", "skips", "lateness"}, "of", q.Of); err != nil {
		return err
	}
	if err := among(r, []string{"1s", "1m", "1h"}, "step", q.Step); err != nil {
		return err
	}
	step := steps[q.Step]
	if q.Station != "" {
		if err := r.checkStation(q.Station); err != nil {
			return err
		}
	}
	if err := r.checkLang(q.Lang); err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		all, err := ps.front.counters(ctx, command.ReadCounters{Station: q.Station, Step: step.seconds, Points: step.points})
		if err != nil {
			return nil, err
		}
		last := ps.front.config.Now().Unix() / step.seconds * step.seconds
		out := schema.StatsPoints{Of: q.Of, Step: q.Step, Series: map[string][]int64{}, T: []int64{}, Marks: []schema.Mark{}}
		for at := last - int64(step.points-1)*step.seconds; at <= last; at += step.seconds {
			if q.From.IsZero() || at+step.seconds > q.From.Unix() {
				out.T = append(out.T, at)
			}
		}
		fillSeries(&out, all, step.seconds)
		if len(out.T) > 0 {
			out.Marks = append(out.Marks, marksOf(all, out.From, q.Lang)...)
		}
		return out, nil
	})
}

// fillSeries adds the columns, each as long as the times, and the marks.
func fillSeries(out *schema.StatsPoints, all []command.Counters, step int64) {
	if len(out.T) == 0 {
		return
	}
	first := out.T[0]
	out.From = time.Unix(first, 0).UTC()
	late := make([]schema.LatenessCounts, len(out.T))
	add := func(column string, i int, n int64) {
		if out.Series[column] == nil {
			out.Series[column] = make([]int64, len(out.T))
		}
		out.Series[column][i] += n
	}
	for _, one := range all {
		for _, p := range one.Points {
			i := int((p.T - first) / step)
			if p.T < first || i >= len(out.T) {
				continue
			}
			switch out.Of {
			case "results":
				for state, n := range p.States {
					add(string(state), i, n)
				}
			case "skips":
				for reason, n := range p.Reasons {
					add(string(reason), i, n)
				}
			default:
				mergeLateness(&late[i], &p.Lateness)
			}
		}
	}
	if out.Of == "lateness" {
		for i := range late {
			add("count", i, late[i].Count)
			add("p50_ms", i, percentile(&late[i], 50))
			add("p99_ms", i, percentile(&late[i], 99))
			add("max_ms", i, late[i].MaxMS)
		}
	}
}
