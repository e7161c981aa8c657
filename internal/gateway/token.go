package gateway

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A role is a token's permission.
type role uint8

const (
	anyone   role = iota // no token is needed
	holder               // any token will do
	worker               // takes work and reports it
	reader               // reads
	operator             // everything
)

func (r role) String() string {
	return [...]string{"anyone", "holder", "worker", "reader", "operator"}[r]
}

// includes reports whether a role permits a route that needs another one.
func (r role) includes(needed role) bool {
	return needed == anyone || r != anyone && (needed == holder || r == operator || r == needed)
}

// Tokens are the accepted bearer tokens, as hashes. They are safe for concurrent use.
type Tokens struct{ known atomic.Pointer[[]grant] }

type grant struct {
	hash [sha256.Size]byte
	role role
	name string // of its holder; empty: none is given

	stations scope
}

// shortestToken excludes tokens that can be guessed.
const shortestToken = 16

// ReadTokens reads a file of lines "token role [name [stations]]", the role `reader` (GET), `worker`
// (takes tasks and reports them) or `operator` (everything), the stations patterns with commas. A
// change under a token is attributed to its name. Empty lines and lines that begin with # are
// ignored. A token has 16 bytes at least, without spaces, and one line, because of two roles the
// greater would silently win.
func ReadTokens(in io.Reader) (*Tokens, error) {
	var known []grant
	lineOf := map[[sha256.Size]byte]int{}
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		g, err := readGrant(fields)
		if err != nil {
			return nil, fmt.Errorf("line %d%w", number, err)
		}
		if len(fields[0]) < shortestToken {
			return nil, fmt.Errorf("line %d: the token has %d bytes; take at least %d, such as `openssl rand -hex 32` prints", number, len(fields[0]), shortestToken)
		}
		if before, twice := lineOf[g.hash]; twice {
			return nil, fmt.Errorf("line %d has the token of line %d again; leave one of them out, since a token has one role", number, before)
		}
		lineOf[g.hash] = number
		known = append(known, g)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("there is no token in it, so every request would be refused")
	}
	t := &Tokens{}
	t.known.Store(&known)
	return t, nil
}

// readGrant reads the words of a line. An error continues the number of the line, and repeats
// neither of the first two words, because both may be the token.
func readGrant(words []string) (g grant, err error) {
	if len(words) < 2 || len(words) > 4 {
		return g, fmt.Errorf(" has %d words; write a token, a role (reader, worker or operator), and, where it has them, its name and its stations", len(words))
	}
	g.hash = sha256.Sum256([]byte(words[0]))
	switch words[1] {
	case "worker":
		g.role = worker
	case "reader":
		g.role = reader
	case "operator":
		g.role = operator
	default:
		return g, errors.New(": the second word is no role; write a token and then reader, worker or operator")
	}
	if len(words) > 2 {
		g.name = words[2]
		if err := (schema.Attribution{By: g.name}).Check(schema.CodeInvalidRequest); err != nil || !utf8.ValidString(g.name) {
			return g, fmt.Errorf(": the third word, the token's name, is no text of at most %d bytes without control characters", schema.MaxBy)
		}
	}
	if len(words) > 3 {
		if g.stations, err = readScope(words[3]); err != nil {
			return g, fmt.Errorf(": %w", err)
		}
	}
	return g, nil
}

// Replace has t accept the tokens of another, and no others.
func (t *Tokens) Replace(by *Tokens) { t.known.Store(by.known.Load()) }

// A caller identifies the holder of a token by its hash. The zero value stands for all callers on
// routes that need none.
type caller [sha256.Size]byte

// of returns the record of the token with a hash, or the role anyone for an unknown one. It
// compares every known token, whole, so that the time it takes reveals nothing.
func (t *Tokens) of(who caller) (found grant) {
	for _, g := range *t.known.Load() {
		if subtle.ConstantTimeCompare(who[:], g.hash[:]) == 1 {
			found = g
		}
	}
	return found
}

// local admits, without a token, connections from this machine. A request that a proxy
// passed on came from elsewhere, and one whose Host is a name may come from a web page
// whose name resolves to this machine (DNS rebinding).
func local(r *http.Request) error {
	const remedy = "start the gateway with --http-token-file, and send a token"
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().Unmap().IsLoopback() {
		return refuse(http.StatusUnauthorized, codeUnauthorized, "without tokens only requests from the same machine are served; %s", remedy)
	}
	for name := range r.Header {
		if isProxys(name) {
			return refuse(http.StatusUnauthorized, codeUnauthorized, "without tokens no request is served that a proxy passed on (%s); %s", name, remedy)
		}
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && !strings.EqualFold(host, "localhost") {
		return refuse(http.StatusForbidden, codeForbidden, "without tokens the host is to be localhost or an address, not %q; %s", host, remedy)
	}
	return nil
}

// isProxys reports whether a header, in its canonical form, is one by which a proxy names
// the client that it forwards for.
func isProxys(header string) bool {
	switch header {
	case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Envoy-External-Address",
		"True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip":
		return true
	}
	return strings.HasPrefix(header, "X-Forwarded-") || strings.HasPrefix(header, "X-Original-")
}
