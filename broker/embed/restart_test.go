package embed

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A server that was restarted while it could not open files never becomes healthy, so that
// it is given up, and comes back when it is started once more.
func TestARestartThatEndsUnwellIsGivenUp(t *testing.T) {
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	dir := t.TempDir()
	s, err := Start(ctx, Options{StoreDir: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
		t.Fatal(err)
	}
	meta := filepath.Join(dir, "jetstream", "$G", "streams", "S", "meta.inf")
	was, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(meta, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(nil)
	s.wellWithin = 100 * time.Millisecond
	if err := s.Restart(ctx); !errors.Is(err, errUnwell) {
		t.Fatalf("it came back, or was waited for: %v", err)
	}
	if err := s.Healthz(); !errors.Is(err, errStopped) {
		t.Errorf("it runs: %v", err)
	}
	write(was)
	s.wellWithin = patience
	if err := s.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Healthz(); err != nil {
		t.Error(err)
	}
	if _, err := js.Stream(ctx, "S"); err != nil {
		t.Error(err)
	}
}

// A server alone that starts without one of its streams reports the reason while it waits,
// and does not wait for ever.
func TestAStartThatStaysUnhealthyReportsTheCauseAndEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	dir := t.TempDir()
	s, err := Start(ctx, Options{StoreDir: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	meta := filepath.Join(dir, "jetstream", "$G", "streams", "S", "meta.inf")
	if err := errors.Join(s.Shutdown(), os.MkdirAll(filepath.Dir(meta), 0o700), os.WriteFile(meta, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	const what = "JetStream stream '$G > S' could not be recovered"
	var reported []error
	var log bytes.Buffer
	s, err = start(ctx, Options{
		StoreDir: dir, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Unwell: func(err error) { reported = append(reported, err) },
	}, 300*time.Millisecond)
	if !errors.Is(err, errUnwell) || !strings.Contains(err.Error(), what) {
		t.Fatalf("%v, %v", s, err)
	}
	if len(reported) < 2 || reported[0] == nil || reported[0].Error() != what || reported[len(reported)-1] != nil {
		t.Errorf("it was called with %v", reported)
	}
	if lines := strings.Count(log.String(), "is not healthy; waiting for it"); lines < 2 || lines > 6 || !strings.Contains(log.String(), what) {
		t.Errorf("%d lines:\n%s", lines, &log)
	}
}
