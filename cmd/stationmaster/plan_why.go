package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A question is the request that the flags of plan why make.
type question struct {
	schema.Explain
	lang, at string
	time     askedTime
}

func newPlanWhy(a *asker) *cobra.Command {
	var q question
	cmd := &cobra.Command{
		Use:   "why " + planUse,
		Short: "Explain why a plan ran, why it did not, or when it will",
		Long: `Explain what became of an occurrence of a plan: why it ran, why it did not, or what it
waits for; without a flag, of what is next or under way. Below that sentence stand what to
change, the field that decided, what runs next and the last success, with times in the
plan's zone. A plan that is gone is explained, too, while its results are kept.

A time is one at which something was due, at most a minute away.`,
		Example: `  stationmaster plan why hello/office
  stationmaster plan why hello/office --run 7
  stationmaster plan why hello/office --at '2027-03-28 02:30' --lang zh`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := q.read(cmd); err != nil {
				return err
			}
			return a.why(cmd, args[0], &q)
		},
	}
	fs := cmd.Flags()
	fs.Int64Var(&q.N, "run", 0, "the run, or the skip, of this number")
	fs.Int64Var(&q.Occurrence, "occurrence", 0, "the occurrence of this number, from 1")
	fs.StringVar(&q.at, "at", "", "what was due at this `time`: RFC 3339, \"2027-03-28 02:30\" in the plan's zone, or Unix seconds")
	fs.StringVar(&q.lang, "lang", "", "language of the answer: en (the default) or zh")
	setsField(fs.Lookup("run"), "n")
	return cmd
}

// read makes the request from the flags.
func (q *question) read(cmd *cobra.Command) (err error) {
	first := ""
	for _, name := range []string{"run", "occurrence", "at"} {
		flag := cmd.Flags().Lookup(name)
		switch {
		case !flag.Changed:
			continue
		case first != "":
			return usagef("--%s and --%s ask about two things; give one of --run, --occurrence and --at", first, name)
		case name == "run" && q.N < 1, name == "occurrence" && q.Occurrence < 1:
			return usagef("--%s is %s; they are numbered from 1", name, flag.Value)
		}
		first = name
	}
	q.Lang = schema.Lang(q.lang)
	if q.at == "" && first != "at" {
		return nil
	}
	if q.time, err = askedTimeOf(q.at); err != nil {
		return usagef("--at %w", err)
	}
	return nil
}

// why explains an occurrence of a plan.
func (a *asker) why(cmd *cobra.Command, arg string, q *question) error {
	names, err := planArgument(arg)
	if err != nil {
		return err
	}
	return a.doPlan(cmd, wire.JSON, names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
		view, err := c.PlanNamed(name).Get(ctx) // for its zone
		if err != nil && !errors.Is(err, client.ErrNotFound) {
			return err
		}
		request := q.Explain
		if request.At, err = a.askedAt(cmd, q, name, view); err != nil {
			return err
		}
		answer, err := c.PlanNamed(name).Explain(ctx, request)
		if errors.Is(err, client.ErrNotFound) && view == nil {
			return unknownPlan(ctx, c, name, err)
		}
		if err != nil {
			return err
		}
		if a.json {
			return printJSON(cmd.OutOrStdout(), answer)
		}
		writeWhy(cmd.OutOrStdout(), name, answer, view, q.Lang)
		return nil
	})
}

// unknownPlan is the error about a plan of which nothing is known, with the nearest name of its
// station.
func unknownPlan(ctx context.Context, c *client.Client, name schema.PlanName, err error) error {
	refused, is := errors.AsType[*schema.Error](err)
	if !is {
		return err
	}
	said := *refused
	said.Message = fmt.Sprintf("there is no plan %s, and no result of one is kept; stationmaster plan ls --name-prefix %s/ shows those there are", name, name.Station)
	if near := wire.Nearest(name.PlanID, planIDs(ctx, c, name.Station)); near != "" {
		said.Message += fmt.Sprintf("; did you mean %s?", schema.PlanName{Station: name.Station, PlanID: near})
	}
	return &said
}

// planIDs are the ids, or the names for people, of the first plans of a station, as far as they can be listed.
func planIDs(ctx context.Context, c *client.Client, station string) iter.Seq[string] {
	const most = 1000
	return func(yield func(string) bool) {
		for view, err := range first(most, c.Plans().All(ctx, schema.ListPlans{Station: station})) {
			if err != nil || !yield(cmp.Or(view.DisplayName(), planNameOf(view.Plan).PlanID)) {
				return
			}
		}
	}
}

// askedAt is the instant that --at means of a plan, of which the view is nil when it is gone; zero
// without --at.
func (a *asker) askedAt(cmd *cobra.Command, q *question, name schema.PlanName, view *schema.PlanView) (time.Time, error) {
	if q.at == "" {
		return time.Time{}, nil
	}
	if view == nil && q.time.needsZone() {
		return time.Time{}, usagef("--at %q is in the zone of %s, and that plan is gone: write a zone, as in %q", q.at, name, q.at+" Europe/Berlin")
	}
	zone, rule := time.UTC, schema.ClockChange{}
	if view != nil {
		p := definitionOf(view)
		zone, rule = zoneOf(p), p.ClockChange
	}
	at, note := q.time.of(zone, rule, time.Now())
	if at.Unix() <= 0 {
		return time.Time{}, usagef("--at %q is before 1970, when no plan was due", q.at)
	}
	if note != "" && !a.json {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: --at: %s\n", note)
	}
	return at, nil
}

// writeWhy prints an explanation, which is a sentence and then the answers to the likely next
// questions. The view of a plan that is gone is nil.
func writeWhy(out io.Writer, name schema.PlanName, x *schema.Explanation, view *schema.PlanView, lang schema.Lang) {
	fmt.Fprintln(out, withoutControls(x.Sentence))
	w := whyWordsOf(lang)
	line := func(label, format string, args ...any) {
		fmt.Fprintln(out, padded(label), fmt.Sprintf(format, args...))
	}
	zone := time.UTC
	if view != nil {
		zone = zoneOf(definitionOf(view))
	}
	if x.Remedy != "" {
		line(w.remedy, "%s", withoutControls(remedyText(name, x.Remedy)))
	}
	if r := x.Rule; r != nil {
		value, is := r.Value.Text()
		if !is {
			value = r.Value.String()
		}
		line(w.rule, "%s %s (%s)", r.Field, orDash(value), w.sourceText(r.From))
	}
	if x.Late != nil {
		line(w.late, "%s", w.lateText(x.Late))
	}
	if b := x.Because; b != nil && b.Before != nil {
		line(w.before, "%s", w.nextText(b.Before, zone))
	}
	if b := x.Because; b != nil && b.After != nil {
		line(w.after, "%s", w.nextText(b.After, zone))
	}
	switch {
	case x.Next != nil:
		line(w.next, "%s", w.nextText(x.Next, zone))
	case view == nil:
		line(w.next, "%s", w.gone)
	case view.State.Status == schema.StatusPaused && !view.State.PlanTime.IsZero():
		line(w.next, w.paused, w.weekdayText(view.State.PlanTime, zone))
	default:
		line(w.next, "%s", w.idle)
	}
	if ok := x.LastOK; ok != nil {
		line(w.lastOK, w.ended, w.occurrenceText(ok.Occurrence), w.weekdayText(ok.EndTime, zone))
	}
}

// withoutControls is a text in which control characters are spaces, because a note of a user may
// have them, and a terminal obeys them.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// ofThisPlan is a request of a remedy that is about the plan itself.
var ofThisPlan = regexp.MustCompile(`\bplans\.(resume|reset|skip|trigger|cancel)\b`)

// remedyText is a remedy in which requests are the commands that make them.
func remedyText(name schema.PlanName, remedy string) string {
	return inCommands(ofThisPlan.ReplaceAllString(remedy, "`stationmaster plan $1 "+strings.ReplaceAll(inShell(name.String()), "$", "$$$$")+"`"))
}

// whyCommand returns the command that explains a run of a plan; 0: the next occurrence, or the
// one under way.
func whyCommand(name schema.PlanName, n int64) string {
	command := "stationmaster plan why " + inShell(name.String())
	if n != 0 {
		command += fmt.Sprintf(" --run %d", n)
	}
	return command
}

// plainWord is a word that a shell takes as it is.
var plainWord = regexp.MustCompile(`^[\w./:@%+,-]+$`)

// inShell is a word as one types it in a shell.
func inShell(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// weekdayText is a moment as the clocks of a plan show it, with the weekday and the zone.
func weekdayText(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("Mon 2006-01-02 15:04:05 MST")
}
