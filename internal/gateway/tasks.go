package gateway

import (
	"net/http"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
)

// taskPage and runPage are pages of an answer.
type taskPage struct {
	Tasks []*cronjob.Task `json:"tasks"`
	Next  string          `json:"next,omitempty"`
}

type runPage struct {
	Runs []cronjob.Run `json:"runs"`
	Next string        `json:"next,omitempty"`
}

type taskTriggered struct {
	RunID string `json:"run_id"`
}

func taskAnswer(t *cronjob.Task, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return answer{body: t, state: cronjob.Precondition{Version: t.Version, Incarnation: t.Incarnation}}, nil
}

func createTask(g *Gateway, q *request) (answer, error) {
	t, err := g.jobs.Create(q.Context(), q.body)
	if err != nil {
		return answer{}, err
	}
	a, err := taskAnswer(t, nil)
	a.status, a.location = http.StatusCreated, api+"/tasks/"+t.ID
	return a, err
}

func listTasks(g *Gateway, q *request) (answer, error) {
	limit, err := q.limit()
	if err != nil {
		return answer{}, err
	}
	shown, err := q.shown()
	if err != nil {
		return answer{}, err
	}
	if shown.State {
		limit = min(limit, mostStanding)
	}
	page, err := g.jobs.List(q.Context(), cronjob.Filter{
		Status: q.query.Get("status"), Name: q.query.Get("name"), Limit: limit, Cursor: q.query.Get("cursor"), Shown: shown,
	})
	if err != nil {
		return answer{}, err
	}
	if err := g.addLastRuns(q.Context(), page.Items); err != nil {
		return answer{}, err
	}
	for _, t := range page.Items {
		if t.State != nil && t.State.LastRun != nil {
			t.State.LastRun.ResponseBody = "" // a page of them would be megabytes
		}
	}
	return answer{body: taskPage{page.Items, page.Next}}, nil
}

func getTask(g *Gateway, q *request) (answer, error) {
	shown, err := q.shown()
	if err != nil {
		return answer{}, err
	}
	t, err := g.jobs.Show(q.Context(), q.PathValue("id"), shown)
	if err == nil {
		err = g.addLastRuns(q.Context(), []*cronjob.Task{t})
	}
	return taskAnswer(t, err)
}

func updateTask(g *Gateway, q *request) (answer, error) {
	tag, err := q.ifMatch()
	if err != nil {
		return answer{}, err
	}
	t, err := g.jobs.Update(q.Context(), q.PathValue("id"), q.body, tag)
	return taskAnswer(t, unmatched(err, tag))
}

func deleteTask(g *Gateway, q *request) (answer, error) {
	tag, err := q.ifMatch()
	if err != nil {
		return answer{}, err
	}
	err = g.jobs.Delete(q.Context(), q.PathValue("id"), q.body, tag)
	return answer{status: http.StatusNoContent}, unmatched(err, tag)
}

func enableTask(g *Gateway, q *request) (answer, error) {
	return taskAnswer(g.jobs.SetStatus(q.Context(), q.PathValue("id"), cronjob.Enabled))
}

func disableTask(g *Gateway, q *request) (answer, error) {
	return taskAnswer(g.jobs.SetStatus(q.Context(), q.PathValue("id"), cronjob.Disabled))
}

func triggerTask(g *Gateway, q *request) (answer, error) {
	id, err := g.jobs.Trigger(q.Context(), q.PathValue("id"))
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusAccepted, body: taskTriggered{id}, location: api + "/runs/" + id}, nil
}

func listTaskRuns(g *Gateway, q *request) (answer, error) {
	limit, err := q.limit()
	if err != nil {
		return answer{}, err
	}
	page, err := g.jobs.Runs(q.Context(), q.PathValue("id"), q.query.Get("status"), q.query.Get("cursor"), limit)
	if err != nil {
		return answer{}, err
	}
	return answer{body: runPage{page.Items, page.Next}}, nil
}

func getRun(g *Gateway, q *request) (answer, error) {
	run, err := g.jobs.Run(q.Context(), q.PathValue("run_id"))
	return answer{body: run}, err
}

func cancelRun(g *Gateway, q *request) (answer, error) {
	run, err := g.jobs.CancelRun(q.Context(), q.PathValue("run_id"))
	return answer{body: run}, err
}
