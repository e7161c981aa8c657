package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/bulk"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// mostBulks is how many jobs are under way at a time, because each lists all that matches.
	mostBulks = 2
	// mostKeptBulks is how many jobs are known, those that have ended included.
	mostKeptBulks = 100
	// mostWatchers bounds the streams of jobs.
	mostWatchers = 64
)

var (
	errGone    = errors.New("its asker went before it was told the id")
	errNodeEnd = &schema.Error{Code: schema.CodeUnavailable, Message: "the node that had it was stopped"}
	errToken   = &schema.Error{Code: schema.CodeConflict, Message: "the token that it was asked for with is not accepted any more"}
)

// bulks are the jobs of a node. Each has one goroutine, for which close waits.
type bulks struct {
	client    *client.Client
	pace      *rate.Limiter
	now       func() time.Time
	incidents *incident.Reporter
	log       *slog.Logger

	mu       sync.Mutex
	closed   bool
	jobs     []*bulkJob // the oldest first
	watching int
}

func newBulks(c Config) *bulks {
	return &bulks{client: c.Client, pace: bulk.NewPace(), now: c.Now, incidents: c.Incidents, log: c.Log}
}

// A bulkJob is a job, and who asked for it.
type bulkJob struct {
	id    string
	order *bulk.Order
	job   *bulk.Job
	who   caller
	by    schema.Attribution
	stop  context.CancelCauseFunc

	collected chan struct{} // closed when the names are known, or that they are not
	failed    error         // of collecting; read when collected is closed
	ended     chan struct{} // closed when it has ended
}

// view shows the job.
func (b *bulkJob) view() bulkView {
	return bulkView{
		ID: b.id, Verb: b.order.Verb, Filter: b.order.Filter, Expect: b.order.Expect, Count: b.order.Count, DryRun: b.order.DryRun,
		By: b.by.By, Note: b.by.Note, Progress: b.job.Progress(),
	}
}

// refused is the error for which nothing is done, as far as it is known; nil: none.
func (b *bulkJob) refused() error {
	select {
	case <-b.collected:
		return b.failed
	default:
		return nil
	}
}

// isOver reports whether the job has ended.
func (b *bulkJob) isOver() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}

// begin begins a job, whose requests have the attribution of ctx.
func (b *bulks) begin(ctx context.Context, order *bulk.Order, who identity, by schema.Attribution) (*bulkJob, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errNodeEnd
	}
	running := 0
	for _, one := range b.jobs {
		if !one.isOver() {
			running++
		}
	}
	if running >= mostBulks {
		return nil, refuse(http.StatusServiceUnavailable, schema.CodeUnavailable, "%d jobs are under way, which is as many as a node has at a time; wait for one, or stop it", mostBulks)
	}
	ctx, stop := context.WithCancelCause(ctx)
	one := &bulkJob{
		id: strings.ToLower(schema.NewID()), order: order, job: bulk.New(b.client, b.pace, b.now, order), who: who.caller, by: by, stop: stop,
		collected: make(chan struct{}), ended: make(chan struct{}),
	}
	b.jobs = append(b.jobs, one)
	if i := slices.IndexFunc(b.jobs, (*bulkJob).isOver); len(b.jobs) > mostKeptBulks && i >= 0 {
		b.jobs = slices.Delete(b.jobs, i, i+1)
	}
	go b.carryOut(ctx, one)
	return one, nil
}

// carryOut carries a job out, and ends it.
func (b *bulks) carryOut(ctx context.Context, one *bulkJob) {
	defer close(one.ended)
	defer one.stop(nil)
	fail := func(number string) {
		one.failed = incident.Refusal(number)
		one.job.Fail(one.failed)
	}
	b.incidents.Contain(metrics.AtHTTP, func() { one.failed = one.job.Collect(ctx) }, fail)
	goOn := one.failed == nil && !one.order.DryRun
	close(one.collected)
	if goOn {
		b.incidents.Contain(metrics.AtHTTP, func() { one.job.Run(ctx) }, func(number string) { one.job.Fail(incident.Refusal(number)) })
	}
	p := one.job.Progress()
	b.log.Info("bulk ended", "id", one.id, "verb", one.order.Verb, "by", one.by.By, "state", string(p.State),
		"matched", p.Matched, "done", p.Done, "refused", p.Refused, "left", p.Left)
}

// find returns the job of an id.
func (b *bulks) find(id string) (*bulkJob, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.jobs {
		if one.id == id {
			return one, nil
		}
	}
	return nil, &schema.Error{Code: schema.CodeNotFound, Field: "id", Message: "this node has no bulk job " + clip(id, maxField) + "; the node that began it has it, until it is stopped"}
}

// forget forgets a job, of whose id nobody knows.
func (b *bulks) forget(one *bulkJob) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = slices.DeleteFunc(b.jobs, func(other *bulkJob) bool { return other == one })
}

// keep stops the jobs of those who may not ask for them any more.
func (b *bulks) keep(may func(caller) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.jobs {
		if !may(one.who) {
			one.stop(errToken)
		}
	}
}

// watch counts one more stream; false: there are enough.
func (b *bulks) watch() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.watching == mostWatchers {
		return false
	}
	b.watching++
	return true
}

func (b *bulks) unwatch() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watching--
}

// close stops all jobs, and waits for them.
func (b *bulks) close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	jobs := slices.Clone(b.jobs)
	b.mu.Unlock()
	for _, one := range jobs {
		one.stop(errNodeEnd)
	}
	for _, one := range jobs {
		select {
		case <-one.ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
