package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A worker that serves a station in another way than its kind demands is present, but gets
// nothing, or its work is done twice. It goes on with a warning, because the station's kind
// may change.

// misfit returns the reason why a way of serving does not fit a kind of station, with the remedy;
// empty: it fits.
func (h *servedHow) misfit(kind schema.Kind) string {
	switch {
	case kind == schema.KindPull && h.fanout:
		return "its executions wait to be claimed, and this worker claims none: say --pull in place of --fanout"
	case kind == schema.KindPull && !h.pull:
		return "its executions wait to be claimed, and this worker claims none: say --pull"
	case kind == schema.KindAPI && h.pull:
		return "its executions are sent, and there is nothing to claim: leave out --pull, or put the station with --kind pull"
	case kind == schema.KindAPI && h.fanout:
		return "with --fanout each worker runs each of its executions, which one is to run: leave out --fanout"
	case kind != schema.KindPull && h.pull:
		return "its executions are sent to every worker, and there is nothing to claim: say --fanout in place of --pull"
	case kind == schema.KindVote && !h.fanout:
		return "every worker is to vote there, and without --fanout one of them gets the execution: say --fanout"
	case kind == schema.KindPub && !h.fanout:
		return "its executions are for every worker, and want no answer; without --fanout this one runs none of them: say --fanout"
	}
	return ""
}

// warning returns the misfit of a station, or a warning that no installation would send it
// executions; empty: there is none, or its kind is unknown.
func (h *servedHow) warning(ctx context.Context, nc *nats.Conn, o client.Options, station string) string {
	kind, err := kindOf(ctx, nc, o, station)
	switch wrong := h.misfit(kind); {
	case errors.Is(err, nats.ErrNoResponders) && o.Prefix != "":
		return fmt.Sprintf("warning: no installation answers under prefix %s on this NATS server, and this worker gets nothing until one does: is --prefix right?", o.Prefix)
	case errors.Is(err, nats.ErrNoResponders):
		return "warning: no installation without a prefix answers on this NATS server, and this worker gets nothing until one does: is --prefix missing?"
	case err == nil && wrong != "":
		return fmt.Sprintf("warning: station %s is of kind %s: %s", station, kind, wrong)
	}
	return ""
}

// kindOf asks for the kind of a station.
func kindOf(ctx context.Context, nc *nats.Conn, o client.Options, station string) (kind schema.Kind, err error) {
	c, err := client.New(nc, o)
	if err != nil {
		return "", err
	}
	ifAllowed(ctx, nc, schema.Space{Prefix: o.Prefix}.Service("stations", "get"), func(ctx context.Context) {
		kind, err = kindAt(ctx, c, station)
	})
	return kind, err
}

// ifAllowed calls ask, which sends requests on subject, with a context that ends when the
// user may not do that. Users who are only workers may not, and get no error for it.
func ifAllowed(ctx context.Context, nc *nats.Conn, subject string, ask func(context.Context)) {
	ctx, denied := context.WithCancel(ctx)
	defer denied()
	usual := nc.ErrorHandler()
	defer nc.SetErrorHandler(usual)
	nc.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"`+subject+`"`) {
			denied()
			return
		}
		usual(nc, sub, err)
	})
	ask(ctx)
}

// kindAt is the kind of a station, which is api where it was never put.
func kindAt(ctx context.Context, c *client.Client, station string) (schema.Kind, error) {
	switch s, err := c.Stations().Get(ctx, station); {
	case errors.Is(err, client.ErrNotFound):
		return schema.KindAPI, nil
	case err != nil:
		return "", err
	default:
		return s.Kind, nil
	}
}

// commandNote returns a note about a station's other commands for a worker that does only one;
// empty: it does all. Every such worker prints it, because the commands of future plans and of
// other workers are unknown.
func commandNote(station, command string) string {
	if command == anyCommand {
		return ""
	}
	return fmt.Sprintf("note: an execution of station %s may come here whatever its command, and is answered with an error if that is not %q: what other programs do is for a station of their own",
		station, command)
}

// anyCommand is --command of a worker that does all commands.
const anyCommand = "*"

// checkWork refuses impossible settings of a worker, in the words of the flags.
func checkWork(station, command string, concurrency, prefetch int, how *servedHow) error {
	if err := schema.CheckStation(station); err != nil {
		return usagef("--station %q %w", station, err)
	}
	switch {
	case schema.IsBuiltIn(station):
		return usagef("--station is %s, and stationmaster itself works there: choose another station", station)
	case command == "":
		return usagef("--command is empty; it names one command of the station, or is * for all, as without it")
	case concurrency < 1:
		return usagef("--concurrency is %d; it takes 1 or more", concurrency)
	case prefetch < 0:
		return usagef("--prefetch is %d; it takes 0 or more", prefetch)
	case prefetch > 0 && !how.pull:
		return usagef("--prefetch is how many executions --pull claims ahead: say --pull, too, or leave it out")
	case how.retries < 0:
		return usagef("--retries is %d; it takes 0 or more", how.retries)
	case how.pause < 0:
		return usagef("--retry-delay is %v; it takes 0s or more", how.pause.Round(time.Millisecond))
	}
	return nil
}
