package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// An identity is the requester with their rights.
type identity struct {
	caller
	role role
	name string    // of the token, which changes are attributed to; empty: there are no tokens
	ends time.Time // of the session; zero: a token came along, or none is needed

	stations scope // of the token
}

// allow returns the identity of the requester, or the error that keeps the request from a route.
func (g *Gateway) allow(r *http.Request, needed role) (who identity, err error) {
	if needed == anyone {
		return who, nil
	}
	if who, err = g.identify(r); err != nil {
		return who, err
	}
	switch {
	case g.config.ReadOnly && (needed == worker || needed == operator):
		return who, refuse(http.StatusForbidden, codeForbidden, "this node takes no changes, because it was started with --http-read-only")
	case who.role.includes(needed):
		return who, nil
	default:
		takes := "an operator's"
		if needed != operator {
			takes = fmt.Sprintf("a %s's, or an operator's", needed)
		}
		return who, refuse(http.StatusForbidden, codeForbidden, "this token is a %s's; it takes %s", who.role, takes)
	}
}

// identify returns who asks. A token in the header counts before a session.
func (g *Gateway) identify(r *http.Request) (who identity, err error) {
	switch {
	case g.config.Tokens == nil:
		who.role, err = g.permitted(operator), local(r)
	case len(r.Header.Values("Authorization")) == 0:
		who, err = g.ofSession(r)
	default:
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return who, noToken()
		}
		who, err = g.ofToken(r, strings.TrimSpace(token))
	}
	return who, err
}

// permitted is the role that this node lets one of a role have: a node that takes no changes has
// no operators.
func (g *Gateway) permitted(r role) role {
	if g.config.ReadOnly && r == operator {
		return reader
	}
	return r
}

// ofToken returns the holder of a token; wrong ones are counted.
func (g *Gateway) ofToken(r *http.Request, token string) (identity, error) {
	who, ok := g.holder(sha256.Sum256([]byte(token)))
	if ok {
		return who, nil
	}
	if token != "" {
		if err := g.wrong.count(addressOf(r), g.config.Now()); err != nil {
			return who, err
		}
	}
	return who, noToken()
}

// ofSession returns the holder of the token with which a session began, if the request has one
// and the token is still accepted.
func (g *Gateway) ofSession(r *http.Request) (identity, error) {
	if g.config.Sessions == nil {
		return identity{}, noToken()
	}
	hash, ends, ok := g.config.Sessions.Of(r, g.config.Now())
	if !ok {
		return identity{}, noToken()
	}
	who, ok := g.holder(hash)
	if !ok {
		return who, noToken()
	}
	who.ends = ends
	return who, nil
}

// holder returns the holder of the token with a hash; false: there is no such token.
func (g *Gateway) holder(hash caller) (who identity, ok bool) {
	found := g.config.Tokens.of(hash)
	who = identity{caller: hash, role: g.permitted(found.role), name: found.name, stations: found.stations}
	if who.name == "" {
		who.name = "token-" + hex.EncodeToString(hash[:3])
	}
	return who, found.role != anyone
}

func noToken() error {
	return refuse(http.StatusUnauthorized, codeUnauthorized, "a token is missing or wrong; send the header Authorization: Bearer TOKEN")
}
