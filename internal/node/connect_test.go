package node_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// A node that starts tries again when a handshake failed for a passing reason.
func TestAHandshakeThatGoesWrongIsTriedAgain(t *testing.T) {
	server := external(t)
	for _, wrong := range []struct {
		name  string
		sends string // the bytes after which it hangs up
	}{
		{"a load balancer hangs up", ""},
		{"the server hangs up", hello},
		{"its first ping comes before our first pong", hello + "PING\r\n"},
	} {
		t.Run(wrong.name, func(t *testing.T) {
			c := config(t)
			c.NATS = node.External{URL: misspeaking(t, server.ClientURL(), wrong.sends)}
			start(t, c)
		})
	}
}

const hello = `INFO {"server_id":"X","version":"2.15.0","proto":1,"headers":true,"max_payload":1048576}` + "\r\n"

// misspeaking is the URL of a server that sends these bytes to its first client, waits for
// an answer if they are any, and hangs up. It forwards later clients to the real server.
func misspeaking(t *testing.T, server, sends string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var carrying sync.WaitGroup
	t.Cleanup(func() { // by then, every client has disconnected
		_ = l.Close()
		carrying.Wait()
	})
	carrying.Go(func() {
		first, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = fmt.Fprint(first, sends)
		if sends != "" {
			_, _ = bufio.NewReader(first).ReadString('\n') // its CONNECT
		}
		_ = first.Close()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			carrying.Go(func() { forward(conn, strings.TrimPrefix(server, "nats://")) })
		}
	})
	return "nats://" + l.Addr().String()
}

// forward carries bytes both ways until one side ends.
func forward(a net.Conn, address string) {
	b, err := net.Dial("tcp", address)
	if err != nil {
		_ = a.Close()
		return
	}
	defer b.Close()
	var there sync.WaitGroup
	there.Go(func() {
		_, _ = io.Copy(b, a)
		_ = b.Close()
	})
	_, _ = io.Copy(a, b)
	_ = a.Close()
	there.Wait()
}
