package calendar_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A vector is an example of a plan and its due times.
type vector struct {
	Plan   schema.Plan `json:"plan"`
	Now    time.Time   `json:"now"`
	Expect []vectorDue `json:"expect"`
}

type vectorDue struct {
	Occurrence int64     `json:"occurrence"`
	At         time.Time `json:"at"`
}

func vectors(t testing.TB, name string) []vector {
	t.Helper()
	var file struct {
		Vectors []vector `json:"vectors"`
	}
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) == 0 {
		t.Fatal("no vectors")
	}
	return file.Vectors
}

func TestVectors(t *testing.T) {
	for i, v := range vectors(t, "plan_times.json") {
		t.Run(fmt.Sprintf("%03d %s", i, v.Plan.PlanType), func(t *testing.T) { v.check(t, 6) })
	}
}

// Each choice at a gap and at an overlap, in zones that change their clocks in different ways.
func TestClockChangeVectors(t *testing.T) {
	for i, v := range vectors(t, "clock_change.json") {
		t.Run(fmt.Sprintf("%03d %s %s", i, v.Plan.Timezone, v.Plan.ClockChange), func(t *testing.T) { v.check(t, len(v.Expect)) })
	}
}

// check compares the first most occurrences.
func (v vector) check(t *testing.T, most int) {
	schedule, err := calendar.Compile(calendar.SpecOf(&v.Plan), v.Now)
	if err != nil {
		t.Fatal(err)
	}
	got := []vectorDue{}
	for d := range schedule.Occurrences(v.Plan.NoKeep, v.Now) {
		got = append(got, vectorDue{d.K, d.At})
		if len(got) == most {
			break
		}
	}
	if diff := cmp.Diff(v.Expect, got); diff != "" {
		t.Errorf("occurrences (-want +got):\n%s", diff)
	}
}
