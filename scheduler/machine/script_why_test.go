package machine

import (
	"errors"
	"strings"

	"github.com/cockroachdb/datadriven"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/explain"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// keep keeps the part of a stored result that explains.
func (s *story) keep(e event.Publish) {
	v, err := wire.Scan(e.Body, wire.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	var one explain.Kept
	if err := wire.DecodeLoose(v, &one); err != nil {
		s.t.Fatal(err)
	}
	if s.kept == nil {
		s.kept = map[schema.PlanName][]explain.Kept{}
	}
	s.kept[e.Name] = append(s.kept[e.Name], one)
}

// why explains a plan, in English and in Chinese, as the front does:
//
//	why STATION/ID [k=OCCURRENCE] [n=RUN] [at=T] [forgotten]
//
// With forgotten, no result of the plan is kept any more.
func (s *story) why(d *datadriven.TestData) {
	name := s.name(d)
	q, at := command.ExplainPlan{Name: name}, ""
	d.MaybeScanArgs(s.t, "k", &q.Occurrence)
	d.MaybeScanArgs(s.t, "n", &q.N)
	if d.MaybeScanArgs(s.t, "at", &at) {
		q.At = s.clock(at)
	}
	if d.HasArg("forgotten") {
		delete(s.kept, name)
	}
	s.answered = event.Answer{}
	s.ask(q)
	s.out.Reset()
	f := explain.Facts{
		Ask:  schema.Explain{Station: name.Station, PlanID: name.PlanID, Occurrence: q.Occurrence, N: q.N, At: q.At},
		Kept: s.kept[name], Now: s.now,
	}
	var refused *schema.Error
	_ = errors.As(s.answered.Err, &refused)
	switch {
	case refused == nil:
		known := s.answered.Body.(command.Explained)
		f.Leader = &known
	case refused.Field == "n", len(f.Kept) == 0:
		s.print("refused: %v", refused)
		return
	}
	for _, f.Ask.Lang = range schema.Langs() {
		e, err := explain.Explain(&f)
		if err != nil {
			s.print("refused: %v", err)
			return
		}
		if strings.ContainsAny(e.Sentence+e.Remedy, "{}") {
			s.t.Errorf("a value is missing in %q or %q", e.Sentence, e.Remedy)
		}
		s.out.WriteString(e.Sentence + "\n")
		if e.Remedy != "" {
			s.out.WriteString("  " + e.Remedy + "\n")
		}
		if f.Ask.Lang == schema.LangEnglish {
			defer func() {
				e.Sentence, e.Remedy = "", ""
				s.out.WriteString(s.body(event.Answer{Body: e}) + "\n")
			}()
		}
	}
}
