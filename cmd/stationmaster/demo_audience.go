package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An audience prints the demo's results and events, with each plan's next time, and counts
// them.
type audience struct {
	client  *client.Client
	printer printer

	results *client.Feed[schema.Result]
	events  *client.Feed[schema.Notice]
	looking sync.WaitGroup
	end     context.CancelFunc
	curtain chan struct{} // closed when the first line may be printed

	mu       sync.Mutex
	count    map[schema.State]int
	reported map[schema.PlanName]bool // plans whose missing worker was reported
}

func newAudience(c *client.Client, out io.Writer) *audience {
	return &audience{
		client: c, printer: printer{w: out}, curtain: make(chan struct{}),
		count: map[schema.State]int{}, reported: map[schema.PlanName]bool{},
	}
}

// open subscribes before the plans exist; begin closes the curtain channel.
func (a *audience) open(ctx context.Context) (err error) {
	if a.results, err = a.client.Results().Follow(""); err != nil {
		return err
	}
	kinds := []schema.NoticeKind{
		schema.NoticeRunning, schema.NoticeWaiting, schema.NoticeNotWorker, schema.NoticePlanError,
		schema.NoticeUpdated, schema.NoticePaused, schema.NoticeResumed,
	}
	if a.events, err = a.client.Events().Follow("", kinds...); err != nil {
		a.results.Stop()
		return err
	}
	ctx, a.end = context.WithCancel(ctx)
	a.looking.Go(func() {
		<-a.curtain
		for r, err := range a.results.All(ctx) {
			a.print(err, func() string { return a.result(ctx, r) })
		}
	})
	a.looking.Go(func() {
		<-a.curtain
		for n, err := range a.events.All(ctx) {
			a.print(err, func() string { return a.event(n) })
		}
	})
	return nil
}

func (a *audience) begin() { close(a.curtain) }

func (a *audience) close() {
	a.end()
	select {
	case <-a.curtain:
	default:
		close(a.curtain)
	}
	a.looking.Wait()
	a.results.Stop()
	a.events.Stop()
}

// print prints a line, unless it is empty.
func (a *audience) print(err error, line func() string) {
	text := ""
	if err != nil {
		text = "… " + err.Error()
	} else {
		text = line()
	}
	if text != "" {
		_ = a.printer.line(text) // a closed terminal misses it
	}
}

// result counts r, and asks for its plan's next time.
func (a *audience) result(ctx context.Context, r *schema.Result) string {
	a.mu.Lock()
	a.count[r.State]++
	a.mu.Unlock()
	if onlyInConsole(r.Station, r.PlanID) {
		return ""
	}
	line := traceResult(r)
	view, err := a.client.Plan(r.Station, r.PlanID).Get(ctx)
	switch {
	case errors.Is(err, client.ErrNotFound):
		return line + " → closed"
	case err != nil:
		return line
	case !r.Final:
		return line + " → " + string(view.State.Status)
	case !view.State.PlanTime.IsZero():
		return line + " → next " + view.State.PlanTime.Local().Format("15:04:05")
	default:
		return line
	}
}

// event prints a missing worker once for each plan, and all other events.
func (a *audience) event(n *schema.Notice) string {
	if onlyInConsole(n.Station, n.PlanID) {
		return ""
	}
	if n.Kind == schema.NoticeNotWorker {
		name := schema.PlanName{Station: n.Station, PlanID: n.PlanID}
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.reported[name] {
			return ""
		}
		a.reported[name] = true
	}
	return traceNotice(n)
}

// onlyInConsole reports that a plan is an HTTP job, a periodic task or one of callbacks. The
// console has a page for each; their lines would make the others hard to find.
func onlyInConsole(station, planID string) bool {
	_, callback := schema.CalledBack(station)
	return callback || station == schema.HTTPStation || strings.HasPrefix(planID, "periodic_")
}

// summary returns the counts.
func (a *audience) summary() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	total := 0
	var parts []string
	for state, n := range a.count {
		total += n
		parts = append(parts, fmt.Sprintf("%d %s", n, state))
	}
	slices.Sort(parts)
	return fmt.Sprintf("%d results: %s. Bye.", total, strings.Join(parts, ", "))
}
