package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPlanPause(a *asker) *cobra.Command {
	cmd := a.newRequest("pause STATION/ID", "Let nothing of a plan be due until it is resumed", "pause", "paused", client.Plan.Pause)
	cmd.Long = `Let nothing of a plan be due until it is resumed. Its occurrences until then are skipped,
and not caught up; with its last occurrence the plan ends. Executions under way may finish.`
	cmd.Example = `  stationmaster plan pause hello/office
  stationmaster plan pause --where 'station=mail,status=queued,labels.team=core'`
	return cmd
}

func newPlanResume(a *asker) *cobra.Command {
	cmd := a.newRequest("resume STATION/ID", "End a pause", "resume", "resumed", client.Plan.Resume)
	cmd.Example = "  stationmaster plan resume hello/office"
	return cmd
}

func newPlanReset(a *asker) *cobra.Command {
	cmd := a.newRequest("reset STATION/ID", "Let a plan go on that stopped in plan_error or pending", "reset", "reset", client.Plan.Reset)
	cmd.Long = `Let a plan go on that stopped in plan_error or pending: the occurrence that it
stopped at is tried again at once, and its errors are forgotten.`
	cmd.Example = `  stationmaster plan ls --status plan_error,pending
  stationmaster plan reset hello/office`
	return cmd
}

func newPlanClose(a *asker) *cobra.Command {
	return a.newRequest("close STATION/ID", "End a plan; executions under way may finish", "close", "closed", client.Plan.End)
}

func newPlanRemove(a *asker) *cobra.Command {
	return a.newRequest("rm STATION/ID", "End a plan at once; executions under way are cancelled", "remove", "removed", client.Plan.Remove)
}

// newRequest is a command that makes one request, a verb, about one plan.
func (a *asker) newRequest(use, short, verb, done string, request func(client.Plan, context.Context) (*schema.Standing, error)) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dry {
				return a.foresee(cmd, args[0], verb, nil)
			}
			return a.request(cmd, args[0], done+" ", request)
		},
	}
	dryRunVar(cmd.Flags(), &dry)
	return cmd
}

// request makes one request about the plan that arg names, and prints its standing then.
func (a *asker) request(cmd *cobra.Command, arg, done string, request func(client.Plan, context.Context) (*schema.Standing, error)) error {
	names, err := planArgument(arg)
	if err != nil {
		return err
	}
	return a.doPlan(cmd, wire.JSON, names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
		if err := refuseTwoOfThatName(ctx, c, arg, names, done); err != nil {
			return err
		}
		held := heldBy(ctx, c, name, done)
		standing, err := request(c.PlanNamed(name), ctx)
		if err != nil {
			return err
		}
		if err := a.answer(cmd, standing, done+standingText(typedAs(arg, name), standing)+held); err != nil {
			return err
		}
		if !a.json {
			noteLast(cmd, standing)
		}
		if done == "resumed " && standing.State == schema.StatusClosed && !a.json {
			cmd.PrintErrf("note: the plan has ended, because its last occurrence was due while it was paused; why: %s\n", whyCommand(name, 0))
		}
		return nil
	})
}

// noteLast tells of the last occurrence that a pause or skips may take from a plan.
func noteLast(cmd *cobra.Command, now *schema.Standing) {
	switch last := now.LastPlanTime; {
	case last.IsZero():
	case now.State == schema.StatusPaused:
		cmd.PrintErrf("note: its last occurrence is due %s; if it is paused still, that is skipped, and the plan ends\n", when(last))
	default:
		cmd.PrintErrf("note: its last occurrence, due %s, is skipped, too, and the plan ends then; --count 0 takes that back\n", when(last))
	}
}

// heldBy returns the number of items that the end of a plan drops from its inbox, in words,
// because no worker gets them any more. It is empty for other acts, and for a plan without items.
func heldBy(ctx context.Context, c *client.Client, name schema.PlanName, done string) string {
	if done != "closed " && done != "removed " {
		return ""
	}
	view, err := c.PlanNamed(name).Get(ctx)
	if err != nil || view.State.Inbox == nil || view.State.Inbox.Length == 0 {
		return ""
	}
	return ", with " + counted64(view.State.Inbox.Length, "item")
}

// standingText shows a plan with its standing, unless done implies that.
func standingText(text string, s *schema.Standing) string {
	if s.State != schema.StatusClosed && s.State != schema.StatusPaused {
		text += ", " + string(s.State)
	}
	if !s.PlanTime.IsZero() {
		text += ", due " + when(s.PlanTime)
	}
	return text
}

func newPlanTrigger(a *asker) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "trigger STATION/ID",
		Short: "Run a plan once more, now and beside its schedule",
		Long: `Run a plan once more, now and beside its schedule, as far as its overlap and
concurrency let it: beside a run that executes, one may wait, or be skipped, which
ends with exit code 1 (4 with --detailed-exit-code).`,
		Example: `  stationmaster plan trigger hello/office
  stationmaster plan runs hello/office`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dry {
				return a.foresee(cmd, args[0], "trigger", nil)
			}
			names, err := planArgument(args[0])
			if err != nil {
				return err
			}
			return a.doPlan(cmd, wire.JSON, names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
				triggered, err := c.PlanNamed(name).Trigger(ctx)
				if err != nil {
					return err
				}
				if triggered.Skipped != "" {
					return a.skipped(cmd, name, triggered)
				}
				state := string(triggered.State)
				if !a.json {
					state = triggerOutcome(ctx, c, name, triggered)
				}
				if err := a.answer(cmd, triggered, fmt.Sprintf("triggered %s, run %d, %s", typedAs(args[0], name), triggered.N, state)); err != nil {
					return err
				}
				a.noteNoWorker(ctx, cmd, c, name, triggered.State)
				return nil
			})
		},
	}
	dryRunVar(cmd.Flags(), &dry)
	return cmd
}

// skipped is the error of a trigger whose run is skipped, because a script goes by the exit
// code; programs get the answer all the same.
func (a *asker) skipped(cmd *cobra.Command, name schema.PlanName, t *schema.Triggered) error {
	if a.json {
		if err := printJSON(cmd.OutOrStdout(), t); err != nil {
			return err
		}
	}
	why := string(t.Skipped)
	if because := becauseText(t.Skipped, t.Because); because != "" {
		why += ": " + because
	}
	return &schema.Error{Code: schema.CodeConflict, Message: fmt.Sprintf("run %d of %s was skipped (%s)", t.N, name, why)}
}

// triggerOutcome is the state of a triggered run that waits, because a policy of its plan makes
// it; otherwise the state of its plan, because the answer has no more.
func triggerOutcome(ctx context.Context, c *client.Client, name schema.PlanName, t *schema.Triggered) string {
	r, err := c.PlanNamed(name).Run(ctx, t.N)
	if err == nil && r.State == schema.StateWaiting {
		return stateText(r)
	}
	return string(t.State)
}

func newPlanSkip(a *asker) *cobra.Command {
	var count int64
	var dry bool
	cmd := &cobra.Command{
		Use:   "skip STATION/ID",
		Short: "Skip the next occurrences of a plan",
		Long: `Skip the next occurrences of a plan when they fall due. The last count
stands: 0 skips none any more.`,
		Example: `  stationmaster plan skip hello/office               # the next one
  stationmaster plan skip hello/office --count 5
  stationmaster plan skip hello/office --count -1    # all, until a count of 0`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dry {
				return a.foresee(cmd, args[0], "skip", map[string]any{"count": count})
			}
			return a.request(cmd, args[0], skipping(count)+" ", func(p client.Plan, ctx context.Context) (*schema.Standing, error) {
				return p.Skip(ctx, count)
			})
		},
	}
	cmd.Flags().Int64Var(&count, "count", 1, "how many; -1 for all, 0 for none any more")
	dryRunVar(cmd.Flags(), &dry)
	return cmd
}

// skipping says that so many occurrences of one plan, or of each of several, are skipped.
func skipping(count int64) string {
	switch count {
	case client.SkipAll:
		return "skipping all of"
	case 0:
		return "skipping none of"
	}
	return fmt.Sprintf("skipping the next %d of", count)
}

func newPlanCancel(a *asker) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "cancel STATION/ID N",
		Short: "Cancel a run that is under way or waits for its retry",
		Example: `  stationmaster plan runs hello/office --state running
  stationmaster plan cancel hello/office 7`,
		Args: takes(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := runArgument(args[1])
			if err != nil {
				return err
			}
			if dry {
				return a.foresee(cmd, args[0], "cancel", map[string]any{"n": n})
			}
			done := fmt.Sprintf("cancelled run %d of ", n)
			return a.request(cmd, args[0], done, func(p client.Plan, ctx context.Context) (*schema.Standing, error) {
				return p.Cancel(ctx, n)
			})
		},
	}
	dryRunVar(cmd.Flags(), &dry)
	return cmd
}

// runArgument reads the number of a run.
func runArgument(arg string) (int64, error) {
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || n < 1 {
		return 0, usagef("%q is no number of a run; plan runs shows them", arg)
	}
	return n, nil
}

// refuseTwoOfThatName refuses to end a plan if another one has its id for a name, because the wrong one
// could be meant.
func refuseTwoOfThatName(ctx context.Context, c *client.Client, arg string, names []schema.PlanName, done string) error {
	if done != "closed " && done != "removed " || len(names) < 2 || names[0].Station != schema.HTTPStation {
		return nil
	}
	for _, name := range names {
		if _, err := c.PlanNamed(name).Get(ctx); err != nil {
			return nil //nolint:nilerr // it is the only one, or the request itself reports it
		}
	}
	return &schema.Error{Code: schema.CodeConflict, Message: fmt.Sprintf(
		"nothing was done, because %s is two plans: an HTTP job has that name, and is %s, too; the other one has that id, and is given with --where prefix=%s",
		arg, names[1], inShell(names[0].String()))}
}
