package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

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
		Short: "Show what happens, one line each",
		Long: `Show results and events of all plans, or of one station's, as they come. A station
that ends in ".>" is all stations below it. Looking on takes no work away from
anybody and hides nothing.`,
		Example: `  stationmaster tail
  stationmaster tail hello --only results --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			station := ""
			if len(args) == 1 {
				station = args[0]
			}
			if only != "" && only != "results" && only != "events" {
				return usagef("--only %s: give results or events", only)
			}
			return conn.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				listening := func() { fmt.Fprintln(cmd.ErrOrStderr(), "listening; Ctrl-C ends it") }
				return tail(ctx, c, station, only, &printer{w: cmd.OutOrStdout(), json: asJSON}, listening)
			})
		},
	}
	conn.flags(cmd)
	cmd.Flags().StringVar(&only, "only", "", "show only results, or only events")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each as a line of JSON")
	return cmd
}

// tail prints what comes until ctx ends; it calls listening when nothing that
// happens from then on is missed.
func tail(ctx context.Context, c *client.Client, station, only string, p *printer, listening func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var printing sync.WaitGroup
	defer printing.Wait()
	if only != "events" {
		results, err := c.Results(station)
		if err != nil {
			return err
		}
		defer results.Stop()
		printing.Go(func() { cancel(show(p, results.All(ctx), traceResult)) })
	}
	if only != "results" {
		events, err := c.Events(station)
		if err != nil {
			cancel(nil)
			return err
		}
		defer events.Stop()
		printing.Go(func() { cancel(show(p, events.All(ctx), traceNotice)) })
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

// show prints what comes until the feed ends or nobody can read it any more.
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
			err = p.line(trace(item))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
