package node_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// logLines are those of a log.
type logLines chan string

func (l logLines) Write(line []byte) (int, error) {
	select {
	case l <- string(line):
	default:
	}
	return len(line), nil
}

// TestTheFileOfTokensIsReadAgain takes a token out of the file, then spoils the file, and then
// has a file read again that seems unchanged.
func TestTheFileOfTokensIsReadAgain(t *testing.T) {
	const ann, bob = "the-token-of-the-one", "the-token-of-another"
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(ann + " reader\n" + bob + " operator\n")
	cfg := local(t)
	cfg.HTTPTokenFile = file
	kept := make(logLines, 100)
	cfg.Log = slog.New(slog.NewTextHandler(kept, nil))
	s := open(t, cfg)
	defer http.DefaultClient.CloseIdleConnections()
	status := func(token string) int {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.HTTPAddr()+"/api/v1/plans", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", "Bearer "+token)
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r.StatusCode
	}
	until := func(token string, want int) {
		t.Helper()
		for got := status(token); got != want; got = status(token) {
			if t.Context().Err() != nil {
				t.Fatalf("%s: still %d", token, got)
			}
		}
	}
	if got := status(ann); got != 200 {
		t.Fatalf("at the start: %d", got)
	}
	write(bob + " operator\n")
	until(ann, 401)
	if got := status(bob); got != 200 {
		t.Errorf("the other one: %d", got)
	}

	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	write(ann + " nonsense\n")
	s.ReadTokens()
	for line := range kept {
		if strings.Contains(line, "tokens from before stay") {
			break
		}
	}
	if got := status(bob); got != 200 {
		t.Errorf("after the file was spoilt: %d", got)
	}
	awaitStale(t, s, true)
	write(ann + " operator\n") // as long as it was
	if err := os.Chtimes(file, time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
	s.ReadTokens()
	until(ann, 200)
	awaitStale(t, s, false)
}

// awaitStale waits until the probes say that the tokens are older than their file, or that they are
// not. They do not quote the file.
func awaitStale(t *testing.T, s *site, want bool) {
	t.Helper()
	until(t, fmt.Sprintf("the tokens are stale: %t", want), func() bool {
		_, body := status(t, "http://"+s.HTTPAddr()+"/readyz")
		if strings.Contains(body, "nonsense") || strings.Contains(body, "the-token") {
			t.Fatalf("everybody sees the file: %s", body)
		}
		line := strings.Contains(body, "tokens: the file cannot be used")
		return line == want && (metricsOf(t, s.Node).of("tokens_stale") == 1) == want
	})
}
