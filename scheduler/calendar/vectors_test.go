package calendar_test

import (
	"encoding/json"
	"fmt"
	"os"
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

func vectors(t testing.TB) []vector {
	t.Helper()
	var file struct {
		Vectors []vector `json:"vectors"`
	}
	data, err := os.ReadFile("testdata/plan_times.json")
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
	for i, v := range vectors(t) {
		t.Run(fmt.Sprintf("%03d %s", i, v.Plan.PlanType), func(t *testing.T) {
			occurrences, err := calendar.Occurrences(calendar.SpecOf(&v.Plan), v.Plan.NoKeep, v.Now)
			if err != nil {
				t.Fatal(err)
			}
			got := []vectorDue{}
			for d := range occurrences {
				got = append(got, vectorDue{d.K, d.At})
				if len(got) == 6 {
					break
				}
			}
			if diff := cmp.Diff(v.Expect, got); diff != "" {
				t.Errorf("occurrences (-want +got):\n%s", diff)
			}
		})
	}
}
