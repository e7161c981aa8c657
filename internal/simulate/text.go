package simulate

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// mostListed bounds the plans and notes that the summary lists; JSON has all.
const mostListed = 40

// WriteText writes the report for people.
func (r *Report) WriteText(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "from %s until %s, seed %d\n", timeText(r.From), timeText(r.Until), r.Seed)
	if r.Cut {
		fmt.Fprintf(w, "cut at %s: %s\n", timeText(r.Until), r.cutText())
	}
	fmt.Fprintf(w, "%d executions%s\n", r.Executions, listed(r.States))
	fmt.Fprintf(w, "%d occurrences skipped%s\n", total(r.Skipped), listed(r.Skipped))
	r.writeStations(w)
	r.writePlans(w)
	if len(r.Busiest) > 0 {
		m := r.Busiest[0]
		what := "executions"
		if m.Executions == 1 {
			what = "execution"
		}
		fmt.Fprintf(w, "\nbusiest minute: %s, in which %d %s began\n", timeText(m.At), m.Executions, what)
	}
	r.writeEffects(w)
	r.writeNotes(w)
	r.writeOutages(w)
	r.writeComparison(w)
	return w.Flush()
}

// cutText is why the simulation stopped before its end.
func (r *Report) cutText() string {
	reached := r.Executions + total(r.Skipped)
	what := "executions, the limit (--limit)"
	if r.Executions < r.Limit {
		what = "results of skipped occurrences, the most that are followed (--limit sets more)"
	}
	return fmt.Sprintf("it stopped after %d %s; that is %d of some %d occurrences", r.Limit, what, reached, max(reached, r.Expected))
}

func (r *Report) writeStations(w io.Writer) {
	if len(r.Stations) == 0 {
		return
	}
	fmt.Fprint(w, "\nSTATION\tMOST UNDER WAY\tLONGEST WAIT FOR A WORKER\tROOM\tA TURN\n")
	for _, s := range r.Stations {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", s.Station, s.MostUnderWay, s.waited(waitWorker), s.waited(waitRoom), s.waited(waitTurn))
	}
}

func (s *StationLoad) waited(cause string) string {
	if s.LongestWait[cause] == 0 {
		return "-"
	}
	return seconds(s.LongestWait[cause])
}

func (r *Report) writePlans(w io.Writer) {
	if len(r.Plans) == 0 {
		return
	}
	fmt.Fprint(w, "\nPLAN\tRAN\tSKIPPED\n")
	for p := range mostOf(w, r.Plans) {
		fmt.Fprintf(w, "%s/%s\t%s\t%s\n", p.Station, p.PlanID, orDash(p.States), orDash(p.Skipped))
	}
}

func (r *Report) writeEffects(w io.Writer) {
	if len(r.Effects) == 0 {
		return
	}
	fmt.Fprint(w, "\nDAY\tEFFECT OF CLOCKS AND CALENDARS\tPLANS\tDUE TIMES\n")
	for e := range mostOf(w, r.Effects) {
		what, where := e.texts()
		if what != where {
			what += " (" + where + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%d of %d\t%s\n", e.dayText(), what, e.Plans, e.Of, e.Outcome)
	}
}

func (r *Report) writeNotes(w io.Writer) {
	if len(r.Notes) == 0 {
		return
	}
	fmt.Fprint(w, "\nnotes on clocks, calendars and stops:\n")
	for n := range mostOf(w, r.Notes) {
		text := fmt.Sprintf("%s/%s (%s): %s", n.Station, n.PlanID, timeText(n.PlanTime), n.Text)
		if n.Occurrence != 0 {
			text = fmt.Sprintf("%s/%s occurrence %d (%s): %s", n.Station, n.PlanID, n.Occurrence, timeText(n.PlanTime), n.Text)
		}
		if n.Count > 1 {
			text += fmt.Sprintf(", and %d more", n.Count-1)
		}
		fmt.Fprintln(w, text)
	}
}

func (r *Report) writeOutages(w io.Writer) {
	for _, o := range r.Outages {
		fmt.Fprintf(w, "\noutage from %s until %s\nCATCH_UP\tRAN LATE\tSKIPPED\tLONGEST DELAY\tCAUGHT UP AFTER\n", timeText(o.From), timeText(o.Until))
		for _, row := range o.rows() {
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", row.Name, row.Cost.Late, row.Cost.Skipped, seconds(row.Cost.LongestDelay), seconds(row.Cost.CaughtUp))
		}
	}
}

// An outageRow is a line of the table of an outage.
type outageRow struct {
	Name string
	Cost OutageCost
}

func (o *OutageReport) rows() []outageRow {
	return []outageRow{
		{"as the plans are", o.AsIs}, {"none", o.CatchUp.None}, {"compact", o.CatchUp.Compact}, {"full", o.CatchUp.Full},
	}
}

func (r *Report) writeComparison(w io.Writer) {
	if r.Compare == nil {
		return
	}
	c := r.Compare
	fmt.Fprintf(w, "\ncompared: %d executions%s, %d occurrences skipped%s\n", c.Executions, listed(c.States), total(c.Skipped), listed(c.Skipped))
	if len(c.Plans) == 0 {
		fmt.Fprintln(w, "no plan differs")
		return
	}
	fmt.Fprint(w, "PLAN\tCHANGE\tBEFORE\tAFTER\n")
	for d := range mostOf(w, c.Plans) {
		fmt.Fprintf(w, "%s/%s\t%s\t%s\t%s\n", d.Station, d.PlanID, d.Change, d.Before, d.After)
	}
}

// mostOf are the first items of a list; how many more there are is written behind them.
func mostOf[T any](w io.Writer, items []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i, item := range items {
			if i == mostListed {
				fmt.Fprintf(w, "… %d more\n", len(items)-i)
				return
			}
			if !yield(item) {
				return
			}
		}
	}
}

func (c *Counts) String() string {
	if c == nil {
		return "-"
	}
	text := orDash(c.States)
	if len(c.Skipped) > 0 {
		text += ", skipped " + orDash(c.Skipped)
	}
	return text
}

// listed is counts behind a colon, such as ": 9 ok, 1 error"; empty for none.
func listed[K ~string](counts map[K]int64) string {
	if len(counts) == 0 {
		return ""
	}
	return ": " + orDash(counts)
}

// orDash is counts, the largest first; a dash for none.
func orDash[K ~string](counts map[K]int64) string {
	if len(counts) == 0 {
		return "-"
	}
	keys := bySize(counts)
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%d %s", counts[k], k)
	}
	return strings.Join(parts, ", ")
}

// bySize are the keys of counts, the largest first.
func bySize[K ~string](counts map[K]int64) []K {
	return slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

func total[K ~string](counts map[K]int64) (sum int64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// seconds is a duration in seconds, for people.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}
