package worker

import (
	"fmt"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A StationOption changes how a worker serves a station; it holds for all handlers there.
type StationOption func(*Station)

// Fanout subscribes to the station without a queue group, so that this worker gets every
// execution and not its share of them. It is for stations of kind `vote` and `pub`. A vote
// waits for all workers that are present at its station, so that one that serves it without
// Fanout, as one of a group, would keep it waiting until its deadline.
func Fanout() StationOption {
	return func(s *Station) { s.fanout = true }
}

// Pull is for stations of kind `pull`: the worker claims executions whenever it has room for
// them, by [Options.Concurrency] and [Options.Prefetch]; only narrows the claims, and its
// zero value takes all. The handlers are the same as for pushed executions.
func Pull(only Filter) StationOption {
	return func(s *Station) { s.pull = &only }
}

// A Filter narrows claims to the plans that have all of these values.
type Filter struct {
	// TenantID is the plan's tenant_id. Empty: any.
	TenantID string
	// Category is the plan's category. Empty: any.
	Category string
	// Caller is the plan's caller. Empty: any.
	Caller string
	// Labels are labels that the plan has, each with its value; it may have more. Nil: any.
	Labels map[string]string
}

// A Station is one that a worker serves, or all stations below a name that ends in ".>"; see
// [Worker.Station].
type Station struct {
	worker   *Worker
	name     string
	fanout   bool
	pull     *Filter            // nil: executions are pushed
	commands map[string]*action // by command; anyCommand for all that have none
}

// Station returns the station of that name, which the worker serves once it has a handler
// there. A name that ends in ".>" stands for all stations below it, but for those that have
// an entry, or a longer prefix, of their own. Options are given with the first call for a
// name, because they hold for all handlers of the station; later calls without options
// return the same station. Station panics on mistakes of the program, which its input does
// not cause: a name that is no station's, options that contradict each other or come too
// late, and any call after [Worker.Start].
func (w *Worker) Station(name string, opts ...StationOption) *Station {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mustNotRun("Station")
	if s := w.routes.stations[name]; s != nil {
		if len(opts) > 0 {
			panic(fmt.Sprintf("worker: station %q: its options came before: give them with the first call", name))
		}
		return s
	}
	if err := schema.CheckStation(strings.TrimSuffix(name, below)); err != nil {
		panic(fmt.Sprintf("worker: station %q: %v", name, err))
	}
	s := &Station{worker: w, name: name, commands: map[string]*action{}}
	for _, opt := range opts {
		opt(s)
	}
	if s.pull != nil && (s.fanout || strings.HasSuffix(name, below)) {
		panic(fmt.Sprintf("worker: station %q: Pull claims for one station, and for one worker", name))
	}
	w.routes.stations[name] = s
	return s
}

// Handle makes h the handler of one command at the station; the command "*" or "" is any
// that has no handler of its own. An execution of a command without a handler ends with an
// error. A scheduler sends it to any worker of the station, so that all of them should have
// handlers for the same commands. Handle panics on mistakes of the program: a nil handler, a
// second one for the command, and a call after [Worker.Start].
func (s *Station) Handle(command string, h Handler, opts ...HandleOption) {
	s.worker.mu.Lock()
	defer s.worker.mu.Unlock()
	s.worker.mustNotRun("Handle")
	if command == "" {
		command = anyCommand
	}
	switch {
	case h == nil:
		panic(fmt.Sprintf("worker: no handler for %q of station %q", command, s.name))
	case s.commands[command] != nil:
		panic(fmt.Sprintf("worker: a second handler for %q of station %q", command, s.name))
	}
	a := &action{handler: h}
	for _, opt := range opts {
		opt(a)
	}
	s.commands[command] = a
}

// Handle is [Worker.Station], without options, and [Station.Handle].
func (w *Worker) Handle(station, command string, h Handler, opts ...HandleOption) {
	w.Station(station).Handle(command, h, opts...)
}

// mustNotRun panics after Start, with the name of the method that came too late. The caller
// holds mu.
func (w *Worker) mustNotRun(method string) {
	if w.started {
		panic("worker: " + method + " after Start")
	}
}

// action returns the one of a command, nil without a handler for it.
func (s *Station) action(command string) *action {
	if a := s.commands[command]; a != nil {
		return a
	}
	return s.commands[anyCommand]
}
