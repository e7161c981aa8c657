package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A create with on_conflict keep lies in a buffer for eight seconds. Its client has long
// sent it again, and the plan of that one was created, ran and was removed. The late one
// does not create it a second time.
func TestARequestFromABufferIsNotCarriedOut(t *testing.T) {
	n := start(t, config(t))
	asking, done := ask(t, n, "")
	defer done()
	nc, err := n.Connect(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	request := func(answerBy string) *nats.Msg {
		t.Helper()
		m := nats.NewMsg("plans.create")
		m.Data = []byte(`{"station":"s","plan_id":"p","command":"c","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"}`)
		if answerBy != "" {
			m.Header.Set(schema.HeaderAnswerBy, answerBy)
		}
		answer, err := nc.RequestMsg(m, patience)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	name := schema.PlanName{Station: "s", PlanID: "p"}
	plan := schema.Plan{
		Station: "s", PlanID: "p", Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeTime,
			PlanTime: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}, OnConflict: schema.ConflictKeep,
	}
	if _, err := asking.Plans().Create(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if _, err := asking.PlanNamed(name).Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	gaveUp := time.Now().Add(-4 * time.Second) // it waited for four of the eight
	m := request(schema.FormatAnswerBy(gaveUp))
	if code := m.Header.Get(schema.HeaderServiceErrorCode); code != "503" || !strings.Contains(string(m.Data), "after its sender had given up") {
		t.Errorf("it is answered %v %s", m.Header, m.Data)
	}
	if _, err := asking.PlanNamed(name).Get(t.Context()); err == nil {
		t.Error("it was carried out")
	}
	if late := metricsOf(t, n).of("requests_late_total", "at", "door"); late != 1 {
		t.Errorf("%v requests came late", late)
	}
	for _, wrong := range []string{"soon", "2026-13-01T00:00:00Z", strings.Repeat("2", 1000)} {
		if m := request(wrong); m.Header.Get(schema.HeaderServiceErrorCode) != "400" || !strings.Contains(string(m.Data), `"field":"Plan-Answer-By"`) {
			t.Errorf("%q is answered %v %s", wrong, m.Header, m.Data)
		}
	}
	for _, right := range []string{"", schema.FormatAnswerBy(time.Now().Add(patience))} {
		if m := request(right); m.Header.Get(schema.HeaderServiceErrorCode) != "" {
			t.Errorf("%q is answered %v %s", right, m.Header, m.Data)
		}
		if _, err := asking.PlanNamed(name).Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// The requests of the program's own clients carry the moment until which they wait.
func TestOurClientSendsItsDeadline(t *testing.T) {
	n := start(t, config(t))
	asking, done := ask(t, n, "")
	defer done()
	nc, err := n.Connect(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	requests, err := nc.SubscribeSync("plans.get")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.FlushTimeout(patience); err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	_, _ = asking.Plan("s", "p").Get(t.Context())
	m, err := requests.NextMsg(patience)
	if err != nil {
		t.Fatal(err)
	}
	by, err := schema.ParseAnswerBy(m.Header.Get(schema.HeaderAnswerBy))
	if err != nil || by.Before(before.Add(patience)) || by.After(time.Now().Add(patience)) {
		t.Errorf("it waits until %v: %v", by, err)
	}
}
