package storing

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// definitions is the cache of large definitions: it reads those back from the bucket that the
// machine does not keep. The callers that wait for one definition go on in the order of their
// requests.
type definitions struct {
	bucket  *broker.Table
	report  func(...event.Event)
	beside  func(f func(context.Context), otherwise func(number string))
	readers *semaphore.Weighted // one for each read under way

	mu      sync.Mutex
	waiting map[schema.PlanName][]awaited
}

// awaited is a definition that has a waiting caller since a moment.
type awaited struct {
	event.Fetch
	since time.Time
}

func newDefinitions(bucket *broker.Table, report func(...event.Event), beside func(func(context.Context), func(string))) *definitions {
	return &definitions{
		bucket: bucket, report: report, beside: beside, readers: semaphore.NewWeighted(readersAtMost),
		waiting: map[schema.PlanName][]awaited{},
	}
}

// fetch has a definition read, unless it is being read already.
func (d *definitions) fetch(e event.Fetch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting[e.Name] = append(d.waiting[e.Name], awaited{e, time.Now()})
	if len(d.waiting[e.Name]) == 1 {
		d.beside(func(ctx context.Context) { d.run(ctx, e.Name) }, func(string) {
			d.serve(e.Name, nil, time.Now()) // no reader is left, so that it is as good as lost
		})
	}
}

// run reads until no caller waits for the plan's definition. A definition that is missing for too
// long is lost.
func (d *definitions) run(ctx context.Context, name schema.PlanName) {
	looks := protocol.NewSearch(time.Now())
	for {
		raw, err := d.read(ctx, name)
		lost := time.Time{}
		if looks.Over(time.Now(), true, err != nil) && err == nil {
			lost = looks.Since()
			looks = protocol.NewSearch(time.Now())
		}
		if d.serve(name, raw, lost) {
			return
		}
		if lookLater(ctx) != nil {
			return
		}
	}
}

// read returns the row of a plan; nil when there is none.
func (d *definitions) read(ctx context.Context, name schema.PlanName) ([]byte, error) {
	if d.readers.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer d.readers.Release(1)
	raw, _, err := d.bucket.Get(ctx, storage.PlanKey(name.Station, name.PlanID))
	if errors.Is(err, broker.ErrNotFound) {
		return nil, nil
	}
	return raw, err
}

// serve hands raw to the callers that want it. Others, which wait since lost or longer, get the
// answer that their definition is missing. It reports whether no caller is left.
func (d *definitions) serve(name schema.PlanName, raw []byte, lost time.Time) (all bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var events []event.Event
	var left []awaited
	for _, e := range d.waiting[name] {
		switch {
		case e.Want.Of(raw):
			events = append(events, event.Fetched{Fetch: e.Fetch, Raw: raw})
		case !e.since.After(lost):
			events = append(events, event.Fetched{Fetch: e.Fetch})
		default:
			left = append(left, e)
		}
	}
	d.report(events...)
	if d.waiting[name] = left; len(left) == 0 {
		delete(d.waiting, name)
	}
	return len(left) == 0
}
