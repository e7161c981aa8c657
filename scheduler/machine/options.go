package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// options are the rarer fields of a definition that running it asks for.
type options struct {
	jitter    time.Duration
	onUnknown schema.WhenUnknown
	settles   bool // a worker's failure settles its occurrence, and does not stop the plan
	log       schema.LogMode
	priority  int64
	batch     int64 // how many items an execution hands over; 0: the usual
	workers   []string
	// workerCount is how many workers of a pull station each occurrence wants; 0: one.
	workerCount int64
}

// options returns what is unusual about p, or the usual.
func (p *plan) options() options {
	if p.opts != nil {
		return *p.opts
	}
	return options{onUnknown: schema.UnknownRedo, log: schema.LogFull, priority: defaultPriority}
}

const defaultPriority = 5

// optionsOf returns what a definition says that is unusual; nil: nothing.
func optionsOf(d *schema.Plan) *options {
	o := options{
		jitter:    d.Jitter.Duration(),
		onUnknown: d.OnUnknown,
		settles:   d.OnFailure == schema.FailureSettle,
		log:       d.Log,
		priority:  defaultPriority,
		batch:     d.Batch,
		workers:   d.WorkerIDs,
	}
	if d.WorkerCount > 1 {
		o.workerCount = d.WorkerCount
	}
	if d.Priority != nil {
		o.priority = *d.Priority
	}
	if o.onUnknown == "" {
		o.onUnknown = schema.UnknownRedo
	}
	if o.log == "" {
		o.log = schema.LogFull
	}
	if o.jitter == 0 && !o.settles && o.onUnknown == schema.UnknownRedo && o.log == schema.LogFull &&
		o.priority == defaultPriority && o.batch == 0 && len(o.workers) == 0 && o.workerCount == 0 {
		return nil
	}
	return &o
}
