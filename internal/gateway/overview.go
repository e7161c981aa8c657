package gateway

import (
	"net/http"

	"github.com/stationmaster-io/stationmaster/schema"
)

var ofTexts = parameter{name: "lang", schema: `{"type":"string","enum":["en","zh"]}`, about: "Of the texts. Default: `en`."}

var statsRoutes = []route{
	{
		method: http.MethodGet, path: api + "/overview", role: reader, id: "plans.overview", summary: "Show counters, what is due next, and trouble",
		about:  "A take-over keeps the counters; a restart of all nodes begins results and lateness anew.",
		query:  []parameter{ofTexts},
		result: "Overview", serve: showOverview,
	},
	{
		method: http.MethodGet, path: api + "/stats/series", role: reader, id: "plans.series", summary: "Show results, skips or lateness over time",
		query: []parameter{
			{name: "of", schema: `{"type":"string","enum":["results","skips","lateness"]}`, about: "What to show. Required."},
			{name: "step", schema: `{"type":"string","enum":["1s","1m","1h"]}`, about: "60 seconds, 60 minutes or 168 hours. Required."},
			{name: "station", schema: `{"type":"string"}`, about: "This one alone, if it is among the first 2,000."},
			{name: "from", schema: `{"type":"string","format":"date-time"}`, about: "Leaves out earlier points."},
			ofTexts,
		},
		result: "StatsSeries", serve: relay("plans", "series"),
	},
}

// shownOverview answers GET /overview.
type shownOverview struct {
	schema.Overviewed
	Partitions []partition `json:"partitions" wire:"list"`
}

func showOverview(g *Gateway, q *request) (answer, error) {
	request, err := q.asked(q.body)
	if err != nil {
		return answer{}, err
	}
	var out shownOverview
	if err := g.client.Do(q.Context(), "plans", "overview", request, &out.Overviewed); err != nil {
		return answer{}, err
	}
	out.Partitions, err = g.partitions(q.Context())
	return answer{body: out}, err
}
