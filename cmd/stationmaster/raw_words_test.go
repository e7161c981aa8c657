package main

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

func TestNoWordsOfLibrariesReachAUser(t *testing.T) {
	for given, want := range map[string]string{
		"plans.list: unavailable: no answer within 1s; the request may have been done (context deadline exceeded)":                     "plans.list: unavailable: no answer within 1s; the request may have been done",
		"connect to nats://a:1: read tcp 127.0.0.1:50982->127.0.0.1:1: i/o timeout":                                                    "connect to nats://a:1: no answer came in time; is that a nats-server? --timeout gives it longer",
		"connect to nats://a:1: nats: Authorization Violation":                                                                         "connect to nats://a:1: the server refuses this user (Authorization Violation): check its name and password in --nats-url, or --nats-creds and --nats-nkey",
		`its user may not: nats: permissions violation: Permissions Violation for Subscription to "station.other" using queue "other"`: "its user may not: it may not subscribe to station.other",
		`this user may not do that: nats: permissions violation: Permissions Violation for Publish to "plans.list"`:                    "this user may not do that: it may not publish to plans.list",
		"wait for s/p: context deadline exceeded":                                                                                      "wait for s/p: no answer came in time; --timeout gives it longer",
		"connect to nats://127.0.0.1:4222: nats: no servers available for connection; does one run there? --nats-url names another":    "connect to nats://127.0.0.1:4222: no nats-server listens there; does one run there? --nats-url names another",
		"connect to nats://nohost.invalid:4222: dial tcp: lookup nohost.invalid on 10.255.255.53:53: no such host":                     "connect to nats://nohost.invalid:4222: no host has the name nohost.invalid",
		"connect to nats://a:1: dial tcp 10.0.0.7:1: connect: connection refused":                                                      "connect to nats://a:1: nothing listens at 10.0.0.7:1",
		"connect to nats://a:1: dial tcp 10.0.0.7:1: connect: no route to host":                                                        "connect to nats://a:1: 10.0.0.7:1 cannot be reached: no route to host",
		"connect to tls://a:1: nats: secure connection not available":                                                                  "connect to tls://a:1: that server takes no TLS: write nats:// for tls://, and give no --nats-tls-ca",
		`connect to ws://a:1: malformed HTTP status code "{\"proto\":1}"`:                                                              "connect to ws://a:1: that server speaks no WebSocket there: write nats:// for ws://",
	} {
		if got := withoutRawWords(given); got != want {
			t.Errorf("%s becomes %s", given, got)
		}
	}
}

// A port behind which nothing speaks NATS.
func TestAServerThatIsSilentIsNamed(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() //nolint:errcheck // nothing is written
	code, _, errs := try(t, "", "plan", "ls", "--timeout", "100ms", "--nats-url", fmt.Sprint("nats://", silent.Addr()))
	if code != exitFailed || !strings.Contains(errs, "no answer came in time; is that a nats-server?") || strings.Contains(errs, "i/o timeout") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
