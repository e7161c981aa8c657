package node_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A stream records the executions of a station without a worker, so that the publisher
// receives JetStream's acknowledgement where it awaits the worker's answer.
func TestAStreamIsNoWorker(t *testing.T) {
	c := config(t)
	n := start(t, c)
	asking, done := ask(t, n, "")
	nc, err := n.Connect(t.Context(), "recorder")
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "AUDIT", Subjects: []string{"station.cap"}}); err != nil {
		t.Fatal(err)
	}
	events, err := nc.SubscribeSync("plan.event.not_worker.cap.*")
	if err != nil {
		t.Fatal(err)
	}
	results, err := nc.SubscribeSync("plan.result.cap.*")
	if err != nil {
		t.Fatal(err)
	}
	plan := schema.Plan{
		Station: "cap", PlanID: "p", Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeNone},
		Policy: schema.Policy{StartTimeout: new(schema.Seconds(1)), Retry: &schema.Retry{Strategy: schema.RetryNone}},
	}
	if _, err := asking.Plans().Create(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	event, err := events.NextMsg(patience)
	if err != nil {
		t.Fatalf("there is no event of it: %v", err)
	}
	if !strings.Contains(string(event.Data), `"reason":"captured"`) {
		t.Errorf("the event is %s", event.Data)
	}
	result, err := results.NextMsg(patience)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result.Data), `"state":"failure","reason":"retries","cause":"start"`) {
		t.Errorf("there is no worker, and the result is %s", result.Data)
	}
	if wrong := metricsOf(t, n).differ([]figure{{"replies_ignored_total", 1, []string{"partition", "0", "reason", "confirmation"}}}); wrong != nil {
		t.Error(wrong)
	}
	nc.Close()
	done()
	stop(t, n)

	// The node starts despite the stream, because a user can delete it only while the
	// embedded server runs.
	n = start(t, c)
	const line = "stream AUDIT captures station.> and hides that no worker is there: nats stream rm AUDIT"
	readyzUntil(t, n.HTTPAddr(), line)
	if wrong := metricsOf(t, n).differ([]figure{{"captures", 1, nil}, {"ready", 1, nil}}); wrong != nil {
		t.Error(wrong)
	}
}
