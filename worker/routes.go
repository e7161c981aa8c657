package worker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Handler does the work of one execution. What it returns becomes the content
// of the result, in the encoding of the plan: any value that package schema/wire
// can encode ([]byte is binary, json.RawMessage and wire.Value are passed on as
// they are, nil is no content) but an error: `return err, nil` is taken for the mistake
// that it is, and makes the result an `error`, and so is a text that is not UTF-8, which would
// arrive as another. An error makes the result an `error`, to be
// retried under the plan's policy; see [Retries], [RetryAfter], [NonRetryable] and [StopPlan]. A content
// that comes with an error is sent too. A panic is an `error`.
//
// The context ends when the execution should stop, with a cause that says why:
// [ErrCancelled], [ErrStopping] or [ErrDeadline].
type Handler func(ctx context.Context, x *Execution) (any, error)

// A HandleOption changes how a handler, or the station of it, is served.
type HandleOption func(*serving)

// serving is what the options of one call of Handle say.
type serving struct {
	fanout bool
	pull   *Filter // nil: executions are pushed
	again  again
}

// Fanout subscribes to the station without a queue group: this worker gets every
// execution, not its share of them. It is for stations of kind `vote` and `pub`,
// and holds for all handlers of the station. A vote waits for all workers that are
// present at its station: one that serves it without Fanout, as one of a group,
// would keep it waiting until its deadline.
func Fanout() HandleOption {
	return func(s *serving) { s.fanout = true }
}

// Pull is for stations of kind `pull`: the worker claims executions whenever it has
// room for them, by [Options.Concurrency] and [Options.Prefetch]. It holds for all
// handlers of the station. The handlers are the same as for pushed executions.
func Pull(only Filter) HandleOption {
	return func(s *serving) { s.pull = &only }
}

// A Filter narrows a claim to the plans that say the same; what is empty matches all.
type Filter struct {
	TenantID string
	Category string
	Caller   string
	Labels   map[string]string // all of them must match
}

// Retries runs the handler again, here, when it returns an error: up to n times, each
// after a pause. Only what the last of them returns is reported; meanwhile the worker
// goes on saying that it works. [NonRetryable], [StopPlan], [RetryAfter], [CompleteLater] and the end of the
// context are final at once. A panic is an error like others.
func Retries(n int, pause time.Duration) HandleOption {
	return func(s *serving) { s.again = again{max(n, 0), max(pause, 0)} }
}

// again is how often, and after which pause, a handler is run once more.
type again struct {
	times int
	pause time.Duration
}

// A station is what this worker serves under one name, or under all names that
// begin with one ("callback.>").
type station struct {
	name     string // as given to Handle
	fanout   bool
	pull     *Filter
	commands map[string]*action // "*": any command
}

// An action is what one command of a station does.
type action struct {
	handler Handler
	again   again
}

const (
	anyCommand = "*"
	below      = ".>" // ends a station name that stands for all names below it
)

// routes finds the handler of an execution.
type routes struct {
	stations map[string]*station
}

// add panics on what only a programmer can get wrong.
func (r *routes) add(name, command string, h Handler, opts []HandleOption) {
	if err := schema.CheckStation(strings.TrimSuffix(name, below)); err != nil {
		panic(fmt.Sprintf("worker: station %q: %v", name, err))
	}
	if h == nil {
		panic(fmt.Sprintf("worker: no handler for %q of station %q", command, name))
	}
	if command == "" {
		command = anyCommand
	}
	var how serving
	for _, opt := range opts {
		opt(&how)
	}
	if how.pull != nil && (how.fanout || strings.HasSuffix(name, below)) {
		panic(fmt.Sprintf("worker: station %q: what is claimed is of one station, and for one worker", name))
	}
	s := r.stations[name]
	if s == nil {
		s = &station{name: name, fanout: how.fanout, pull: how.pull, commands: map[string]*action{}}
	}
	if s.fanout != how.fanout || !s.pull.same(how.pull) {
		panic(fmt.Sprintf("worker: the handlers of station %q do not agree on Fanout or Pull", name))
	}
	if s.commands[command] != nil {
		panic(fmt.Sprintf("worker: a second handler for %q of station %q", command, name))
	}
	s.commands[command] = &action{h, how.again}
	r.stations[name] = s
}

// same reports whether two filters, or none, claim the same.
func (f *Filter) same(other *Filter) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.TenantID == other.TenantID && f.Category == other.Category && f.Caller == other.Caller &&
		maps.Equal(f.Labels, other.Labels)
}

// station returns what serves name: the station itself, else the longest one
// that it lies below; nil when there is none.
func (r *routes) station(name string) *station {
	if s := r.stations[name]; s != nil {
		return s
	}
	for dot := strings.LastIndexByte(name, '.'); dot >= 0; dot = strings.LastIndexByte(name, '.') {
		name = name[:dot]
		if s := r.stations[name+below]; s != nil {
			return s
		}
	}
	return nil
}

// action returns that of a command, nil when the station knows it not.
func (s *station) action(command string) *action {
	if a := s.commands[command]; a != nil {
		return a
	}
	return s.commands[anyCommand]
}

// names lists the stations, sorted.
func (r *routes) names() []string {
	names := make([]string, 0, len(r.stations))
	for name := range r.stations {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
