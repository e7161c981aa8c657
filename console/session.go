package console

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/token"
)

// SessionTime is how long a session lasts.
const SessionTime = 12 * time.Hour

// A TokenHash is the SHA-256 of a bearer token.
type TokenHash = [sha256.Size]byte

// Sessions make and open the cookies of sessions. A cookie holds the hash of the token that was
// given, sealed with a key that all nodes of an installation have, so that any node takes it,
// none keeps it, and it ends with its token. It is safe for concurrent use.
type Sessions struct {
	key    token.Key
	secure bool
}

// NewSessions derives the key from the secret of the installation. The cookies are for TLS alone
// when secure is true.
func NewSessions(secret []byte, secure bool) *Sessions {
	return &Sessions{token.ForSessions(secret), secure}
}

// name is that of the cookie; browsers take one that begins with __Host- from this very host
// and by TLS alone.
func (s *Sessions) name() string {
	if s.secure {
		return "__Host-sm_session"
	}
	return "sm_session"
}

// Begin returns the cookie of a new session, and when it ends.
func (s *Sessions) Begin(of TokenHash, now time.Time) (*http.Cookie, time.Time) {
	ends := now.Add(SessionTime).Truncate(time.Second)
	plain := binary.BigEndian.AppendUint64(of[:], uint64(ends.Unix()))
	return s.cookie(s.key.Make(string(plain), ends), int(SessionTime/time.Second)), ends
}

// End returns the cookie that takes a session away from a browser.
func (s *Sessions) End() *http.Cookie { return s.cookie("", -1) }

func (s *Sessions) cookie(value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: s.name(), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode,
	}
}

// Of returns the session of a request: the hash of its token, and when it ends. It counts only
// where the browser says that a page of this very origin asks, or that the user opened the page
// by hand, because otherwise another page could have the user's browser ask.
func (s *Sessions) Of(r *http.Request, now time.Time) (of TokenHash, ends time.Time, ok bool) {
	if !fromHere(r) {
		return of, ends, false
	}
	for _, c := range r.CookiesNamed(s.name()) {
		plain, err := s.key.Open(c.Value, now)
		if err != nil || len(plain) != len(of)+8 {
			continue
		}
		copy(of[:], plain)
		return of, time.Unix(int64(binary.BigEndian.Uint64([]byte(plain[len(of):]))), 0), true
	}
	return of, ends, false
}

// fromHere reports whether a page of this origin asks, or the user opens one. Browsers send
// these headers by TLS and to localhost alone, and no page can set them.
func fromHere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return true
	case "none":
		return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	default:
		return false
	}
}
