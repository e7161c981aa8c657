package simulate

import (
	"bufio"
	_ "embed" // for the page
	"html/template"
	"io"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

//go:embed page.html
var pageText string

// page is the HTML output, which is one file and loads nothing.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"stamp":   stamp,
	"seconds": seconds,
	"waited":  func(s StationLoad, cause string) string { return s.waited(cause) },
	"outage":  func(o OutageReport) []outageRow { return o.rows() },
	"effects": shownEffects,
	"cut":     func(r *Report) string { return r.cutText() },
	"listed":  listed[schema.State],
	"dashed":  orDash[schema.State],
	"skips":   orDash[schema.Reason],
}).Parse(pageText))

const (
	// mostOnPage bounds the plans on the page.
	mostOnPage = 2000
	// mostNotesOnPage bounds the notes on it.
	mostNotesOnPage = 1000
	// mostOpen is up to how many lines a table is shown unfolded.
	mostOpen = 40
)

// A view has the content of the page.
type view struct {
	Report               *Report
	States, Skipped      []count
	Load, Busiest, Lanes *picture // nil: nothing to show
	Plans                []*PlanCounts
	More                 int // plans that are not on the page
	Notes                []*Note
	MoreNotes            int // notes that are not on the page
	Open                 int // up to how many lines a table is unfolded
}

// A count is a number of results of a kind.
type count struct {
	Name  string
	Count int64
}

// WriteHTML writes the report as one page with pictures, for light and dark screens.
func (r *Report) WriteHTML(to io.Writer) error {
	shown := r.Plans[:min(len(r.Plans), mostOnPage)]
	notes := r.Notes[:min(len(r.Notes), mostNotesOnPage)]
	buffered := bufio.NewWriter(to)
	if err := page.Execute(buffered, &view{
		Report: r, States: countsBySize(r.States), Skipped: countsBySize(r.Skipped),
		Load: r.loadPicture(), Busiest: r.busiestPicture(), Lanes: r.lanesPicture(),
		Plans: shown, More: len(r.Plans) - len(shown),
		Notes: notes, MoreNotes: len(r.Notes) - len(notes), Open: mostOpen,
	}); err != nil {
		return err
	}
	return buffered.Flush()
}

// countsBySize are counts, the largest first.
func countsBySize[K ~string](counts map[K]int64) (all []count) {
	for _, k := range bySize(counts) {
		all = append(all, count{string(k), counts[k]})
	}
	return all
}

// stamp is a moment of UTC for people.
func stamp(t time.Time) string {
	form := "2006-01-02 15:04"
	if t.Truncate(time.Minute) != t {
		form = "2006-01-02 15:04:05"
	}
	return t.UTC().Format(form)
}
