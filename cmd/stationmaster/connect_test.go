package main

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A user whose inbox may not be subscribed to is refused before the request leaves, because the
// request would be carried out, and its answer lost.
func TestRequestWithoutAnInboxIsNotSent(t *testing.T) {
	app := &server.Permissions{Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.app.>"}}}
	ns, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		Users: []*server.User{{Username: "app", Password: "p", Permissions: app}, {Username: "leader", Password: "p"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	defer ns.Shutdown()
	if !ns.ReadyForConnections(patience) {
		t.Fatal("nats-server is not ready")
	}
	leader, err := nats.Connect(ns.ClientURL(), nats.UserInfo("leader", "p"))
	if err != nil {
		t.Fatal(err)
	}
	defer leader.Close()
	var received atomic.Int64
	if _, err := leader.Subscribe("plans.remove", func(m *nats.Msg) {
		received.Add(1)
		_ = m.Respond([]byte(`{"plan_id":"p","station":"s","state":"closed","revision":1}`))
	}); err != nil {
		t.Fatal(err)
	}
	if err := leader.Flush(); err != nil {
		t.Fatal(err)
	}
	url := fmt.Sprintf("nats://app:p@127.0.0.1:%d", ns.Addr().(*net.TCPAddr).Port)
	args := []string{"plan", "rm", "s/p", "--nats-url", url}
	code, _, stderr := try(t, "", args...)
	if code == 0 || !strings.Contains(stderr, "this user may not do that") || !strings.Contains(stderr, "--nats-inbox-prefix") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if n := received.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if code, _, stderr := try(t, "", append(args, "--nats-inbox-prefix", "_INBOX.app")...); code != 0 || received.Load() != 1 {
		t.Errorf("with its own inbox: exit code %d, %d requests, %s", code, received.Load(), stderr)
	}
}
