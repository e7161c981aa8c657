package node_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

func TestConfigurationIsChecked(t *testing.T) {
	for message, change := range map[string]func(*node.Config){
		`node "a b"`:                      func(c *node.Config) { c.Node = "a b" },
		`prefix "a.b"`:                    func(c *node.Config) { c.Prefix = "a.b" },
		"name a folder":                   func(c *node.Config) { c.DataDir = "" },
		"partitions 65: give":             func(c *node.Config) { c.Partitions = 65 },
		"give 1 to 5":                     func(c *node.Config) { c.Replicas = 6 },
		"knows of 1":                      func(c *node.Config) { c.Replicas = 3 },
		"leave out --nats-url":            func(c *node.Config) { c.Cluster.Name, c.NATS.URL = "c", "nats://x" },
		"give the name that all":          func(c *node.Config) { c.Cluster.Listen = "127.0.0.1:1" },
		`cluster-routes "a:1"`:            func(c *node.Config) { c.Cluster = node.Cluster{Name: "c", Listen: ":1", Routes: []string{"a:1"}} },
		`cluster-listen ""`:               func(c *node.Config) { c.Cluster = node.Cluster{Name: "c", Routes: []string{"nats://a:1"}} },
		"give --nats-url, too":            func(c *node.Config) { c.NATS.Creds = "x" },
		"go together":                     func(c *node.Config) { c.NATS.URL, c.NATS.TLSCert = "nats://x", "c" },
		"give one of them":                func(c *node.Config) { c.NATS.URL, c.NATS.Creds, c.NATS.NKey = "nats://x", "c", "n" },
		"lease 1ms":                       func(c *node.Config) { c.Lease = time.Millisecond },
		"checkpoint 0s":                   func(c *node.Config) { c.Checkpoint = 0 },
		"misfire-grace -1s":               func(c *node.Config) { c.MisfireGrace = -time.Second },
		`http-listen "8080"`:              func(c *node.Config) { c.HTTPListen = "8080" },
		"queue-batch 0: give 1":           func(c *node.Config) { c.QueueBatch = 0 },
		"http-max-connections -1":         func(c *node.Config) { c.HTTPMaxConnections = -1 },
		"the stores need half":            func(c *node.Config) { c.NATSMaxConnections = 1 << 30 },
		"max-connections is for the":      func(c *node.Config) { c.NATS.URL, c.NATSMaxConnections = "nats://x", 9 },
		"nats-listen 0.0.0.0:4222":        func(c *node.Config) { c.NATSListen = "0.0.0.0:4222" },
		"nats-listen :4222: every client": func(c *node.Config) { c.NATSListen = ":4222" },
		"nats-listen host.example:1":      func(c *node.Config) { c.NATSListen = "host.example:1" },
		"http-listen 192.0.2.1:1":         func(c *node.Config) { c.HTTPListen = "192.0.2.1:1" },
		"cluster-listen [::]:1: any": func(c *node.Config) {
			c.Cluster = node.Cluster{Name: "c", Listen: "[::]:1", Routes: []string{"nats://a:1"}}
		},
		"nats-listen: a node of a cl": func(c *node.Config) {
			c.Cluster = node.Cluster{Name: "c", Listen: "127.0.0.1:1", Routes: []string{"nats://a:1"}, KeyFile: "k"}
			c.NATSListen = ""
		},
		"give --cluster-name, too":    func(c *node.Config) { c.Cluster.KeyFile = "x" },
		"cluster-tls-ca: name":        func(c *node.Config) { c.Cluster = node.Cluster{Name: "c", TLS: node.TLS{Cert: "c", Key: "k"}} },
		"nats-listen-tls-cert and":    func(c *node.Config) { c.NATSListenTLS.CA = "x" },
		"nats-users-file and --nats-": func(c *node.Config) { c.NATS.URL, c.NATSUsersFile = "nats://x", "x" },
		"tenant-plans -1: give":       func(c *node.Config) { c.TenantPlans = -1 },
		"tenant-rate -1: give":        func(c *node.Config) { c.TenantRate = -1 },
		"results-per-plan and --res":  func(c *node.Config) { c.ResultsPerPlan = -1 },
		"results-bytes 8: a number w": func(c *node.Config) { c.ResultsBytes = 8 },
		`prefix "station" begins`:     func(c *node.Config) { c.Prefix = "station" },
	} {
		c := node.Default()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("want %q, got %v", message, err)
		} else if text := err.Error(); !strings.HasPrefix(text, "--") && !strings.HasPrefix(text, "credentials and TLS are for") {
			t.Errorf("the flag is not written as it is typed: %s", text)
		}
		if _, err := node.Start(t.Context(), c); err == nil {
			t.Errorf("a node has started though %s", message)
		}
	}
	c := node.Default()
	if err := c.Validate(); err != nil {
		t.Errorf("the default is wrong: %v", err)
	}
	for what, change := range map[string]func(*node.Config){
		"users":  func(c *node.Config) { c.NATSListen, c.NATSUsersFile = ":4222", "x" },
		"tokens": func(c *node.Config) { c.HTTPListen, c.HTTPTokenFile = ":8080", "x" },
		"a key": func(c *node.Config) {
			c.Cluster = node.Cluster{Name: "c", Listen: ":1", Routes: []string{"nats://a:1"}, KeyFile: "x"}
		},
		"none asked":   func(c *node.Config) { c.NATSListen, c.HTTPListen, c.Insecure = ":4222", ":8080", true },
		"another NATS": func(c *node.Config) { c.NATSListen, c.NATS.URL = ":4222", "nats://x" },
		"this machine": func(c *node.Config) { c.NATSListen, c.HTTPListen = "127.1.2.3:4222", "localhost:8080" },
		"its IPv6":     func(c *node.Config) { c.NATSListen, c.HTTPListen = "[::1]:4222", "[::ffff:127.0.0.1]:8080" },
	} {
		c := node.Default()
		change(&c)
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestPasswordsAreNotShown(t *testing.T) {
	for url, want := range map[string]string{
		"nats://user:s3cr3t@a:4222, tls://b:4222": "nats://user:xxxxx@a:4222,tls://b:4222",
		"user:s3cr3t@a:4222":                      "user:xxxxx@a:4222",
		"nats://s3cr3t@a:4222":                    "nats://xxxxx@a:4222",
		"nats://user:s3@cr3t@a":                   "nats://user:xxxxx@a",
		"nats://a:4222":                           "nats://a:4222",
	} {
		if got := (node.External{URL: url}).String(); got != want {
			t.Errorf("shown as %q, want %q", got, want)
		}
	}
	// Nor where a password is the mistake in the URL.
	for _, url := range []string{
		"nats://user:s3cr3t%zz@a", "nats://user:s3cr3t s3cr3t@a", "nats://user:s3cr3t#@a", "nats://user:s3cr3t/@a", "nats://user:s3cr3t,s3cr3t@a", "user:s3cr3t%@a", "s3cr3t%@a",
	} {
		c := node.Default()
		c.NATS.URL = url
		_, err := c.NATS.Connect("x", time.Second, slog.New(slog.DiscardHandler))
		for _, err := range []error{c.Validate(), err} {
			if err == nil || strings.Contains(err.Error(), "s3cr3t") || !strings.Contains(err.Error(), "%2F for /") {
				t.Errorf("%s: %v", url, err)
			}
		}
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("changed my mind")
	cancel(reason)
	if _, err := node.Start(ctx, config(t)); !errors.Is(err, reason) && !errors.Is(err, context.Canceled) {
		t.Errorf("Start returned %v", err)
	}
}

func TestHTTPConfigurationIsChecked(t *testing.T) {
	for message, h := range map[string]node.HTTPWorker{
		"http-concurrency -1":     {Concurrency: -1},
		"http-longest-call 25h":   {LongestCall: 25 * time.Hour},
		"http-longest-call 1ms":   {LongestCall: time.Millisecond},
		`http-public-url "a.org"`: {PublicURL: "a.org"},
		`http-proxy "ftp://a"`:    {Proxy: "ftp://a"},
		"http-allow":              {Allow: []string{"a b"}},
	} {
		c := node.Default()
		c.HTTPWorker = h
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("want %q, got %v", message, err)
		}
	}
}
