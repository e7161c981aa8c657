package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/bulk"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var bulkRoutes = []route{
	{
		method: http.MethodPost, path: api + "/bulk", role: operator, id: "beginBulk",
		summary: "Do one verb to all plans, or failed tasks, that match",
		about: "What matches is collected first. When its number differs from `expect` by more than a tenth nothing is done: 409, or, when collecting takes " +
			"more than two seconds, the state `refused`. At most 500 are asked for a second, and two such jobs are under way in a node. The end of the node ends them.",
		body: "BulkInput", status: http.StatusAccepted, result: "Bulk", serve: beginBulk,
	},
	{
		method: http.MethodGet, path: aBulk, role: reader, id: "getBulk", summary: "Show how far such a job is",
		about:  "The node that began it knows it, with those before it, 100 together. With `Accept: text/event-stream` each change is an event `progress`, until it ends.",
		result: "Bulk", serve: getBulk, stream: streamBulk,
	},
	{
		method: http.MethodDelete, path: aBulk, role: operator, id: "stopBulk", summary: "Stop such a job",
		about: "What was done stays done. One that has ended stays as it is.", result: "Bulk", serve: stopBulk,
	},
}

const aBulk = api + "/bulk/{id}"

// collectWithin is how long a request waits until all that match are collected.
const collectWithin = 2 * time.Second

// bulkEvery is how often a stream looks whether a job is further.
const bulkEvery = 250 * time.Millisecond

// A bulkView shows a job.
type bulkView struct {
	ID     string     `json:"id"`
	Verb   string     `json:"verb"`
	Filter wire.Value `json:"filter"`
	Expect *int64     `json:"expect,omitempty"`
	Count  *int64     `json:"count,omitempty"`
	DryRun bool       `json:"dry_run,omitempty"`
	By     string     `json:"by,omitempty"`
	Note   string     `json:"note,omitempty"`
	bulk.Progress
}

func beginBulk(g *Gateway, q *request) (answer, error) {
	order, err := bulk.Read(q.body)
	if err != nil {
		return answer{}, err
	}
	job, err := g.bulks.begin(client.WithAttribution(context.Background(), q.asker), order, q.who, q.asker)
	if err != nil {
		return answer{}, err
	}
	timer := time.NewTimer(collectWithin)
	defer timer.Stop()
	select {
	case <-job.collected:
	case <-timer.C:
	case <-q.Context().Done():
		job.stop(errGone) // nobody knows its id
		return answer{}, context.Cause(q.Context())
	}
	if err := job.refused(); err != nil {
		g.bulks.forget(job)
		return answer{}, err
	}
	return answer{status: http.StatusAccepted, body: job.view(), location: api + "/bulk/" + job.id}, nil
}

func getBulk(g *Gateway, q *request) (answer, error) {
	job, err := g.bulks.find(q.PathValue("id"))
	if err != nil {
		return answer{}, err
	}
	return answer{body: job.view(), private: true}, nil
}

func stopBulk(g *Gateway, q *request) (answer, error) {
	job, err := g.bulks.find(q.PathValue("id"))
	if err != nil {
		return answer{}, err
	}
	job.stop(&schema.Error{Code: schema.CodeConflict, Message: "it was stopped by " + orSomebody(q.asker.By)})
	select {
	case <-job.ended:
	case <-q.Context().Done():
		return answer{}, context.Cause(q.Context())
	}
	return answer{body: job.view()}, nil
}

func orSomebody(by string) string {
	if by == "" {
		return "a request"
	}
	return by
}

// streamBulk sends each change of a job, until it ends.
func streamBulk(g *Gateway, q *request, _ caller, w http.ResponseWriter) error {
	job, err := g.bulks.find(q.PathValue("id"))
	if err != nil {
		return err
	}
	if !g.bulks.watch() {
		return refuse(http.StatusServiceUnavailable, schema.CodeUnavailable, "%d readers follow bulk jobs, which is as many as are served", mostWatchers)
	}
	defer g.bulks.unwatch()
	defer g.config.Metrics.Streaming()()
	s := newStream(w)
	if q.Method == http.MethodHead {
		return nil
	}
	every := time.NewTicker(bulkEvery)
	defer every.Stop()
	beat := time.NewTicker(g.config.Heartbeat)
	defer beat.Stop()
	for before := ""; ; {
		view := job.view()
		text, err := wire.Marshal(wire.JSON, view)
		if err != nil {
			return nil // cannot happen: texts and numbers have an encoding
		}
		if string(text) != before {
			before = string(text)
			if s.write("event: progress\ndata: %s\n\n", text) != nil {
				return nil // the reader is gone
			}
		}
		if !view.Ended.IsZero() {
			return nil
		}
		select {
		case <-every.C:
		case <-job.ended:
		case <-beat.C:
			if s.write(": heartbeat\n\n") != nil {
				return nil
			}
		case <-q.Context().Done():
			return nil
		}
	}
}
