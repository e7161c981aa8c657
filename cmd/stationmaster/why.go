package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newWhy() *cobra.Command {
	var a asker
	var station string
	var waits []string
	var ofPlan question
	limit := 0
	cmd := &cobra.Command{
		Use:   "why [STATION | STATION/ID]",
		Short: "Show what is due and does not run, and what it waits for",
		Long: `Show the plans of which something is due and does not run, by station and by what they
wait for, the longest first. A station that ends in ".>" is all stations below it.
About one plan it says the same as 'stationmaster plan why STATION/ID', which has more flags.`,
		Example: `  stationmaster why
  stationmaster why mail --waits worker,claim`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				station = args[0]
			}
			if strings.Contains(station, "/") {
				if waits != nil || cmd.Flags().Changed("limit") {
					return usagef("%s names a plan; --waits and --limit are of stations", station)
				}
				ofPlan.Lang = schema.Lang(ofPlan.lang)
				return a.why(cmd, station, &ofPlan)
			}
			if ofPlan.lang != "" {
				return usagef("--lang is the language of a sentence about one plan, as in: stationmaster why STATION/ID --lang %s", ofPlan.lang)
			}
			filter := schema.ListPlans{Station: station, Waits: waits, Limit: 1000}
			if len(waits) == 0 {
				filter.Waits = schema.Words("waits")
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				found := waiting{limit: cmp.Or(limit, mostWaiting)}
				for view, err := range c.Plans().All(ctx, filter) {
					if err != nil {
						return err
					}
					found.add(&view)
				}
				if err := a.printWaiting(cmd, &found); err != nil || a.json || len(waits) > 0 {
					return err
				}
				if len(found.groups) == 0 {
					if text := a.unknownStation(cmd, station); text != "" {
						cmd.PrintErrln("note: " + text)
						return nil
					}
				}
				return notePaused(ctx, cmd, c, station)
			})
		},
	}
	a.flags(cmd)
	fs := cmd.Flags()
	fs.StringVar(&station, "station", "", "only of this station, or below it")
	fs.StringVar(&ofPlan.lang, "lang", "", "language of the answer about a plan: en (the default) or zh")
	listVar(fs, &waits, "waits", "only what waits for one of these: worker, claim, room, turn, retry, jitter, lock, person, resume")
	limitVar(fs, &limit, 10)
	fs.Lookup("limit").Usage = "at most so many plans of each station and cause; 0 for all"
	offer(cmd, "waits", "waits")
	complete(cmd, "station", a.completeStation)
	cmd.ValidArgsFunction = a.completeStation
	return cmd
}

// mostWaiting bounds the plans that why keeps, and so its memory. Each station and cause keeps
// one at least.
const mostWaiting = 10_000

// A waitingPlan is a plan with a due occurrence that does not run.
type waitingPlan struct {
	Station string `json:"station"`
	PlanID  string `json:"plan_id"`
	schema.Waits
	LastError string `json:"last_error,omitempty"` // of an occurrence that waits after a failure
	Items     int64  `json:"items,omitempty"`      // that a queue holds
	name      string // by which people know it
}

// longest orders plans by the length of their wait; plans whose wait has no known begin come
// last.
func longest(a, b waitingPlan) int {
	if a.Since.IsZero() != b.Since.IsZero() {
		if a.Since.IsZero() {
			return 1
		}
		return -1
	}
	return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.Station, b.Station), strings.Compare(a.PlanID, b.PlanID))
}

// A waitGroup is the plans of a station that wait for one thing.
type waitGroup struct {
	plans []waitingPlan // the longest first, and not all of them
	count int
}

// waiting sums plans that wait as they come.
type waiting struct {
	groups map[waitPlace]*waitGroup
	limit  int // plans to keep of a group
	kept   int
}

type waitPlace struct {
	station string
	cause   schema.WaitFor
}

// add takes in a plan of a list.
func (w *waiting) add(v *schema.PlanView) {
	if v.State.Waits == nil {
		return // a scheduler of an earlier release has no such filter
	}
	name := planNameOf(v.Plan)
	p := waitingPlan{Station: name.Station, PlanID: name.PlanID, Waits: *v.State.Waits, name: cmp.Or(v.DisplayName(), name.PlanID)}
	p.LastError = lastErrorOf(&v.State)
	if in := v.State.Inbox; in != nil {
		p.Items = in.Length
	}
	at := waitPlace{p.Station, p.For}
	g := w.groups[at]
	if g == nil {
		if w.groups == nil {
			w.groups = map[waitPlace]*waitGroup{}
		}
		g = &waitGroup{}
		w.groups[at] = g
	}
	g.count++
	i, _ := slices.BinarySearchFunc(g.plans, p, longest)
	g.plans = slices.Insert(g.plans, i, p)
	if n := len(g.plans); n > w.limit || n > 1 && w.kept == mostWaiting {
		g.plans = g.plans[:n-1]
	} else {
		w.kept++
	}
}

// sorted are the groups, those first of which a plan waits the longest.
func (w *waiting) sorted() (groups []*waitGroup) {
	for _, g := range w.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *waitGroup) int { return longest(a.plans[0], b.plans[0]) })
	return groups
}

// printWaiting prints the plans that wait, and the command to ask next.
func (a *asker) printWaiting(cmd *cobra.Command, w *waiting) error {
	groups := w.sorted()
	if a.json {
		var plans []waitingPlan
		left := 0
		for _, g := range groups {
			plans = append(plans, g.plans...)
			left += g.count - len(g.plans)
		}
		if left > 0 {
			cmd.PrintErrf("note: %s more wait; --limit 0 shows more, and --station and --waits choose\n", counted64(int64(left), "plan"))
		}
		return printJSONList(cmd.OutOrStdout(), "waits", each(plans))
	}
	if len(groups) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "nothing waits")
		return nil
	}
	now := time.Now()
	for _, g := range groups {
		writeWaitGroup(cmd.OutOrStdout(), g, now)
	}
	first := groups[0].plans[0]
	cmd.PrintErrf("note: %s has more about the first one\n", whyCommand(schema.PlanName{Station: first.Station, PlanID: first.name}, 0))
	return nil
}

// notePaused prints a note if plans are paused, because their occurrences are skipped and are not
// among those that wait.
func notePaused(ctx context.Context, cmd *cobra.Command, c *client.Client, station string) error {
	for _, err := range c.Plans().All(ctx, schema.ListPlans{Station: station, Status: schema.OneOrMany{string(schema.StatusPaused)}, Limit: 1}) {
		if err != nil {
			return err
		}
		cmd.PrintErrf("note: some plans are paused, and skip what falls due: %s --status paused\n", strings.TrimSuffix("stationmaster plan ls "+station, " "))
		return nil
	}
	return nil
}

// writeWaitGroup prints the plans of a station that wait for one thing.
func writeWaitGroup(out io.Writer, g *waitGroup, now time.Time) {
	of := g.plans[0]
	verb := "wait"
	if g.count == 1 {
		verb = "waits"
	}
	fmt.Fprintf(out, "%s: %s %s for %s\n", of.Station, counted64(int64(g.count), "plan"), verb, waitNounOf(g.count, of.For))
	for _, p := range g.plans {
		text := waitDetails(&p.Waits)
		if p.Since.IsZero() { // it is not known
			text = strings.TrimPrefix(text, ", ")
		} else {
			text = "for " + span(max(now.Sub(p.Since), 0)) + text
		}
		if p.Items > 0 {
			text += ", " + counted64(p.Items, "item")
		}
		if p.LastError != "" {
			text += ", last error: " + oneLine(p.LastError)
		}
		fmt.Fprintf(out, "  %s/%s  %s\n", p.Station, p.name, text)
	}
	if left := g.count - len(g.plans); left > 0 {
		fmt.Fprintf(out, "  and %d more: stationmaster plan ls %s --waits %s\n", left, inShell(of.Station), of.For)
	}
}
