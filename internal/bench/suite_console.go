package bench

import (
	"context"
	"time"
)

// console measures the pages of the console over a million plans, and what they cost the rest.
func (s *suite) console(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	m := console{Plans: 10 * manyPlans, Changed: manyPlans, PerSecond: 1000, Pages: 50, Rounds: s.Rounds, Lasting: s.lasting(15 * time.Second)}
	f, err := m.run(ctx, s.Dir, s.Log)
	if err != nil {
		return err
	}
	var late, longest, openLate, openLongest, bulkLate, bulkLongest samples
	for round := range f.Alone {
		late.add(millis(f.Alone[round].P99))
		longest.add(millis(f.Alone[round].Last))
		openLate.add(millis(f.Open[round].P99))
		openLongest.add(millis(f.Open[round].Last))
		bulkLate.add(millis(f.Bulk[round].P99))
		bulkLongest.add(millis(f.Bulk[round].Last))
	}
	s.row("console, 1,000,000 plans, ms: p99 of a page's document and data", samples{millis(f.Page)}, nil, "at most 300")
	s.row("  p99 of GET /overview", samples{millis(f.Overview)}, nil, "at most 10")
	s.row("  lateness of 1,000 executions/s beside them: p99", late, nil, "")
	s.row("  longest", longest, nil, "")
	s.row("  p99 with an open overview", openLate, nil, "")
	s.row("  longest with an open overview", openLongest, nil, "")
	s.row("  p99 with an open overview, times that without", samples{openLate.over(late)}, nil, "at most 1.1")
	s.row("  p99 while pages are asked for without a rest", samples{millis(f.Asked.P99)}, nil, "")
	s.row("  longest meanwhile", samples{millis(f.Asked.Last)}, nil, "")
	s.row("  p99 while a verb goes over 100,000 plans", bulkLate, nil, "")
	s.row("  longest meanwhile", bulkLongest, nil, "at most 10")
	s.note("The slowest page of the console is %s. Verbs were done to %s plans in %d turns of %v. The plans were imported in %v.", f.Slowest, count(f.Changed), len(f.Bulk), m.Lasting, f.Imported.Round(time.Second))
	return nil
}
