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

// TestVectors runs the examples of DESIGN section 4.
func TestVectors(t *testing.T) {
	type due struct {
		Occurrence int64     `json:"occurrence"`
		At         time.Time `json:"at"`
	}
	var file struct {
		Vectors []struct {
			Plan   schema.Plan `json:"plan"`
			Now    time.Time   `json:"now"`
			Expect []due       `json:"expect"`
		} `json:"vectors"`
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
	for i, v := range file.Vectors {
		t.Run(fmt.Sprintf("%03d %s", i, v.Plan.PlanType), func(t *testing.T) {
			occurrences, err := calendar.Occurrences(calendar.SpecOf(&v.Plan), v.Plan.NoKeep, v.Now)
			if err != nil {
				t.Fatal(err)
			}
			got := []due{}
			for d := range occurrences {
				got = append(got, due{d.K, d.At})
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
