package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// pollEvery is how often runs are listed beside the subscription, because results that were
// broadcast while the connection was down are lost.
const pollEvery = 5 * time.Second

// A waiter waits until the first occurrence of a plan is settled, or the plan has stopped
// at it.
type waiter struct {
	c       *client.Client
	results *client.Feed[schema.Result]
	name    schema.PlanName
	after   runPlace             // the newest that had ended before
	tried   func(*schema.Result) // is called with attempts that will be repeated
}

// A runPlace orders the runs of plans that have one name, one after the other.
type runPlace struct{ incarnation, n int64 }

func placeOf(r *schema.Result) runPlace {
	incarnation, _ := strconv.ParseInt(incarnationOf(r), 10, 64)
	return runPlace{incarnation, r.N}
}

func (p runPlace) behind(other runPlace) bool {
	return cmp.Or(cmp.Compare(p.incarnation, other.incarnation), cmp.Compare(p.n, other.n)) > 0
}

// waitedFor is the output of create --wait for programs.
type waitedFor struct {
	schema.Created
	Run *schema.Result `json:"run,omitempty"` // absent: the wait ended without it
}

// createAndWait creates a plan and waits for its first result. Earlier runs under its id do
// not count, whether of this plan or of an earlier one. But where an earlier plan goes on,
// because on_conflict is keep, it waits for that, and where that has closed, it returns its
// last result.
func (a *asker) createAndWait(ctx context.Context, cmd *cobra.Command, c *client.Client, plan wire.Value, limit time.Duration) error {
	name := planNameOf(plan)
	w := &waiter{c: c, tried: func(r *schema.Result) {
		if !a.json { // else stderr is for the error
			fmt.Fprintln(cmd.ErrOrStderr(), traceResult(r))
		}
	}}
	if schema.CheckStation(name.Station) == nil { // else it is refused
		var err error
		if w.results, err = c.Results().Follow(name.Station); err != nil {
			return err
		}
		defer w.results.Stop()
		last, err := newestEnded(ctx, c, name)
		if err != nil {
			return err
		}
		if last != nil {
			w.after = placeOf(last)
		}
	}
	created, err := a.create(ctx, cmd, c, plan)
	if err != nil {
		return err
	}
	if !a.json {
		fmt.Fprintln(cmd.OutOrStdout(), createdLine(outcomeOf(plan, created), created))
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("no result within %v; the plan goes on", limit))
		defer cancel()
	}
	w.name = schema.PlanName{Station: created.Station, PlanID: created.PlanID}
	r, err := w.of(ctx, created)
	if err != nil {
		if cmd.Context().Err() != nil {
			err = goesOn(w.name)
		}
		err = fmt.Errorf("wait for %s: %w", w.name, err)
		if a.json {
			err = errors.Join(printJSON(cmd.OutOrStdout(), waitedFor{Created: *created}), err)
		}
		return err
	}
	if err := a.answer(cmd, waitedFor{*created, r}, runText(w.name, r)); err != nil {
		return err
	}
	if r.State != schema.StateOK {
		return fmt.Errorf("%s ended as %s", w.name, runRow(r)[4])
	}
	return nil
}

// goesOn is the error of a wait that a signal ended.
func goesOn(name schema.PlanName) error {
	plan := inShell(name.String())
	return fmt.Errorf("a signal ended the wait, and the plan goes on: stationmaster plan get %s shows it, and stationmaster plan rm %s removes it", plan, plan)
}

// of returns the result of a created plan, or of an existing one that has closed by now.
func (w *waiter) of(ctx context.Context, created *schema.Created) (*schema.Result, error) {
	if created.Created || created.State != schema.StatusClosed {
		return w.wait(ctx)
	}
	last, err := newestEnded(ctx, w.c, w.name)
	if err == nil && last == nil {
		err = errors.New("it has closed, and its outcome is unknown, because its results are not kept")
	}
	return last, err
}

// newestEnded returns the newest ended run of a plan; nil: there is none. It passes over
// executions that are under way, because the caller waits for their results.
func newestEnded(ctx context.Context, c *client.Client, name schema.PlanName) (*schema.Result, error) {
	if name.Check() != nil { // it has none yet, or is refused
		return nil, nil
	}
	for r, err := range c.Runs().All(ctx, schema.ListRuns{Station: name.Station, PlanID: name.PlanID}) {
		switch {
		case err != nil:
			return nil, err
		case !r.EndTime.IsZero(): // the newest come first
			return &r, nil
		}
	}
	return nil, nil
}

// wait returns the result that settles the first occurrence, or at which the plan stopped.
func (w *waiter) wait(ctx context.Context) (*schema.Result, error) {
	for {
		r, err := w.await(ctx)
		if r == nil && err == nil {
			r, err = w.look(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case r != nil || err != nil:
			return r, err
		}
	}
}

// await follows the results for a while.
func (w *waiter) await(ctx context.Context) (*schema.Result, error) {
	waiting, cancel := context.WithTimeout(ctx, pollEvery)
	defer cancel()
	for r, err := range w.results.All(waiting) {
		switch {
		case errors.Is(err, client.ErrMissed):
			return nil, nil
		case errors.Is(err, client.ErrUnreadable):
			continue
		case err != nil:
			return nil, err
		case !w.counts(r):
			continue
		case over(r):
			return r, nil
		}
		w.tried(r)
	}
	return nil, nil
}

// look lists the present runs. While the scheduler is unavailable, it asks again.
func (w *waiter) look(ctx context.Context) (*schema.Result, error) {
	var first *schema.Result
	for r, err := range w.c.Runs().All(ctx, schema.ListRuns{Station: w.name.Station, PlanID: w.name.PlanID}) {
		switch {
		case unavailable(err):
			return nil, nil
		case err != nil:
			return nil, err
		case !placeOf(&r).behind(w.after): // the newest come first
			return first, nil
		case over(&r):
			first = &r
		}
	}
	return first, nil
}

// unavailable reports whether a request may well succeed if it is made again.
func unavailable(err error) bool {
	return errors.Is(err, client.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
}

func (w *waiter) counts(r *schema.Result) bool {
	return r.Station == w.name.Station && r.PlanID == w.name.PlanID && placeOf(r).behind(w.after)
}

// over reports whether no further result follows by itself.
func over(r *schema.Result) bool { return r.Final || r.State == schema.StateFailure }
