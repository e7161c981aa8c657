package front

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A cursor that is accepted is one that would be made, or the beginning.
func FuzzCursors(f *testing.F) {
	for _, cursor := range []string{"", "cGE", planCursorOf("a.b/P1"), stationCursor("a.b"), runCursor(runID{7, 3}), runCursor(runID{-1, 1 << 62}), workerCursor("w1"), historyCursor(1<<64 - 1), taskCursor(taskPlace{status: 2}), taskCursor(taskPlace{1, schema.PlanName{Station: "t", PlanID: "a"}})} {
		f.Add(cursor)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		if cursor == "" {
			return
		}
		if n, ok := parsePlanCursor(cursor); ok {
			if back, ok := parsePlanCursor(planCursor(n)); !ok || back != n {
				t.Fatalf("%q is %s, which is %s", cursor, n, back)
			}
		}
		if s, ok := parseStationCursor(cursor); ok {
			if back, ok := parseStationCursor(stationCursor(s)); !ok || back != s {
				t.Fatalf("%q is %s, which is %s", cursor, s, back)
			}
		}
		if id, ok := parseRunCursor(cursor); ok {
			if back, ok := parseRunCursor(runCursor(id)); !ok || back != id {
				t.Fatalf("%q is %v, which is %v", cursor, id, back)
			}
		}
		if id, ok := parseWorkerCursor(cursor); ok {
			if back, ok := parseWorkerCursor(workerCursor(id)); !ok || back != id {
				t.Fatalf("%q is %s, which is %s", cursor, id, back)
			}
		}
		if at, ok := parseTaskCursor(cursor); ok {
			if back, ok := parseTaskCursor(taskCursor(at)); !ok || back != at {
				t.Fatalf("%q is %v, which is %v", cursor, at, back)
			}
		}
		if seq, ok := parseHistoryCursor(cursor); ok {
			if back, ok := parseHistoryCursor(historyCursor(seq)); !ok || back != seq {
				t.Fatalf("%q is %d, which is %d", cursor, seq, back)
			}
		}
	})
}

func planCursorOf(place string) string { return sealCursor('p', place) }
