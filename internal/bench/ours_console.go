package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

const (
	// idleStation is the station of the plans that are only there.
	idleStation = "idle"
	// changedStation is the station of the idle plans that a verb goes over.
	changedStation = "changed"
	// pageRests is how long an open page of the console rests before it asks again.
	pageRests = 4 * time.Second
)

// consolePages are the pages that need no name.
var consolePages = []string{
	"", "plans", "runs", "timeline", "calendar", "stations", "workers", "jobs", "tasks", "task-types", "periodic", "queues", "callbacks", "cluster",
}

// console measures the console of a node with many plans: how long a page's first answer takes, and
// what an open overview, and a verb that goes over many plans, cost what is due meanwhile.
type console struct {
	Plans     int // that are idle
	Changed   int // of these, the ones that a verb goes over
	PerSecond int // executions that are due in a second
	Pages     int // how often each page is asked for
	Rounds    int
	Lasting   time.Duration // of each turn of a round
}

type consoleFigures struct {
	Imported time.Duration
	Slowest  string        // the page with the largest Page
	Page     time.Duration // p99 of the time from the request of its document until its data is there
	Overview time.Duration // p99 of GET /overview
	// By round: the lateness with nothing beside it, with an open overview, and with a verb under way.
	Alone, Open, Bulk []dueFigures
	Asked             dueFigures // while the pages were asked for, one behind the other
	Changed           int64      // plans that the verb was done to in all turns
}

// run measures once, on a site with its store in a new folder in dir.
func (m console) run(ctx context.Context, dir string, log *slog.Logger) (f consoleFigures, err error) {
	s, err := startSite(ctx, dir, log, func(c *node.Config) { c.HTTPListen = "127.0.0.1:0" })
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if f.Imported, err = m.fill(ctx, s); err != nil {
		return f, err
	}
	l := &turnLateness{tally: newTally(m.PerSecond)}
	w, err := s.serve(ctx, log, l.handle)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, w.Stop()) }()
	c, _, err := s.client(ctx, "publisher")
	if err != nil {
		return f, err
	}
	if err := importAll(ctx, c, accuracy(m.PerSecond, time.Second, time.Now()).plans); err != nil {
		return f, err
	}
	b := &browser{url: "http://" + s.node.HTTPAddr(), client: &http.Client{Timeout: time.Minute}}
	if err := m.turns(ctx, b, l, &f); err != nil {
		return f, err
	}
	l.take()
	err = m.pages(ctx, b, &f)
	f.Asked = l.take()
	if missed := l.failed(); missed != nil {
		err = errors.Join(err, fmt.Errorf("with executions up to %v late while pages were asked for: %w", f.Asked.Last, missed))
	}
	return f, err
}

// fill creates the idle plans, and returns the time that it took.
func (m console) fill(ctx context.Context, s *site) (time.Duration, error) {
	const part = 100_000 // because all at once would fill the memory of this process
	c, _, err := s.client(ctx, "importer")
	if err != nil {
		return 0, err
	}
	began := time.Now()
	for from := 0; from < m.Plans; from += part {
		plans := plansOf(min(part, m.Plans-from), idle(began), func(i int, p *schema.Plan) {
			p.Station, p.PlanID = idleStation, planID(from+i)
			if from+i < m.Changed {
				p.Station = changedStation
			}
		})
		if err := importAll(ctx, c, plans); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// turns measures the lateness of what is due, alone and beside each of the other two.
func (m console) turns(ctx context.Context, b *browser, l *turnLateness, f *consoleFigures) error {
	for round := range m.Rounds {
		verb := []string{"pause", "resume"}[round%2]
		for _, turn := range []struct {
			to     *[]dueFigures
			beside func(context.Context) error
		}{
			{&f.Alone, func(ctx context.Context) error { <-ctx.Done(); return nil }},
			{&f.Open, b.keepOpen},
			{&f.Bulk, func(ctx context.Context) error {
				done, err := b.all(ctx, verb, m.Changed)
				f.Changed += done
				return err
			}},
		} {
			got, err := l.during(ctx, m.Lasting, turn.beside)
			if err != nil {
				return err
			}
			*turn.to = append(*turn.to, got)
		}
	}
	return nil
}

// pages measures how long the first answer of each page takes.
func (m console) pages(ctx context.Context, b *browser, f *consoleFigures) error {
	timed := func(ask func() error) (time.Duration, error) {
		var took latencies
		for range m.Pages {
			began := time.Now()
			if err := ask(); err != nil {
				return 0, err
			}
			took.add(time.Since(began))
		}
		return took.quantile(0.99), nil
	}
	for _, page := range consolePages {
		took, err := timed(func() error { return b.open(ctx, page) })
		if err != nil {
			return err
		}
		if took > f.Page {
			f.Page, f.Slowest = took, "/ui/"+page
		}
	}
	var err error
	f.Overview, err = timed(func() error { return b.get(ctx, "/api/v1/overview") })
	return err
}

// turnLateness counts delays, turn by turn. It is safe for concurrent use.
type turnLateness struct {
	*tally
	mu      sync.Mutex
	all     latencies
	longest time.Duration
}

// handle is a worker.Handler that only notes the time of an execution's arrival.
func (l *turnLateness) handle(_ context.Context, x *worker.Execution) (any, error) {
	late := time.Since(x.PlanTime)
	l.count(x)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.add(late)
	l.longest = max(l.longest, late)
	return nil, nil
}

// take returns the figures since it was last called.
func (l *turnLateness) take() (f dueFigures) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f = dueFigures{Executions: l.all.total, P50: l.all.quantile(0.50), P99: l.all.quantile(0.99), Last: l.longest}
	l.all, l.longest = latencies{}, 0
	return f
}

// during returns the lateness while beside runs, which ends when its context does.
func (l *turnLateness) during(ctx context.Context, lasting time.Duration, beside func(context.Context) error) (dueFigures, error) {
	within, cancel := context.WithTimeout(ctx, lasting)
	defer cancel()
	l.take()
	err := beside(within)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return l.take(), err
}

// A browser asks for what a page of the console does.
type browser struct {
	url    string
	client *http.Client
}

var preloaded = regexp.MustCompile(`<link rel="preload" id="data"[^>]* href="([^"]+)"`)

// open asks for a page's document and for the data that it names.
func (b *browser) open(ctx context.Context, page string) error {
	document, err := b.do(ctx, http.MethodGet, "/ui/"+page, "")
	if err != nil {
		return err
	}
	data := preloaded.FindSubmatch(document)
	if data == nil {
		return fmt.Errorf("the document of /ui/%s names no data", page)
	}
	return b.get(ctx, html.UnescapeString(string(data[1])))
}

func (b *browser) get(ctx context.Context, path string) error {
	_, err := b.do(ctx, http.MethodGet, path, "")
	return err
}

// keepOpen opens the overview, and asks again as its page does, until ctx ends.
func (b *browser) keepOpen(ctx context.Context) error {
	for {
		for _, path := range []string{"overview?lang=en", "stats/series?of=results&step=1s&lang=en", "stats/series?of=skips&step=1s&lang=en"} {
			if err := b.get(ctx, "/api/v1/"+path); err != nil && ctx.Err() == nil {
				return err
			}
		}
		if pause(ctx, pageRests) != nil {
			return nil // the turn is over
		}
	}
}

// all has a verb done to the plans of changedStation until ctx ends, and returns to how many it was done.
func (b *browser) all(ctx context.Context, verb string, plans int) (int64, error) {
	order, err := json.Marshal(map[string]any{"verb": verb, "filter": map[string]any{"station": changedStation}, "expect": plans})
	if err != nil {
		return 0, fmt.Errorf("encode an order: %w", err)
	}
	var job struct {
		ID   string `json:"id"`
		Done int64  `json:"done"`
	}
	ask := func(ctx context.Context, method, path, body string) error {
		answer, err := b.do(ctx, method, "/api/v1/bulk"+path, body)
		if err == nil && len(answer) > 0 {
			err = json.Unmarshal(answer, &job)
		}
		return err
	}
	if err := ask(ctx, http.MethodPost, "", string(order)); err != nil {
		return 0, err
	}
	<-ctx.Done()
	ctx = context.WithoutCancel(ctx)
	if err := ask(ctx, http.MethodDelete, "/"+job.ID, ""); err != nil {
		return 0, err
	}
	return job.Done, ask(ctx, http.MethodGet, "/"+job.ID, "")
}

// do returns the answer's body; an answer that is no success is an error.
func (b *browser) do(ctx context.Context, method, path, body string) (_ []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, b.url+path, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask for %s: %w", path, err)
	}
	r.Header.Set("Accept", "text/html, application/json")
	r.Header.Set("Content-Type", "application/json")
	answer, err := b.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask for %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", path, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %s: %.300s", method, path, answer.Status, text)
	}
	return text, nil
}
