package token_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/internal/token"
)

const reply = "plan.reply.0.http.*nightly.3-00112233445566ff"

var (
	key = token.New([]byte("the installation's"))
	now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
)

func TestATokenOpensUntilItExpires(t *testing.T) {
	made := key.Make(reply, now)
	for _, tt := range []struct {
		at   time.Time
		want error
	}{
		{now.Add(-time.Hour), nil},
		{now.Add(999 * time.Millisecond), nil},
		{now.Add(time.Second), token.ErrExpired},
	} {
		got, err := key.Open(made, tt.at)
		if !errors.Is(err, tt.want) || (err == nil) != (got == reply) {
			t.Errorf("at %v: %q, %v, want %v", tt.at, got, err, tt.want)
		}
	}
}

func TestTokensOfTheSameExecutionDiffer(t *testing.T) {
	if a, b := key.Make(reply, now), key.Make(reply, now); a == b {
		t.Errorf("twice %q", a)
	}
}

func TestATokenHidesTheReplySubject(t *testing.T) {
	raw, err := base64.RawURLEncoding.DecodeString(key.Make(reply, now))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte("nightly")) || bytes.Contains(raw, []byte("0011")) {
		t.Error("the reply subject can be read in the token")
	}
}

func TestAnotherInstallationsTokenIsWrong(t *testing.T) {
	other := token.New([]byte("another's"))
	if _, err := key.Open(other.Make(reply, now), now); !errors.Is(err, token.ErrWrong) {
		t.Errorf("got %v", err)
	}
}

// No token opens that was changed, cut off or extended.
func TestNoForgeryOpens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		subject := rapid.StringN(0, 200, 600).Draw(t, "subject")
		made := key.Make(subject, now)
		if got, err := key.Open(made, now); err != nil || got != subject {
			t.Fatalf("%q came back as %q, %v", subject, got, err)
		}
		forged := []byte(made)
		switch rapid.SampledFrom([]string{"letter", "cut", "longer", "join"}).Draw(t, "how") {
		case "letter":
			const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
			i := rapid.IntRange(0, len(forged)-1).Draw(t, "at")
			letter := letters[rapid.IntRange(0, len(letters)-1).Draw(t, "letter")]
			if forged[i] == letter {
				t.Skip("unchanged")
			}
			forged[i] = letter
		case "cut":
			forged = forged[:rapid.IntRange(0, len(forged)-1).Draw(t, "length")]
		case "longer":
			forged = append(forged, rapid.StringMatching(`[A-Za-z0-9_-]{1,8}`).Draw(t, "more")...)
		case "join": // the head of one, the rest of another
			other := key.Make("plan.reply.0.http.*other.1-0011223344556677", now.Add(time.Hour))
			at := rapid.IntRange(1, min(len(made), len(other))-1).Draw(t, "at")
			forged = []byte(made[:at] + other[at:])
			if string(forged) == other || string(forged) == made {
				t.Skip("they begin or end alike")
			}
		}
		if got, err := key.Open(string(forged), now); err == nil {
			t.Fatalf("%q opens as %q", forged, got)
		} else if got != "" {
			t.Fatalf("an error, and yet %q", got)
		}
	})
}

func FuzzOpen(f *testing.F) {
	f.Add(key.Make(reply, now))
	f.Add("")
	f.Add("AQ")
	f.Add(strings.Repeat("A", 3000))
	f.Fuzz(func(t *testing.T, text string) {
		got, err := key.Open(text, now)
		if err == nil && got != reply {
			t.Errorf("%q opens as %q", text, got)
		}
	})
}

func BenchmarkMakeAndOpen(b *testing.B) {
	for b.Loop() {
		if _, err := key.Open(key.Make(reply, now), now); err != nil {
			b.Fatal(err)
		}
	}
}
