package node_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A disk loses the journal of a stopped node. The loss is reported at every place that
// shows the health of a node, also after a restart, until it is acknowledged.
func TestALossIsReportedUntilItIsAcknowledged(t *testing.T) {
	c := config(t)
	c.Node, c.Sync = "n1", 0
	n := start(t, c)
	asking, done := ask(t, n, "")
	later := schema.Plan{Station: "s", PlanID: "p", Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeTime, PlanTime: time.Now().Add(time.Hour)}}
	if _, err := asking.Plans().Create(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if _, body := status(t, "http://"+n.HTTPAddr()+"/readyz"); strings.Contains(body, "damage") {
		t.Errorf("nothing is lost yet, and /readyz answers %s", body)
	}
	done()
	stop(t, n)
	journal := filepath.Join(c.DataDir, "jetstream", "$G", "streams", "PLAN_JOURNAL", "msgs")
	if err := os.RemoveAll(journal); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(journal, 0o700); err != nil {
		t.Fatal(err)
	}

	for range 2 {
		n = start(t, c)
		body := readyzUntil(t, n.HTTPAddr(), "damage epoch.PLAN_JOURNAL: the journal ended before ")
		if !strings.Contains(body, `"stationmaster damage acknowledge epoch.PLAN_JOURNAL"`) || !strings.Contains(body, "(found by n1 at ") {
			t.Errorf("/readyz does not name the node that found it, and the command: %s", body)
		}
		if wrong := metricsOf(t, n).differ([]figure{{"damage", 1, []string{"kind", "epoch"}}, {"ready", 1, nil}}); wrong != nil {
			t.Error(wrong)
		}
		stop(t, n)
	}

	n = start(t, c)
	asking, done = ask(t, n, "")
	defer done()
	lost, err := asking.Damage().List(t.Context())
	if err != nil || len(lost) == 0 {
		t.Fatalf("%v, %v", lost, err)
	}
	for i := range lost {
		if err := asking.Damage().Acknowledge(t.Context(), lost[i]); err != nil {
			t.Fatal(err)
		}
		if err := asking.Damage().Acknowledge(t.Context(), lost[i]); err == nil {
			t.Error("it was acknowledged twice")
		}
	}
	readyzTo(t, n.HTTPAddr(), "tell of no damage", func(body string) bool { return !strings.Contains(body, "damage") })
	if wrong := metricsOf(t, n).differ([]figure{{"damage", 0, []string{"kind", "epoch"}}}); wrong != nil {
		t.Error(wrong)
	}
}

// readyzUntil asks /readyz until its answer contains the text.
func readyzUntil(t *testing.T, address, message string) string {
	t.Helper()
	return readyzTo(t, address, "say "+message, func(body string) bool { return strings.Contains(body, message) })
}

// readyzTo asks /readyz until its answer fits.
func readyzTo(t *testing.T, address, what string, is func(body string) bool) string {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		_, body := status(t, "http://"+address+"/readyz")
		if is(body) {
			return body
		}
		if time.Now().After(end) {
			t.Fatalf("/readyz does not come to %s: %s", what, body)
		}
	}
}
