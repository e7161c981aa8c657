package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// sinceOfAll is how far back runs of several plans are searched by default.
const sinceOfAll = 24 * time.Hour

// A runQuery is the request that the flags of plan runs make.
type runQuery struct {
	schema.ListRuns
	names        []schema.PlanName // the plan has one of them
	state        string
	reason       string
	longer       time.Duration
	since, until string
	limit        int
}

func newPlanRuns(a *asker) *cobra.Command {
	var q runQuery
	cmd := &cobra.Command{
		Use:   "runs [STATION/ID | STATION]",
		Short: "Show a plan's runs, or those of many, newest first",
		Long: `Show the runs of a plan, under way and ended, newest first; of a closed one, too.
Without a plan, show those of all plans that have ended within 24 hours, or since
--since; of a station, or, where it ends in ".>", of all stations below it.`,
		Example: `  stationmaster plan runs hello/office --limit 5
  stationmaster plan runs --failed --since 12h        # failures of last night
  stationmaster plan runs --trouble --text 'no host has the name'
  stationmaster plan runs hello/office --worker w1 --longer-than 30s
  stationmaster plan runs 'eu.>' --state timeout --since 2026-03-01T18:00:00Z --json`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := q.read(args, time.Now()); err != nil {
				return err
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				if q.PlanID == "" {
					return a.printRunsOfAll(ctx, cmd, c, &q)
				}
				plan, err := c.Plans().Which(ctx, q.names)
				if err != nil {
					return err
				}
				q.Station, q.PlanID = plan.Station, plan.PlanID
				runs := first(q.limit, c.Runs().All(ctx, q.ListRuns))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "runs", runs)
				}
				var bad schema.Result
				none := true
				runs = seen(runs, func() { none = false })
				err = printTable(cmd, []string{"N", "OCCURRENCE", "ATTEMPT", "DUE", "STATE", "TOOK", "SAID"},
					runRows(withBad(runs, &bad)), func(row *[]string) []string { return *row })
				noteBad(cmd, plan, &bad)
				if none && err == nil {
					noteNoPlan(ctx, cmd, c, plan)
				}
				return err
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.state, "state", "", "only in this state: waiting, running, dispatched, ok, error, failure, timeout, skipped or cancelled")
	offer(cmd, "state", "state")
	fs.StringVar(&q.reason, "reason", "", "only with this reason, such as overlap, missed or retries")
	offer(cmd, "reason", "reason")
	fs.BoolVar(&q.Trouble, "trouble", false, "only final errors, failures and timeouts, and those that were missed")
	fs.StringVar(&q.WorkerID, "worker", "", "only of this worker")
	fs.StringVar(&q.Text, "text", "", "only with this in the id, description, command, request id, content or error")
	durationVar(fs, &q.longer, "longer-than", 0, "only those that took longer than this, such as 30s")
	fs.BoolVar(&q.Failed, "failed", false, "only in state error, failure or timeout, or skipped when it had failed")
	timeVar(fs, &q.since, "since", "only ended at this `time` or later: RFC 3339, Unix seconds, or a span before now such as 12h")
	timeVar(fs, &q.until, "until", "only ended before this `time`")
	labelsVar(fs, &q.Labels, "label", "only with this label, `key=value`; repeat it for more")
	limitVar(fs, &q.limit, 20)
	return cmd
}

// read makes the request from the arguments.
func (q *runQuery) read(args []string, now time.Time) (err error) {
	q.State, q.Reason, q.LongerThanMS = schema.State(q.state), schema.Reason(q.reason), q.longer.Milliseconds()
	if q.longer != 0 && q.LongerThanMS < 1 {
		return usagef("--longer-than %v is too short: give 1ms or more", q.longer)
	}
	if len(args) == 1 {
		if q.Station = args[0]; strings.Contains(args[0], "/") {
			if q.names, err = planArgument(args[0]); err != nil {
				return err
			}
			q.Station, q.PlanID = q.names[0].Station, q.names[0].PlanID
		}
	}
	if q.since != "" {
		if q.From, err = pastMoment(q.since, now); err != nil {
			return usagef("--since %w", err)
		}
	} else if q.PlanID == "" {
		q.From = now.Add(-sinceOfAll)
	}
	if q.until != "" {
		if q.To, err = pastMoment(q.until, now); err != nil {
			return usagef("--until %w", err)
		}
		if q.since == "" && q.PlanID == "" {
			q.From = q.To.Add(-sinceOfAll)
		}
		if !q.From.Before(q.To) {
			return usagef("--until %s is not after --since; no run ended in between", q.until)
		}
	}
	return nil
}

// pastMoment is moment for past times: a span is one before now.
func pastMoment(text string, now time.Time) (time.Time, error) {
	if _, err := strconv.ParseFloat(text, 64); err != nil { // a number is Unix seconds
		if d, err := parseDuration(text); err == nil {
			return now.Add(-d.Abs()), nil
		}
	}
	t, err := moment(text, now)
	if err == nil {
		return t, nil
	}
	if seconds, wrong := strconv.ParseFloat(text, 64); wrong == nil && seconds >= 0 && seconds < earliest {
		return t, fmt.Errorf("%s would be Unix seconds, and lies in the year %d: write %ss for a span before now", text, time.Unix(int64(seconds), 0).UTC().Year(), text)
	}
	if at, is := timeWithoutZone(text, now); is {
		return t, fmt.Errorf("%q has no zone: write %s, if your own is meant", text, at.Format(time.RFC3339))
	}
	return t, fmt.Errorf("%q is no time; give RFC 3339, Unix seconds, or a span before now such as 12h", text)
}

// printRunsOfAll prints the runs of several plans, and remarks that there are none or more.
func (a *asker) printRunsOfAll(ctx context.Context, cmd *cobra.Command, c *client.Client, q *runQuery) error {
	shown, more := 0, false
	runs := counted(q.limit, c.Runs().All(ctx, q.ListRuns), &shown, &more)
	var err error
	if a.json {
		err = printJSONList(cmd.OutOrStdout(), "runs", runs)
	} else {
		names := namer{client: c}
		_, err = writeTable(cmd.OutOrStdout(), []string{"ENDED", "PLAN", "N", "STATE", "TOOK", "SAID"}, runs, func(r *schema.Result) []string {
			return runOfAllRow(names.name(ctx, schema.PlanName{Station: r.Station, PlanID: r.PlanID}), r)
		})
	}
	switch {
	case err != nil:
		return err
	case shown == 0:
		noteNoRuns(cmd.ErrOrStderr(), q)
	case more:
		fmt.Fprintf(cmd.ErrOrStderr(), "note: there are more; these are the newest %d. --limit 0 shows all\n", shown)
	}
	return nil
}

func noteNoRuns(out io.Writer, q *runQuery) {
	what := "no run"
	if q.Failed {
		what = "no run that failed"
	}
	span := "since " + when(q.From)
	if !q.To.IsZero() {
		span = "from " + when(q.From) + " to " + when(q.To)
	}
	fmt.Fprintf(out, "note: %s was found that ended %s\n", what, span)
}

// counted is first, and counts its items and whether there are more.
func counted[T any](n int, items iter.Seq2[T, error], shown *int, more *bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range items {
			if err == nil && n > 0 && *shown == n {
				*more = true
				return
			}
			if err == nil {
				*shown++
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

func runOfAllRow(name schema.PlanName, r *schema.Result) []string {
	row := runRow(r)
	return []string{when(r.EndTime), name.String(), row[0], row[4], row[5], row[6]}
}

// runRows are the runs of a plan as rows, with a separator between plans that had its id
// one after the other, because their numbers begin anew.
func runRows(runs iter.Seq2[schema.Result, error]) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		newer := ""
		for r, err := range runs {
			if err != nil {
				yield(nil, err)
				return
			}
			of := incarnationOf(&r)
			if newer != "" && of != "" && of != newer && !yield([]string{"--", "--", "--", "--", "--", "--", "an earlier plan with this id:"}, nil) {
				return
			}
			if of != "" {
				newer = of
			}
			if !yield(runRow(&r), nil) {
				return
			}
		}
	}
}

// incarnationOf distinguishes plans that had one id; it is in the key of a run,
// "<station>/<plan_id>/<incarnation>/<k>".
func incarnationOf(r *schema.Result) string {
	if parts := strings.Split(r.Key, "/"); len(parts) == 4 {
		return parts[2]
	}
	return ""
}

func runRow(r *schema.Result) []string {
	state, took, content := stateText(r), "-", r.Content
	if n := len(r.Votes); n > 0 && r.EndTime.IsZero() {
		state += fmt.Sprintf(" (%d voted)", n)
	}
	if r.Count > 1 {
		state += fmt.Sprintf(" ×%d", r.Count)
	}
	if !r.EndTime.IsZero() && !r.ExecTime.IsZero() {
		took = span(r.EndTime.Sub(r.ExecTime))
	}
	if !r.Error.IsZero() {
		content = r.Error
	}
	text := becauseText(r.Reason, r.Because)
	if !content.IsZero() {
		text = brief(content)
	}
	return []string{
		strconv.FormatInt(r.N, 10), strconv.FormatInt(r.Occurrence, 10), strconv.FormatInt(r.Attempt, 10),
		when(r.PlanTime), state, took, text,
	}
}

// withBad keeps the first of the runs that ended otherwise than as ok.
func withBad(runs iter.Seq2[schema.Result, error], bad *schema.Result) iter.Seq2[schema.Result, error] {
	return func(yield func(schema.Result, error) bool) {
		for r, err := range runs {
			if err == nil && bad.N == 0 && endedBadly(&r) {
				*bad = r
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func endedBadly(r *schema.Result) bool { return !r.EndTime.IsZero() && r.State != schema.StateOK }

// noteBad names the command that explains a run that ended badly, if there is one.
func noteBad(cmd *cobra.Command, name schema.PlanName, bad *schema.Result) {
	if bad.N != 0 {
		cmd.PrintErrf("note: run %d ended as %s; why: %s\n", bad.N, bad.State, whyCommand(name, bad.N))
	}
}

func newPlanRun(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:     "run STATION/ID N",
		Short:   "Show one run of a plan; of a closed one, too",
		Example: "  stationmaster plan run hello/office 7",
		Args:    takes(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := planArgument(args[0])
			if err != nil {
				return err
			}
			n, err := runArgument(args[1])
			if err != nil {
				return err
			}
			return a.doPlan(cmd, wire.JSON, names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
				// As it came, so that fields that this release does not know are printed,
				// too.
				var view schema.RunView
				request := schema.RunName{Station: name.Station, PlanID: name.PlanID, N: n}
				if err := c.Do(ctx, "plans", "run", request, &view); err != nil {
					return err
				}
				var run schema.Result
				if err := wire.DecodeLoose(view.Run, &run); err != nil {
					return err
				}
				return a.answer(cmd, &view, runText(name, &run))
			})
		},
	}
}

// stateText is the state of a run, and why.
func stateText(r *schema.Result) string {
	if r.Reason == "" {
		return string(r.State)
	}
	return string(r.State) + " (" + string(r.Reason) + ")"
}

// runText is a run as people read it.
func runText(name schema.PlanName, r *schema.Result) string {
	row := runRow(r)
	lines := [][2]string{
		{"plan", name.String()}, {"run", row[0]}, {"attempt", row[2] + " of occurrence " + row[1]}, {"due", row[3]},
		{"state", row[4]}, {"sent", when(r.ExecTime)}, {"ended", when(r.EndTime)}, {"took", row[5]}, {"worker", orDash(r.WorkerID)},
	}
	if why := becauseText(r.Reason, r.Because); why != "" {
		lines = append(lines, [2]string{"because", why})
	}
	if r.By != "" || r.Note != "" {
		lines = append(lines, [2]string{"asked", askedText(time.Time{}, r.Attribution)})
	}
	if r.Late != nil {
		lines = append(lines, [2]string{"late", whyEnglish.lateText(r.Late)})
	}
	if r.Late != nil || endedBadly(r) {
		lines = append(lines, [2]string{"why", whyCommand(name, r.N)})
	}
	for _, v := range r.Votes {
		lines = append(lines, [2]string{"vote", voteText(&v)})
	}
	if !r.Content.IsZero() {
		lines = append(lines, [2]string{"content", r.Content.String()})
	}
	if !r.Error.IsZero() {
		lines = append(lines, [2]string{"error", r.Error.String()})
	}
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "%-9s %s\n", line[0], line[1])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// voteText is one worker's answer at a vote station, on a line.
func voteText(v *schema.Vote) string {
	content := v.Content
	if !v.Error.IsZero() {
		content = v.Error
	}
	text := string(v.State) + at(v.WorkerID)
	if !content.IsZero() {
		text += " " + brief(content)
	}
	return text
}
