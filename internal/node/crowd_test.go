package node_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

// A client that may claim at one station, which need not exist, sends more claims than may
// wait at a node, under one name and under thousands. A worker of another station still
// waits for work, and gets it.
func TestClaimsOfOneStationKeepNoOtherWorkerFromWork(t *testing.T) {
	n := start(t, config(t))
	open := func() *nats.Conn {
		nc, err := n.Connect(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	loud, quiet := open(), open()
	if m, err := quiet.Request("stations.put", []byte(`{"station":"honest","kind":"pull"}`), patience); err != nil || m.Header.Get("Nats-Service-Error") != "" {
		t.Fatal(err, m)
	}
	answers, err := loud.SubscribeSync(loud.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	const claims = 11_000
	for i := range claims {
		name := "w1"
		if i%2 == 0 {
			name = fmt.Sprintf("ghost-%d", i)
		}
		if err := loud.PublishRequest("plans.claim.hello", answers.Subject, []byte(`{"worker_id":"`+name+`","wait_ms":60000}`)); err != nil {
			t.Fatal(err)
		}
	}
	early := 0
	for ; early < claims-5000; early++ { // no more claims wait: one station has half of the places
		m, err := answers.NextMsg(patience)
		if err != nil {
			t.Fatalf("after %d answers: %v", early, err)
		}
		if string(m.Data) != `{"executions":[],"retry_after_ms":1000}` {
			t.Fatalf("a claim too many is answered %v %s", m.Header, m.Data)
		}
	}

	inbox, err := quiet.SubscribeSync(quiet.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	if err := quiet.PublishRequest("plans.claim.honest", inbox.Subject, []byte(`{"worker_id":"honest-1","wait_ms":60000}`)); err != nil {
		t.Fatal(err)
	}
	// The claim waits, because a refusal would come before this answer.
	if m, err := quiet.Request("plans.claim.honest", []byte(`{"worker_id":"honest-2"}`), patience); err != nil || string(m.Data) != `{"executions":[]}` {
		t.Fatal(err, m)
	}
	if waiting, refused := metricsOf(t, n).of("claims_waiting"), metricsOf(t, n).of("claims_turned_away_total"); waiting != 5001 || refused != claims-5000 {
		t.Errorf("%v wait, %v were refused", waiting, refused)
	}
	if m, err := quiet.Request("plans.create", []byte(`{"station":"honest","plan_id":"p","command":"c"}`), patience); err != nil || m.Header.Get("Nats-Service-Error") != "" {
		t.Fatal(err, m)
	}
	m, err := inbox.NextMsg(patience)
	if err != nil || !strings.Contains(string(m.Data), `"plan_id":"p"`) {
		t.Errorf("the honest worker is answered %v %v", m, err)
	}
}
