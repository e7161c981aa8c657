package gateway

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// wrongTokens is how many wrong tokens an address may send in guessTime.
	wrongTokens = 10
	guessTime   = time.Minute
	// mostGuessers bounds the addresses that are counted; further ones are counted together.
	mostGuessers = 4096
)

// guesses count the wrong tokens of each address, so that trying them out takes for ever. They
// never keep a right one out, because many users may have one address.
type guesses struct {
	log *slog.Logger

	mu sync.Mutex
	of map[netip.Prefix]*guessing
}

// guessing is the wrong tokens of one address in one guessTime.
type guessing struct {
	since time.Time
	wrong int
}

func newGuesses(log *slog.Logger) *guesses {
	return &guesses{log: log, of: map[netip.Prefix]*guessing{}}
}

// count counts a wrong token of an address. It returns an error when there were too many.
func (s *guesses) count(from netip.Prefix, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.of[from]
	if g == nil || now.Sub(g.since) >= guessTime {
		if g == nil && len(s.of) >= mostGuessers {
			s.forget(now)
			if len(s.of) >= mostGuessers {
				from = netip.Prefix{}
			}
		}
		if g = s.of[from]; g == nil || now.Sub(g.since) >= guessTime {
			g = &guessing{since: now}
			s.of[from] = g
		}
	}
	g.wrong++
	if g.wrong <= wrongTokens {
		return nil
	}
	if g.wrong == wrongTokens+1 {
		s.log.Warn("an address sends wrong tokens; further ones are refused for a minute", "address", from.String())
	}
	refusal := &schema.Error{Code: codeUnauthorized, Message: "too many wrong tokens came from this address within a minute"}
	refusal.RetryAfterMS = guessTime.Milliseconds() - now.Sub(g.since).Milliseconds()
	return &httpError{http.StatusTooManyRequests, refusal}
}

// forget removes the addresses whose time is over. The mu is held.
func (s *guesses) forget(now time.Time) {
	for from, g := range s.of {
		if now.Sub(g.since) >= guessTime {
			delete(s.of, from)
		}
	}
}
