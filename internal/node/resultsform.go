package node

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
)

const (
	// formEvery is the interval between two looks at the form of the stream of results.
	formEvery = 2 * time.Second
	// preparedRest is the time that the stream has to have been ready. It lets all servers
	// of a cluster learn of its transform.
	preparedRest = 10 * time.Second
	// forbiddenRest is the pause after a conversion for which the node lacks the rights.
	forbiddenRest = time.Hour
)

// A former converts the stream of results to the wanted form, while leads returns true.
type former struct {
	store   *broker.Store
	want    broker.ResultsForm
	leads   func() bool
	log     *slog.Logger
	metrics *metrics.Set

	logged    string    // the obstacle that was logged last
	ready     time.Time // since when all replicas of the stream are current; zero: they are not
	forbidden time.Time
}

// keepResultsForm watches the form of the stream of results until ctx ends. The leader of
// the first partition converts it, because there is one at most.
func (n *Node) keepResultsForm(ctx context.Context, store *broker.Store, want broker.ResultsForm) {
	f := former{
		store: store, want: want, log: n.log, metrics: n.metrics,
		leads: func() bool { return n.scheduler.Leaders()[0].Node == n.cfg.Node },
	}
	ticks := time.NewTicker(formEvery)
	defer ticks.Stop()
	for {
		f.look(ctx)
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// look converts the stream if the time for it has come. Every failure is tried again.
func (f *former) look(ctx context.Context) {
	if err := f.store.ReadForm(ctx); err != nil {
		return // the last known form stays
	}
	f.note()
	if f.store.ResultsForm() == f.want || !f.leads() || time.Since(f.forbidden) < forbiddenRest {
		return
	}
	if older := f.older(ctx); older != "" {
		f.logObstacle(older)
		return
	}
	prepared, err := f.prepared(ctx)
	switch {
	case err != nil:
	case !prepared:
		f.logObstacle("a replica of it is not current, or was not a moment ago")
		return
	default:
		err = f.store.ConvertResults(ctx, f.want)
	}
	var forbidden *broker.ForbiddenError
	switch {
	case err == nil:
		f.note()
		f.log.Info("the stream of results has another form now", "form", f.want)
	case errors.As(err, &forbidden):
		f.forbidden = time.Now()
		f.log.Warn("the stream of results stays in its form, because nats-server does not let this user change it, or write in the other; give it both rights",
			"form", f.store.ResultsForm(), "publish", f.store.ResultsRights())
	case ctx.Err() == nil:
		f.logObstacle(err.Error())
	}
}

// older returns why not every node can write the wanted form; empty: every node can.
func (f *former) older(ctx context.Context) string {
	if f.want == broker.ResultsPublic {
		return ""
	}
	nodes, err := f.store.Nodes(ctx)
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, r := range nodes {
		if !r.Gone && !slices.Contains(r.Results, f.want.String()) {
			names = append(names, r.Node)
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return "nodes of an older release are there: " + strings.Join(names, ", ")
}

// prepared reports whether all replicas of the stream surely have its transform.
func (f *former) prepared(ctx context.Context) (bool, error) {
	if f.want == broker.ResultsPublic {
		return true, nil
	}
	ready, err := f.store.PrepareResults(ctx)
	if err != nil || !ready {
		f.ready = time.Time{}
		return false, err
	}
	if f.ready.IsZero() {
		f.ready = time.Now()
	}
	return !f.store.Replicated() || time.Since(f.ready) >= preparedRest, nil
}

func (f *former) note() { f.metrics.ResultsOwn(f.store.ResultsForm() == broker.ResultsOwn) }

// logObstacle logs the obstacle to the conversion, once.
func (f *former) logObstacle(why string) {
	if f.logged != why {
		f.logged = why
		f.log.Info("the stream of results is not converted yet", "form", f.want, "because", why)
	}
}
