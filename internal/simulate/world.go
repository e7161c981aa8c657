package simulate

import (
	"context"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// batchBytes is the capacity of a batch, as of a node whose server takes a megabyte.
	batchBytes = 1 << 20
	// resetFrom is the size from which a batch counts as durable, and the next one begins.
	resetFrom = 64 << 10
	// lookUp is how many steps pass between two looks at the context.
	lookUp = 4096
)

// A world is a machine that leads, its workers, and the virtual time.
type world struct {
	options Options
	chooser chooser
	machine *machine.Machine
	batch   *batch.Batch
	epoch   int64
	now     int64 // Unix microseconds
	from    int64 // from when results count
	until   int64 // nothing begins from then on
	started int64 // when the first machine began to lead

	plans     map[schema.PlanName]*plan
	stations  map[string]*station
	names     []string   // of the stations, in the order of their entry
	votes     []*station // those of kind vote
	arrivals  arrivals
	inFlight  int // executions that have not ended
	executed  int64
	skips     int64 // results of skipped occurrences
	cut       bool
	down      bool                  // no scheduler acts
	held      bool                  // nothing begins any more
	captured  []event.ReplyReceived // while no scheduler acts
	bucket    map[string][]byte     // the machine's rows, while there are outages to come
	answer    answer
	stepping  bool          // an event is being stepped
	following []event.Event // to be stepped then
	result    Result        // the one that is published
	outage    *outage       // the last one that has begun; nil: none has
	tally     *tally
	sink      Sink
	err       error
	steps     int
	more      bool // rows are left that the bucket lacks
	zones     zones
	calendars exclude.Set // as the machine has them, for notes
	effects   effects
}

// A plan is a plan of the world, also after its end.
type plan struct {
	name       schema.PlanName
	salt       uint64
	definition *schema.Plan
	schedule   calendar.Schedule
	station    *station
	durations  durations
	open       map[int64]*execution
	newest     int64        // the newest occurrence that was sent
	last       calendar.Due // the newest one that was sent or skipped
	lastEnd    int64        // when an execution of it ended last
	counts     *PlanCounts
	digest     uint64 // of its results
	notes      map[schema.NoteKind]*Note
	special    bool         // its occurrences may have notes
	seen       calendar.Due // the newest occurrence that was looked at for notes
}

// Run simulates a source. An [InputError] is one of the source.
func Run(ctx context.Context, source *Source, options Options, sink Sink) (*Report, error) {
	w, err := begin(ctx, source, options, sink)
	if err != nil {
		return nil, err
	}
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	w.changes()
	return w.report(), nil
}

// begin returns a world of the source whose time has passed until the begin of the simulation.
func begin(ctx context.Context, source *Source, options Options, sink Sink) (*world, error) {
	w := newWorld(source, options, sink)
	if err := w.load(source); err != nil {
		return nil, err
	}
	if w.pass(ctx, w.from); w.err == nil {
		w.err = w.change(source)
	}
	return w, w.err
}

func newWorld(source *Source, options Options, sink Sink) *world {
	if options.Limit == 0 {
		options.Limit = DefaultLimit
	}
	if sink == nil {
		sink = func(*Result) error { return nil }
	}
	w := &world{
		options: options, sink: sink,
		chooser:  chooser{options.Take, options.Seed, options.Fail},
		batch:    batch.New(batchBytes),
		from:     options.From.UnixMicro(),
		until:    options.Until.UnixMicro(),
		plans:    map[schema.PlanName]*plan{},
		stations: map[string]*station{},
		tally:    newTally(options),
		effects:  effects{},
	}
	w.now = w.from
	if !source.At.IsZero() {
		w.now = min(w.now, source.At.UnixMicro())
	}
	w.started = w.now
	w.zones = newZones(options.From, options.Until)
	w.batch.Reset(1)
	w.machine = w.newMachine()
	w.lead()
	return w
}

func (w *world) newMachine() *machine.Machine {
	config := machine.Config{
		Defaults: schema.Defaults{ExecTimeout: 60 * time.Second, StartTimeout: 30 * time.Second},
		Large:    schema.MaxDefinitionBytes + 1, // nothing is evicted, because there is no bucket to fetch it from
	}
	for i := range 8 {
		config.Key[i] = byte(w.options.Seed >> (8 * i))
	}
	return machine.New(config)
}

// lead has the machine act from now on. All replies are known, because none gets lost here.
func (w *world) lead() {
	w.epoch++
	w.machine.Lead(w.time(), w.epoch, time.UnixMicro(w.started).Add(-time.Hour))
}

func (w *world) time() time.Time { return time.UnixMicro(w.now).UTC() }

// run lets time pass until the end.
func (w *world) run(ctx context.Context) error {
	w.passOutages(ctx)
	return w.finish(ctx)
}

// finish lets time pass until the end, and until no execution is under way.
func (w *world) finish(ctx context.Context) error {
	if w.pass(ctx, w.until); w.err != nil || w.cut {
		return w.err
	}
	w.end()
	w.pass(ctx, never)
	return w.err
}

// end has nothing begin any more. Paused plans are resumed, because the rest of their skips is
// reported then; excluded occurrences are reported without the machine, which waits for the end of
// the exclusion.
func (w *world) end() {
	w.machine.Hold(true)
	w.held = true
	w.now = w.until - 1
	for _, p := range w.inOrder() {
		answer, _ := w.ask(command.GetPlan{Name: p.name}) // an error: it has closed
		view, is := answer.(command.PlanView)
		if !is {
			continue
		}
		p.noteStop(&view.State)
		if view.State.Status != schema.StatusPaused {
			continue
		}
		if _, err := w.ask(command.ResumePlan{Name: p.name}); err != nil {
			w.err = err
			return
		}
	}
	w.skipRest()
}

// never is a moment that does not come.
const never = 1<<63 - 1

// pass lets time pass up to a moment, which itself is left; never: until no execution is under
// way.
func (w *world) pass(ctx context.Context, to int64) {
	for w.err == nil && !w.cut && (to != never || w.inFlight > 0) {
		if w.steps++; w.steps%lookUp == 0 && ctx.Err() != nil {
			w.err = context.Cause(ctx)
			return
		}
		due, arrives := w.wake(), w.arrivals.next()
		switch {
		case due != 0 && due < to && (arrives == 0 || due <= arrives):
			// Due times go first, because a reply takes a moment more than its execution.
			w.now = max(w.now, due)
			w.tick()
		case arrives != 0 && arrives < to:
			w.now = max(w.now, arrives)
			w.arrive(w.arrivals.pop())
		default:
			if to == never {
				return // nothing comes that would end the executions, such as those without a timeout
			}
			w.now = to
			return
		}
	}
}

// wake is when the machine has something to do; 0: never, or no scheduler acts.
func (w *world) wake() int64 {
	if w.down {
		return 0
	}
	if w.machine.AwaitsReplies() && w.arrivalsPassed() {
		return w.now
	}
	at := w.machine.Wake()
	if at.IsZero() {
		return 0
	}
	return max(at.UnixMicro(), 1)
}

// arrivalsPassed reports that all replies up to now were stepped.
func (w *world) arrivalsPassed() bool { return w.arrivals.next() == 0 || w.arrivals.next() > w.now }
