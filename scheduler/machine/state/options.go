package state

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Options are the rarer fields of a definition that running it needs.
type Options struct {
	Jitter    time.Duration
	OnUnknown schema.WhenUnknown
	Settles   bool // a worker's failure settles its occurrence, and does not stop the plan
	Log       schema.LogMode
	Priority  int64
	batch     int64 // how many items an execution delivers; 0: the usual
	Workers   []string
	// workerCount is how many workers of a pull station each occurrence wants; 0: one.
	workerCount int64
}

// Options returns the unusual options of p, or the usual ones.
func (p *Plan) Options() Options {
	if p.Opts != nil {
		return *p.Opts
	}
	return Options{OnUnknown: schema.UnknownRedo, Log: schema.LogFull, Priority: defaultPriority}
}

const defaultPriority = 5

// optionsOf returns the unusual options of a definition; nil: none.
func optionsOf(d *schema.Plan) *Options {
	o := Options{
		Jitter:    d.Jitter.Duration(),
		OnUnknown: d.OnUnknown,
		Settles:   d.OnFailure == schema.FailureSettle,
		Log:       d.Log,
		Priority:  defaultPriority,
		batch:     d.Batch,
		Workers:   d.WorkerIDs,
	}
	if d.WorkerCount > 1 {
		o.workerCount = d.WorkerCount
	}
	if d.Priority != nil {
		o.Priority = *d.Priority
	}
	if o.OnUnknown == "" {
		o.OnUnknown = schema.UnknownRedo
	}
	if o.Log == "" {
		o.Log = schema.LogFull
	}
	if o.Jitter == 0 && !o.Settles && o.OnUnknown == schema.UnknownRedo && o.Log == schema.LogFull &&
		o.Priority == defaultPriority && o.batch == 0 && len(o.Workers) == 0 && o.workerCount == 0 {
		return nil
	}
	return &o
}
