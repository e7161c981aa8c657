package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The running program answers every vector of due times. The plan comes as a publisher would send
// it, in both encodings.
func TestPreviewOfEveryVector(t *testing.T) {
	data, err := os.ReadFile("../scheduler/calendar/testdata/plan_times.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Plan   body
			Now    string
			Expect []struct {
				Occurrence int64
				At         time.Time
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) < 250 {
		t.Fatalf("%d vectors, want some 250", len(file.Vectors))
	}
	inBoth(t, func(t *testing.T, c *client) {
		for i, v := range file.Vectors {
			answer := c.req("plans.preview", body{"plan": whole(v.Plan), "from": v.Now})
			var got, want []string
			for _, o := range answer.list("occurrences") {
				got = append(got, fmt.Sprintf("%d %s", o.int("occurrence"), o.time("plan_time").UTC().Format(time.RFC3339)))
			}
			for _, o := range v.Expect {
				want = append(want, fmt.Sprintf("%d %s", o.Occurrence, o.At.UTC().Format(time.RFC3339)))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("vector %d, %v at %s (-want +got):\n%s", i, v.Plan, v.Now, diff)
			}
		}
	})
}

// whole turns the numbers of encoding/json, which are floats, into whole ones, because
// MessagePack knows the difference.
func whole(plan body) body {
	out := body{}
	for name, value := range plan {
		if f, ok := value.(float64); ok {
			value = int64(f)
		}
		out[name] = value
	}
	return out
}
