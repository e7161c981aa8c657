package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// usersOf is a nats-server with one user, at a port.
func usersOf(t *testing.T, port int, user *server.User) *server.Server {
	t.Helper()
	ns, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, NoLog: true, NoSigs: true, Users: []*server.User{user}})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	t.Cleanup(ns.Shutdown)
	if !ns.ReadyForConnections(patience) {
		t.Fatal("nats-server is not ready")
	}
	return ns
}

// A worker whose user is no longer known after a loss of the connection ends with one message
// about that.
func TestAWorkerWhoseUserIsRefusedEnds(t *testing.T) {
	defer func(was time.Duration) { refusedFor = was }(refusedFor)
	refusedFor = 300 * time.Millisecond
	ns := usersOf(t, server.RANDOM_PORT, &server.User{Username: "wim", Password: "p"})
	port := ns.Addr().(*net.TCPAddr).Port
	printed, errs := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"work", "--station", "s", "--nats-url", fmt.Sprintf("nats://wim:p@127.0.0.1:%d", port), "--timeout", "1s", "--", "cat"}, strings.NewReader(""), io.Discard, errs)
		_ = errs.Close()
	}()
	var text strings.Builder
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		fmt.Fprintln(&text, lines.Text())
		if strings.HasPrefix(lines.Text(), "working at station.s") {
			ns.Shutdown()
			ns.WaitForShutdown()
			usersOf(t, port, &server.User{Username: "wim", Password: "another"})
		}
	}
	if code := <-ended; code != exitFailed || !strings.Contains(text.String(), "stationmaster: the server has refused this user since the connection was lost: the server refuses this user (authorization violation)") {
		t.Errorf("exit code %d:\n%s", code, &text)
	}
	if n := strings.Count(text.String(), "Authorization Violation") + strings.Count(text.String(), "authorization violation"); n > 2 {
		t.Errorf("it is said %d times:\n%s", n, &text)
	}
}

// A worker that can get no answers does not begin.
func TestAWorkerWithoutAnInboxDoesNotBegin(t *testing.T) {
	ns := usersOf(t, server.RANDOM_PORT, &server.User{Username: "wim", Password: "p", Permissions: &server.Permissions{
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.wim.>", "station.s"}},
	}})
	url := fmt.Sprintf("nats://wim:p@127.0.0.1:%d", ns.Addr().(*net.TCPAddr).Port)
	code, _, errs := try(t, "", "work", "--station", "s", "--nats-url", url, "--", "cat")
	if code != exitFailed || !strings.Contains(errs, "this user may not do that: it may not subscribe to _INBOX.") || !strings.Contains(errs, "--nats-inbox-prefix names this user's") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
