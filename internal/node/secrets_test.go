package node_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A diary keeps the log of a node.
type diary struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (d *diary) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(p)
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

// keyFile writes a file of keys, each of 32 equal bytes.
func keyFile(t *testing.T, keys ...byte) string {
	t.Helper()
	var text strings.Builder
	for _, b := range keys {
		text.WriteString(strings.Repeat(hex.EncodeToString([]byte{b}), 32) + "\n")
	}
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// raw is the content of the bucket of secrets.
func (s *site) raw(t *testing.T) string {
	t.Helper()
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), "secrets")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := kv.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, key := range keys {
		entry, err := kv.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s=%s\n", key, entry.Value())
	}
	return all.String()
}

// keep stores a secret as a node without keys does.
func (s *site) keep(t *testing.T, station string, sk schema.Secret) {
	t.Helper()
	store, err := broker.Provision(t.Context(), s.nc, broker.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Secrets(nil).Put(t.Context(), station, sk); err != nil {
		t.Fatal(err)
	}
}

// A secret that was stored plain is sealed by the first node that has a key, and signs
// callbacks. With another key it does not, which is logged; with both keys it does again.
func TestSecretsSignCallbacksAndAreSealed(t *testing.T) {
	const secret = "hush-hush-hush"
	var log diary
	calls := make(chan error, 100)
	target := web(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		h := r.Header
		fmt.Fprintf(mac, "PUT\n/done?x=1\n%s\n%s\n%s", h.Get("X-Stationmaster-Time"), h.Get("X-Stationmaster-Nonce"), body)
		if got := h.Get("X-Stationmaster-Signature"); got != hex.EncodeToString(mac.Sum(nil)) || h.Get("X-Stationmaster-Key") != "AK" {
			calls <- fmt.Errorf("%s %s %s is signed with %q", r.Method, r.RequestURI, body, got)
			return
		}
		calls <- nil
	})
	c := local(t)
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	create := func(s *site, id string) { // a plan that ends at once
		t.Helper()
		sub, err := s.nc.Subscribe("station.order", func(m *nats.Msg) { _ = m.Respond([]byte(`{"state":"ok"}`)) })
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = sub.Unsubscribe() }()
		if _, err := s.client.Plans().Create(t.Context(), schema.Plan{Station: "order", PlanID: id, Command: "c"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		select {
		case err := <-calls:
			if err != nil {
				t.Error(err)
			}
		case <-ctx.Done():
			t.Fatalf("there is no callback about %s:\n%s", id, log.String())
		}
	}

	s := open(t, c)
	if _, err := s.client.Stations().Put(t.Context(), schema.Station{Station: "order", Callback: &schema.Callback{
		Success:  &schema.CallbackTarget{URL: target.URL + "/done?x=1", Method: "PUT"},
		Security: schema.CallbackSecurity{Type: schema.SecurityAKSK, AK: "AK"},
	}}); err != nil {
		t.Fatal(err)
	}
	s.keep(t, "order", secret)
	create(s, "plain")
	s.shut(t)

	c.SecretsKeyFile = keyFile(t, 1)
	s = open(t, c)
	if raw := s.raw(t); strings.Contains(raw, secret) || !strings.Contains(raw, "order=") {
		t.Errorf("the bucket holds %s", raw)
	}
	create(s, "sealed")
	s.shut(t)

	c.SecretsKeyFile = keyFile(t, 2)
	s = open(t, c)
	if want := "station order is sealed under key "; !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %q:\n%s", want, log.String())
	}
	results, err := s.client.Results().Follow("callback.order")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Plans().Create(t.Context(), schema.Plan{Station: "order", PlanID: "late", Command: "c"}); err != nil {
		t.Fatal(err)
	}
	sub, err := s.nc.Subscribe("station.order", func(m *nats.Msg) { _ = m.Respond([]byte(`{"state":"ok"}`)) })
	if err != nil {
		t.Fatal(err)
	}
	r := first(t, results)
	if r.State != schema.StateError || !strings.Contains(r.Error.String(), "sealed under key") || strings.Contains(r.Error.String(), secret) {
		t.Errorf("the try ends %s, %s", r.State, r.Error)
	}
	_ = sub.Unsubscribe()
	s.shut(t)

	c.SecretsKeyFile = keyFile(t, 2, 1)
	s = open(t, c)
	create(s, "both") // or the late one, which comes as well
	if strings.Contains(log.String(), secret) {
		t.Error("the log has the secret")
	}
}

func first(t *testing.T, feed *client.Feed[schema.Result]) *schema.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for r, err := range feed.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatal("no result came")
	return nil
}

func TestAWrongKeyFileIsReportedAtTheStart(t *testing.T) {
	c := config(t)
	for text, want := range map[string]string{"": "holds no key", "xyz": "line 1 is no key"} {
		c.SecretsKeyFile = filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(c.SecretsKeyFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := node.Start(context.WithoutCancel(t.Context()), c); err == nil || !strings.Contains(err.Error(), "secrets-key-file") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	c.SecretsKeyFile = filepath.Join(t.TempDir(), "gone")
	if _, err := node.Start(context.WithoutCancel(t.Context()), c); err == nil || !strings.Contains(err.Error(), "secrets-key-file") {
		t.Error(err)
	}
}

// A file of secrets that every user of the machine can read is accepted, with a warning.
func TestAFileOfSecretsThatOthersCanReadIsWarnedOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its files have other rights")
	}
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("an-operator-of-this-test operator\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true} {
		keys := keyFile(t, 1)
		for _, path := range []string{tokens, keys} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		warnings := &diary{}
		c := config(t)
		c.HTTPTokenFile, c.SecretsKeyFile = tokens, keys
		c.Log = slog.New(slog.NewTextHandler(warnings, &slog.HandlerOptions{Level: slog.LevelWarn}))
		stop(t, start(t, c))
		for _, flag := range []string{"http-token-file", "secrets-key-file"} {
			if is := strings.Contains(warnings.String(), "flag="+flag); is != warned {
				t.Errorf("%s with mode %v: warned is %t\n%s", flag, mode, is, warnings)
			}
		}
	}
}
