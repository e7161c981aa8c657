package gateway

import (
	"context"
	"strconv"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Parameters of tasks, of one and of a list.
var taskShown = []parameter{
	{name: "words", schema: `{"type":"string","enum":["en","zh"]}`, about: "With `words`, the schedule as a sentence in this language."},
	{name: "state", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "With `state`: when the task is due next, and its last run. A list has at most 100 tasks a page then, and no `response_body`."},
}

// mostStanding bounds the tasks of one page with their states.
const mostStanding = 100

// shown reads the parts of tasks beside their definitions that a request wants.
func (q *request) shown() (s cronjob.Shown, err error) {
	s.Words = schema.Lang(q.query.Get("words"))
	if s.Words != "" && s.Words != schema.LangEnglish && s.Words != schema.LangChinese {
		return s, invalid("words", "is %q; it takes en or zh", s.Words)
	}
	if text := q.query.Get("state"); text != "" {
		if s.State, err = strconv.ParseBool(text); err != nil {
			return s, invalid("state", "is %q; it takes true or false", text)
		}
	}
	return s, nil
}

// addLastRuns gives tasks with a state their last runs, as far as those are known.
func (g *Gateway) addLastRuns(ctx context.Context, tasks []*cronjob.Task) error {
	var names []schema.PlanName
	for _, t := range tasks {
		if t.State != nil {
			names = append(names, schema.PlanName{Station: schema.HTTPStation, PlanID: t.ID})
		}
	}
	if len(names) == 0 || g.config.LastResults == nil {
		return nil
	}
	last, err := g.config.LastResults(ctx, names)
	if err != nil {
		if ctx.Err() == nil {
			err = unreadable("results", err)
		}
		return err
	}
	for _, t := range tasks {
		if r := last[schema.PlanName{Station: schema.HTTPStation, PlanID: t.ID}]; r != nil && t.State != nil {
			run := cronjob.RunOf(r)
			t.State.LastRun = &run
		}
	}
	return nil
}
