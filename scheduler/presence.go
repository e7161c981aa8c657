package scheduler

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// maxPresence bounds a worker's record, maxServed the stations that are read
	// of it, maxVersion its version.
	maxPresence = 64 << 10
	maxServed   = 256
	maxVersion  = 128
	// presentAtFirst bounds the records that are read when a leader begins. Those
	// beyond it are seen when they are put again, some seconds later.
	presentAtFirst = 10_000
	// presentWithin bounds how long that may take: executions wait for it.
	presentWithin = time.Second
)

// presence handles a change of bucket workers.
func (l *leader) presence(m *nats.Msg) {
	id, ok := strings.CutPrefix(m.Subject, strings.TrimSuffix(l.config.Space.Presence(), ">"))
	if !ok || schema.CheckID(id) != nil {
		return
	}
	ev := machine.Seen{Worker: schema.Worker{WorkerID: id}, Gone: true}
	if !broker.IsRemoval(m.Header) {
		ev.Gone = false
		if ev.Worker, ok = parsePresence(id, m.Data); !ok {
			return
		}
	}
	select {
	case l.events <- ev:
	case <-l.gone:
	}
}

var errEnoughWorkers = errors.New("enough workers were read")

// present reads who was there before the subscription was. What comes in since then
// is newer, and is stepped later.
func (l *leader) present(ctx context.Context) error {
	brief, cancel := context.WithTimeout(ctx, presentWithin)
	defer cancel()
	read := 0
	err := l.config.Store.Workers().Scan(brief, 0, func(id string, value []byte, _ uint64) error {
		if read++; read > presentAtFirst {
			return errEnoughWorkers
		}
		if w, ok := parsePresence(id, value); ok {
			l.after.add(machine.Seen{Worker: w})
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnoughWorkers) {
		// A leader without it learns it within some seconds.
		l.log.Warn("the bucket of workers could not be read", "error", err)
	}
	return ctx.Err()
}

// parsePresence reads the record of the worker that a key names. Anyone who may
// write the bucket may write nonsense: that is nobody's record.
func parsePresence(id string, value []byte) (w schema.Worker, ok bool) {
	v, err := wire.Scan(value, wire.Limits{Bytes: maxPresence})
	if err != nil || schema.CheckID(id) != nil {
		return w, false
	}
	if err := wire.DecodeLoose(v, &w); err != nil || w.WorkerID != "" && w.WorkerID != id {
		return w, false
	}
	w.WorkerID = id
	w.Load = max(w.Load, 0)
	if len(w.Version) > maxVersion {
		w.Version = strings.ToValidUTF8(w.Version[:maxVersion], "")
	}
	w.Stations = slices.DeleteFunc(w.Stations, func(s string) bool {
		return schema.CheckStation(strings.TrimSuffix(s, ".>")) != nil
	})
	slices.Sort(w.Stations)
	w.Stations = slices.Compact(w.Stations)
	w.Stations = slices.Clip(w.Stations[:min(len(w.Stations), maxServed)])
	return w, len(w.Stations) > 0
}
