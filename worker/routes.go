package worker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	anyCommand = "*"
	below      = ".>" // ends a station name that stands for all names below it
)

// routes finds the handler of an execution.
type routes struct {
	stations map[string]*Station
}

// check fails when a handler is missing.
func (r *routes) check() error {
	if len(r.stations) == 0 {
		return errors.New("it has no handlers")
	}
	for _, name := range r.names() {
		if len(r.stations[name].commands) == 0 {
			return fmt.Errorf("station %q has no handlers", name)
		}
	}
	return nil
}

// station returns the station that serves a name, which is its own entry, else that of the
// longest prefix; nil without either.
func (r *routes) station(name string) *Station {
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

// names lists the stations, sorted.
func (r *routes) names() []string {
	names := make([]string, 0, len(r.stations))
	for name := range r.stations {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
