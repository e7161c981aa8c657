package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A happening is one result or event, as summaries count it. It is encoded only where it is shown.
type happening struct {
	item
	reason schema.Reason // of a skip
	count  int64         // the occurrences that are skipped
	of     any           // the result or the event
}

func happenedResult(r *schema.Result) *happening {
	return &happening{
		item:   item{kind: kindResult, station: r.Station, planID: r.PlanID, state: r.State},
		reason: r.Reason, count: max(r.Count, 1), of: r,
	}
}

func happenedEvent(n *schema.Notice) *happening {
	return &happening{item: item{kind: string(n.Kind), station: n.Station, planID: n.PlanID}, of: n}
}

const (
	mostStations  = 20    // that a summary has
	mostCounted   = 2000  // stations that are counted apart
	mostOfItems   = 256e3 // bytes of the items of a summary
	mostSample    = 100   // items of a summary
	defaultSample = 20    // items of a summary by default
	summaryEvery  = time.Second
)

// A summary counts and shows results and events since the one before.
type summary struct {
	Time     time.Time         `json:"time"`
	Results  map[string]int64  `json:"results"` // by state
	Skips    map[string]int64  `json:"skips"`   // occurrences, by reason
	Events   map[string]int64  `json:"events"`  // by kind
	Stations []stationSummary  `json:"stations"`
	Items    []json.RawMessage `json:"items"`
	LeftOut  int64             `json:"left_out"`
}

// A stationSummary counts the results of one station.
type stationSummary struct {
	Station string           `json:"station"`
	Results map[string]int64 `json:"results"`
}

// A tally counts results and events for one reader, and keeps a sample of them, until it is taken.
type tally struct {
	filter filter
	sample int

	mu      sync.Mutex
	n       int64
	results map[string]int64
	skips   map[string]int64
	events  map[string]int64
	station map[string]map[string]int64
	kept    []sampled
	gap     bool // something was missed
}

// A sampled is a happening that a summary may show, and its number among all.
type sampled struct {
	n  int64
	it *happening
}

func newTally(f filter, sample int) *tally {
	t := &tally{filter: f, sample: sample}
	t.reset()
	return t
}

func (t *tally) reset() {
	t.n, t.kept, t.gap = 0, nil, false
	t.results, t.skips, t.events, t.station = map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]map[string]int64{}
}

func (t *tally) miss() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gap = true
}

// add counts something that the reader wants.
func (t *tally) add(it *happening) {
	if !t.filter.wants(&it.item) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	if it.kind != kindResult {
		t.events[it.kind]++
	} else {
		t.addResult(it)
	}
	// Each has the same chance to be shown, because of a burst the first ones alone would mislead.
	if len(t.kept) < t.sample {
		t.kept = append(t.kept, sampled{t.n, it})
	} else if at := rand.Int64N(t.n); at < int64(t.sample) {
		t.kept[at] = sampled{t.n, it}
	}
}

func (t *tally) addResult(it *happening) {
	state := string(it.state)
	t.results[state]++
	if it.state == schema.StateSkipped {
		t.skips[string(it.reason)] += it.count
	}
	of := t.station[it.station]
	if of == nil {
		if len(t.station) == mostCounted {
			return
		}
		of = map[string]int64{}
		t.station[it.station] = of
	}
	of[state]++
}

// take returns the summary since the one before, and whether something was missed.
func (t *tally) take(now time.Time) (s summary, gap bool) {
	t.mu.Lock()
	s = summary{Time: now.UTC(), Results: t.results, Skips: t.skips, Events: t.events, Items: []json.RawMessage{}}
	n, kept, stations := t.n, t.kept, t.station
	gap = t.gap
	t.reset()
	t.mu.Unlock()
	s.Stations = busiest(stations)
	slices.SortFunc(kept, func(a, b sampled) int { return cmp.Compare(a.n, b.n) })
	size := 0
	for _, one := range kept {
		data, err := wire.Marshal(wire.JSON, one.it.of)
		if err != nil || size+len(data) > mostOfItems {
			continue
		}
		size += len(data)
		s.Items = append(s.Items, data)
	}
	s.LeftOut = n - int64(len(s.Items))
	return s, gap
}

// busiest returns the stations with the most results, the first first.
func busiest(by map[string]map[string]int64) []stationSummary {
	total := func(name string) (n int64) {
		for _, of := range by[name] {
			n += of
		}
		return n
	}
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(total(b), total(a)), cmp.Compare(a, b))
	})
	all := []stationSummary{}
	for _, name := range names[:min(len(names), mostStations)] {
		all = append(all, stationSummary{name, by[name]})
	}
	return all
}

func readSample(q *request) (int, error) {
	if every := q.query.Get("summary"); every != "1s" {
		if !q.query.Has("summary") {
			return 0, invalid("sample", "is of summaries; give summary=1s, too")
		}
		return 0, invalid("summary", "is %q; it takes 1s", every)
	}
	text := q.query.Get("sample")
	if text == "" {
		return defaultSample, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostSample {
		return 0, invalid("sample", "is %q; it takes 0 to %d", text, mostSample)
	}
	return n, nil
}

func streamSummaries(g *Gateway, q *request, who caller, w http.ResponseWriter, f filter) error {
	sample, err := readSample(q)
	if err != nil {
		return err
	}
	t := newTally(f, sample)
	reading, err := g.live.joinSummaries(q.Context(), who, t)
	if err != nil {
		return err
	}
	defer g.live.leave(reading)
	defer g.config.Metrics.Streaming()()
	s := newStream(w)
	if s.write("retry: 2000\n\n") != nil || q.Method == http.MethodHead {
		return nil // the reader is gone
	}
	g.pumpSummaries(q.Context(), s, reading)
	return nil
}

// pumpSummaries sends summaries until the reader goes or is dropped.
func (g *Gateway) pumpSummaries(ctx context.Context, s *stream, reading *subscriber) {
	next := time.NewTicker(summaryEvery)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			if s.showSummary(reading.tally.take(g.config.Now())) != nil {
				return // the reader is gone
			}
		case <-reading.gone:
			_ = s.write("event: bye\ndata: {\"reason\":%q}\n\n", reading.why)
			return
		case <-ctx.Done():
			return
		}
	}
}

func (s *stream) showSummary(of summary, gap bool) error {
	if gap {
		if err := s.write("event: missed\ndata: {\"reason\":\"more happened than could be counted\"}\n\n"); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text) // on one line, which it ends
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(of); err != nil {
		return err
	}
	return s.write("event: summary\ndata: %s\n", text.Bytes())
}
