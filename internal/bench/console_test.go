package bench

import (
	"testing"
	"time"
)

func TestTheConsoleIsMeasured(t *testing.T) {
	measured(t, func(dir string) (consoleFigures, error) {
		return console{Plans: 300, Changed: 200, PerSecond: 50, Pages: 2, Rounds: 2, Lasting: time.Second}.run(t.Context(), dir, quiet)
	}, func(f consoleFigures) bool {
		return f.Slowest != "" && f.Page > 0 && f.Overview > 0 && f.Changed == 2*200 && len(f.Open) == 2 &&
			f.Alone[1].Executions > 0 && f.Open[1].Executions > 0 && f.Bulk[1].Executions > 0 && f.Asked.Executions > 0 && rising(f.Bulk[1].P50, f.Bulk[1].P99, f.Bulk[1].Last)
	})
}
