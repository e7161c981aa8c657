package listen

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// maxPresence bounds a worker's record, in bytes, and maxVersion its version, host and library; maxHere
	// bounds its message at one station.
	maxPresence = 64 << 10
	maxHere     = 4 << 10
	maxVersion  = 128
	// presentAtFirst bounds the records that are read when a leader begins. Those
	// beyond it are seen when they are put again, some seconds later.
	presentAtFirst = 10_000
	// presentWithin bounds how long that may take, because executions wait for it.
	presentWithin = time.Second
)

// headerReceived marks the records that a leader writes from presence messages. Other leaders
// have received these messages as well, and the next ones may be on their way to them already.
const headerReceived = "Plan-Heard"

// here handles the presence message of a worker at one station.
func (l *Listener) here(m *nats.Msg) {
	id, station, ok := l.config.Space.ParseHere(m.Subject)
	if !ok {
		return
	}
	var message schema.Here
	if len(m.Data) > 0 {
		v, err := wire.Scan(m.Data, wire.Limits{Bytes: maxHere})
		if err != nil || wire.DecodeLoose(v, &message) != nil {
			return
		}
	}
	l.config.Epochs(id, station, message.Epochs)
	l.offer(event.StationPresence{
		Worker: schema.Worker{
			WorkerID: id, Version: short(message.Version), Load: max(message.Load, 0), WorkerBuild: shortBuild(message.WorkerBuild),
		},
		Station: station,
		Gone:    message.Gone,
	})
}

// Record writes the record of a worker to the bucket. It does not wait for the answer, because
// the next record comes in some seconds.
func (l *Listener) Record(w schema.Worker) {
	bucket := l.config.Store.Workers()
	msg := bucket.Unset(w.WorkerID)
	if len(w.Stations) > 0 {
		body, err := wire.Marshal(wire.JSON, w)
		if err != nil {
			l.config.Log.Error("the record of a worker cannot be written", "worker_id", w.WorkerID, "error", err)
			return
		}
		msg = bucket.Set(w.WorkerID, body)
		msg.Header = maps.Clone(msg.Header)
	}
	msg.Header.Set(headerReceived, l.config.Node)
	if err := l.config.Dispatch.PublishMsg(msg); err != nil {
		l.config.Log.Debug("the record of a worker was not written", "worker_id", w.WorkerID, "error", err)
	}
}

// presence handles a change of bucket workers.
func (l *Listener) presence(m *nats.Msg) {
	if m.Header.Get(headerReceived) != "" {
		return
	}
	id, ok := strings.CutPrefix(m.Subject, strings.TrimSuffix(storage.Presence(l.config.Space), ">"))
	if !ok || schema.CheckID(id) != nil {
		return
	}
	ev := event.WorkerSeen{Worker: schema.Worker{WorkerID: id}, Gone: true}
	if !broker.IsRemoval(m.Header) {
		ev.Gone = false
		if ev.Worker, ok = parsePresence(id, m.Data); !ok {
			return
		}
	}
	l.offer(ev)
}

var errEnoughWorkers = errors.New("enough workers were read")

// present reads the workers that were there before the subscription. Records that have come
// since then are newer, and are stepped later.
func (l *Listener) present(ctx context.Context) error {
	brief, cancel := context.WithTimeout(ctx, presentWithin)
	defer cancel()
	read := 0
	err := l.config.Store.Workers().Scan(brief, 0, func(id string, value []byte, _ uint64) error {
		if read++; read > presentAtFirst {
			return errEnoughWorkers
		}
		if w, ok := parsePresence(id, value); ok {
			l.config.Captured(event.WorkerSeen{Worker: w})
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnoughWorkers) {
		// A leader without it learns it within some seconds.
		l.config.Log.Warn("the bucket of workers could not be read", "error", err)
	}
	return ctx.Err()
}

// short cuts a word of a worker's record to a bounded length.
func short(v string) string {
	if len(v) > maxVersion {
		return strings.ToValidUTF8(v[:maxVersion], "")
	}
	return v
}

func shortBuild(b schema.WorkerBuild) schema.WorkerBuild {
	b.Host, b.Library = short(b.Host), short(b.Library)
	return b
}

// parsePresence reads the record of the worker that a key names; false for an invalid one,
// since any client with permission to write the bucket may put it there.
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
	w.Version, w.WorkerBuild = short(w.Version), shortBuild(w.WorkerBuild)
	w.Stations = slices.DeleteFunc(w.Stations, func(s string) bool {
		return schema.CheckStation(strings.TrimSuffix(s, ".>")) != nil
	})
	slices.Sort(w.Stations)
	w.Stations = slices.Compact(w.Stations)
	w.Stations = slices.Clip(w.Stations[:min(len(w.Stations), machine.MaxServed)])
	return w, len(w.Stations) > 0
}
