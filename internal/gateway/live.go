package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

var liveRoutes = []route{
	{
		method: http.MethodGet, path: api + "/events", role: reader, id: "streamEvents",
		summary: "Results and events, live",
		about: "Server-sent events: `result` with a result as data, and `event` with an event. Results have ids, by which a reader that " +
			"comes back goes on where it was (Last-Event-ID); of events only those that happen while it reads are seen. A reader " +
			"that is too slow, or that missed something, gets a `bye` or a `missed`.",
		query: []parameter{
			stationParameter,
			{name: "plan_id", schema: `{"type":"string"}`, about: "This plan."},
			{name: "kind", many: true, schema: `{"type":"array","items":{"type":"string"}}`, about: "These kinds of events, and `result`. Default: all."},
			{name: "state", many: true, schema: `{"type":"array","items":{"type":"string"}}`, about: "Results with these states only."},
			{name: "summary", schema: `{"type":"string","enum":["1s"]}`, about: "A summary of each second. Default: each item."},
			{name: "sample", schema: `{"type":"integer","minimum":0,"maximum":100,"default":20}`, about: "How many items a summary has at most. Together they have at most 256 KiB."},
		},
		stream: streamEvents,
	},
	{
		method: http.MethodGet, path: "/openapi.json", role: anyone, id: "getDocument", summary: "This document",
		result: "Document", serve: getDocument, atHand: true,
	},
}

// A filter selects the items of one reader.
type filter struct {
	station string
	planID  string
	kinds   []string
	states  []string
}

var (
	kinds  = kindsOfItems()
	states = []string{"ok", "error", "failure", "timeout", "skipped", "cancelled"}
)

func kindsOfItems() []string {
	all := []string{kindResult}
	for _, k := range schema.NoticeKinds {
		all = append(all, string(k))
	}
	return all
}

func readFilter(q *request) (f filter, err error) {
	f.station, f.planID = q.query.Get("station"), q.query.Get("plan_id")
	f.kinds, f.states = split(q.query["kind"]), split(q.query["state"])
	if f.station != "" {
		if err := schema.CheckStation(strings.TrimSuffix(f.station, ".>")); err != nil {
			return f, invalid("station", "%v", err)
		}
	}
	if f.planID != "" {
		if err := schema.CheckID(f.planID); err != nil {
			return f, invalid("plan_id", "%v", err)
		}
	}
	for _, word := range f.kinds {
		if !slices.Contains(kinds, word) {
			return f, invalid("kind", "is %q; it takes %s", word, strings.Join(kinds, ", "))
		}
	}
	for _, word := range f.states {
		if !slices.Contains(states, word) {
			return f, invalid("state", "is %q; it takes %s", word, strings.Join(states, ", "))
		}
	}
	return f, nil
}

func (f *filter) wants(it *item) bool {
	if prefix, many := strings.CutSuffix(f.station, ".>"); many {
		if !strings.HasPrefix(it.station, prefix+".") {
			return false
		}
	} else if f.station != "" && it.station != f.station {
		return false
	}
	switch {
	case f.planID != "" && it.planID != f.planID:
		return false
	case len(f.kinds) > 0 && !slices.Contains(f.kinds, it.kind):
		return false
	case len(f.states) > 0 && it.kind == kindResult:
		return slices.Contains(f.states, string(it.state))
	}
	return true
}

// streamWrite bounds the time for one write to a reader.
const streamWrite = 10 * time.Second

// A stream writes server-sent events to one reader.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer events
	s := &stream{w, http.NewResponseController(w)}
	_ = s.control.SetReadDeadline(time.Time{})
	return s
}

// write writes some lines and flushes them.
func (s *stream) write(format string, args ...any) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(streamWrite))
	if _, err := fmt.Fprintf(s.w, format, args...); err != nil {
		return err
	}
	return s.control.Flush()
}

func (s *stream) show(it *item) error {
	if it.seq == 0 {
		return s.write("event: event\ndata: %s\n\n", it.data)
	}
	return s.write("id: %d\nevent: result\ndata: %s\n\n", it.seq, it.data)
}

func streamEvents(g *Gateway, q *request, who caller, w http.ResponseWriter) error {
	f, err := readFilter(q)
	if err != nil {
		return err
	}
	if q.query.Has("summary") || q.query.Has("sample") {
		return streamSummaries(g, q, who, w, f)
	}
	var after uint64
	resumed := q.Header.Get("Last-Event-ID")
	if resumed != "" {
		if after, err = strconv.ParseUint(resumed, 10, 64); err != nil {
			return invalid("Last-Event-ID", "is %q; it takes the id of a result", resumed)
		}
	}
	reading, err := g.live.join(q.Context(), who)
	if err != nil {
		return err
	}
	defer g.live.leave(reading)
	defer g.config.Metrics.Streaming()()
	s := newStream(w)
	if s.write("retry: 2000\n\n") != nil || q.Method == http.MethodHead {
		return nil // the reader is gone
	}
	if resumed != "" && g.replay(q.Context(), s, &f, client.KeptRange{After: after, UpTo: reading.from}) != nil {
		return nil
	}
	g.pump(q.Context(), s, &f, reading)
	return nil
}

// replay sends the results that a reader has missed since its last id. An error means that
// the stream cannot go on.
func (g *Gateway) replay(ctx context.Context, s *stream, f *filter, missed client.KeptRange) error {
	if missed.After == missed.UpTo {
		return nil
	}
	for kept, err := range g.client.Results().Kept(ctx, missed) {
		switch {
		case errors.Is(err, client.ErrMissed):
			err = s.write("event: missed\ndata: {\"reason\":\"some results are not kept any more\"}\n\n")
		case errors.Is(err, client.ErrUnreadable): // a reader that comes back would meet it again
			g.config.Log.Warn("live stream", "error", err)
			err = nil
		case err != nil:
			g.config.Log.Warn("live stream", "error", err)
			_ = s.write("event: bye\ndata: {\"reason\":\"the results cannot be read at the moment\"}\n\n")
		default:
			if it := resultItem(kept); it != nil && f.wants(it) {
				err = s.show(it)
			}
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// pump sends items until the reader goes or is dropped.
func (g *Gateway) pump(ctx context.Context, s *stream, f *filter, reading *subscriber) {
	beat := time.NewTicker(g.config.Heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case it := <-reading.items:
			if f.wants(it) {
				err = s.show(it)
			}
		case <-beat.C:
			err = s.write(": heartbeat\n\n")
		case <-reading.gone:
			_ = s.write("event: bye\ndata: {\"reason\":%q}\n\n", reading.why)
			return
		case <-ctx.Done():
			return
		}
		if err != nil {
			return // the reader is gone
		}
	}
}
