package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newTail() *cobra.Command {
	var conn connection
	var only string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tail [STATION]",
		Short: "Show results and events, one line each",
		Long: `Show results and events of all plans, or of one station's, as they come. A station
that ends in ".>" is all stations below it. Reading takes no work from
other workers and hides nothing.`,
		Example: `  stationmaster tail
  stationmaster tail hello --only results --json`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			station := ""
			if len(args) == 1 {
				station = args[0]
			}
			if only != "" && only != "results" && only != "events" {
				return usagef("--only %s: give results or events", only)
			}
			return conn.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				listening := func() {
					fmt.Fprintln(cmd.ErrOrStderr(), "listening; Ctrl-C ends it")
					if text := conn.unknownStation(cmd, station); text != "" {
						cmd.PrintErrln("note: " + text)
					}
				}
				return tail(ctx, c, station, only, &printer{w: cmd.OutOrStdout(), json: asJSON}, listening)
			})
		},
	}
	conn.flags(cmd)
	cmd.Flags().StringVar(&only, "only", "", "show only results, or only events")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each as a line of JSON")
	return cmd
}

// tail prints results and events until ctx ends; it calls listening when none from then on
// is missed.
func tail(ctx context.Context, c *client.Client, station, only string, p *printer, listening func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var printing sync.WaitGroup
	defer printing.Wait()
	if only != "events" {
		results, err := c.Results().Follow(station)
		if err != nil {
			return err
		}
		defer results.Stop()
		get := func(ctx context.Context, name schema.PlanName) (*schema.PlanView, error) {
			return c.PlanNamed(name).Get(ctx)
		}
		n, names := &nextDue{get: get, now: time.Now}, &namer{client: c}
		printing.Go(func() {
			cancel(show(p, results.All(ctx), func(r *schema.Result) string {
				known := *r
				known.PlanID = names.name(ctx, schema.PlanName{Station: r.Station, PlanID: r.PlanID}).PlanID
				return traceResult(&known) + n.of(ctx, r)
			}))
		})
	}
	if only != "results" {
		events, err := c.Events().Follow(station)
		if err != nil {
			cancel(nil)
			return err
		}
		defer events.Stop()
		trace := traceNotice
		if only == "" {
			trace = traceBeside
		}
		printing.Go(func() { cancel(show(p, events.All(ctx), trace)) })
	}
	listening()
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// A printer writes lines of several goroutines.
type printer struct {
	mu   sync.Mutex
	w    io.Writer
	json bool
}

func (p *printer) line(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := fmt.Fprintln(p.w, text)
	return err
}

// traceBeside is traceNotice without events that have a result, because that is printed, too.
func traceBeside(n *schema.Notice) string {
	if n.Kind == schema.NoticeSkipped || n.Kind == schema.NoticeTimeout {
		return ""
	}
	return traceNotice(n)
}

// The limits for looking up plans' next times, so that a watcher costs the scheduler
// little.
const (
	nextEvery  = 100 * time.Millisecond
	nextWithin = 500 * time.Millisecond
)

// A nextDue looks up the next times of the plans of results, as far as there is time for
// it.
type nextDue struct {
	get   func(context.Context, schema.PlanName) (*schema.PlanView, error)
	now   func() time.Time
	asked time.Time
}

// of is the end of the line of a result; empty when its plan has no next occurrence, or
// when too many results come to ask.
func (d *nextDue) of(ctx context.Context, r *schema.Result) string {
	now := d.now()
	if !r.Final || !d.asked.IsZero() && now.Sub(d.asked) < nextEvery {
		return ""
	}
	d.asked = now
	ctx, cancel := context.WithTimeout(ctx, nextWithin)
	defer cancel()
	view, err := d.get(ctx, schema.PlanName{Station: r.Station, PlanID: r.PlanID})
	if err != nil || view.State.PlanTime.IsZero() {
		return ""
	}
	return " → next " + view.State.PlanTime.Local().Format("15:04:05")
}

// show prints items until the feed ends or can no longer be read. Items without a line from
// trace are left out.
func show[T schema.Result | schema.Notice](p *printer, items iter.Seq2[*T, error], trace func(*T) string) error {
	for item, err := range items {
		switch {
		case errors.Is(err, client.ErrMissed), errors.Is(err, client.ErrUnreadable):
			err = p.line("… " + err.Error())
		case err != nil:
			return err
		case p.json:
			var line []byte
			if line, err = wire.Marshal(wire.JSON, item); err == nil {
				err = p.line(string(wire.OneLine(line)))
			}
		default:
			if line := trace(item); line != "" {
				err = p.line(line)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
