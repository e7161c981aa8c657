package bench

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReportPrints(t *testing.T) {
	r := Report{
		Rows: []Row{
			{Figure: "executions/s, 2,000 outstanding", Ours: 51234.4, Bare: 102400, Ratio: 0.5, Target: "ratio at least 0.5"},
			{Figure: "CPU an execution, µs", Ours: 31.26, Bare: 16.44, Ratio: 1.9},
			{Figure: "restart of 1,000,000 plans, s", Ours: 4.5, Target: "at most 10"},
			{Figure: "peer's jobs/s", Bare: 1234567},
			{Figure: "drift", Ours: -1500},
		},
		Notes: []string{"median of three"},
	}
	var out strings.Builder
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	want := `figure                           ours    bare       ratio  target
executions/s, 2,000 outstanding  51,234  102,400    0.50   ratio at least 0.5
CPU an execution, µs             31.3    16.4       1.90   
restart of 1,000,000 plans, s    4.5     -          -      at most 10
peer's jobs/s                    -       1,234,567  -      
drift                            -1,500  -          -      

` + thisMachine() + "\nmedian of three\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(thisMachine(), "nats-server 2.") || !strings.Contains(thisMachine(), "go1.") {
		t.Errorf("machine: %s", thisMachine())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestReportReturnsTheErrorOfItsWriter(t *testing.T) {
	if err := (Report{}).Print(broken{}); err == nil {
		t.Error("no error")
	}
}
