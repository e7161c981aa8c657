package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Handler does the work of one execution. What it returns becomes the content
// of the result, in the encoding of the plan: any value that package schema/wire
// can encode ([]byte is binary, json.RawMessage and wire.Value are passed on as
// they are, nil is no content). An error makes the result an `error`, to be
// retried under the plan's policy; see [RetryAfter] and [Fail]. A content that
// comes with an error is sent too. A panic is an `error`.
//
// The context ends when the execution should stop, with a cause that says why:
// [ErrCancelled], [ErrStopping] or [ErrDeadline].
type Handler func(ctx context.Context, x *Execution) (any, error)

// A HandleOption changes how the station of a handler is served.
type HandleOption func(*station)

// Fanout subscribes to the station without a queue group: this worker gets every
// execution, not its share of them. It is for stations of kind `vote` and `pub`,
// and holds for all handlers of the station. A vote waits for all workers whose
// records name its station: one that serves it without Fanout, as one of a group,
// would keep it waiting until its deadline.
func Fanout() HandleOption {
	return func(s *station) { s.fanout = true }
}

// A station is what this worker serves under one name, or under all names that
// begin with one ("callback.>").
type station struct {
	name     string // as given to Handle
	fanout   bool
	commands map[string]Handler // "*": any command
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
	s := &station{name: name, commands: map[string]Handler{}}
	for _, opt := range opts {
		opt(s)
	}
	if known := r.stations[name]; known != nil {
		if known.fanout != s.fanout {
			panic(fmt.Sprintf("worker: the handlers of station %q do not agree on Fanout", name))
		}
		s = known
	}
	if s.commands[command] != nil {
		panic(fmt.Sprintf("worker: a second handler for %q of station %q", command, name))
	}
	s.commands[command] = h
	r.stations[name] = s
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

// handler returns the one for a command, nil when the station knows it not.
func (s *station) handler(command string) Handler {
	if h := s.commands[command]; h != nil {
		return h
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
