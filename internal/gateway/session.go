package gateway

import (
	"net/http"
	"time"

	"github.com/stationmaster-io/stationmaster/console"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const sessionPath = api + "/session"

var sessionRoutes = []route{
	{
		method: http.MethodGet, path: sessionPath, role: holder, id: "getSession", summary: "Show who asks, and whom",
		result: "Session", serve: getSession,
	},
	{
		method: http.MethodPost, path: sessionPath, role: anyone, id: "beginSession", summary: "Begin a browser's session",
		about: "With a token of --http-token-file, in the body. The answer sets the session's cookie, which lasts for twelve hours, or until the token is taken out of the file. Without such a file it is a conflict, because no session is needed.",
		body:  "SessionInput", result: "Session", admit: smallBody, serve: beginSession,
	},
	{
		method: http.MethodDelete, path: sessionPath, role: anyone, id: "endSession", summary: "End a browser's session",
		about: "The answer takes the cookie away.", status: http.StatusNoContent, serve: endSession,
	},
}

// A session is who asks, and of which node.
type session struct {
	Role     string    `json:"role"`           // reader, worker or operator
	Name     string    `json:"name,omitempty"` // of the token
	Login    bool      `json:"login"`          // there are tokens
	ReadOnly bool      `json:"read_only"`
	Version  string    `json:"version"`
	Prefix   string    `json:"prefix"`
	Node     string    `json:"node"`
	Time     time.Time `json:"time"`
	Expires  time.Time `json:"expires,omitzero"` // absent: no session, but a token or none
	Features []string  `json:"features"`
	Stations []string  `json:"stations,omitempty"` // of the token, as patterns; absent: all
}

// features are the parts of REST that not every release has.
var features = []string{"dry_run", "bulk"}

func (g *Gateway) session(who identity) session {
	s := session{
		Role: who.role.String(), Name: who.name, Login: g.config.Tokens != nil, ReadOnly: g.config.ReadOnly,
		Version: g.config.Version, Prefix: g.config.Prefix, Node: g.config.Node,
		Time: g.config.Now().UTC(), Features: features, Stations: who.stations,
	}
	if !who.ends.IsZero() {
		s.Expires = who.ends.UTC()
	}
	return s
}

// Session returns the session of a request in JSON, as GET /api/v1/session does; nil: the request
// has none.
func (g *Gateway) Session(r *http.Request) []byte {
	who, err := g.identify(r)
	if err != nil {
		return nil
	}
	body, err := wire.Marshal(wire.JSON, g.session(who))
	if err != nil {
		return nil // cannot happen: texts and times have an encoding
	}
	return body
}

func getSession(g *Gateway, q *request) (answer, error) {
	return answer{body: g.session(q.who), private: true}, nil
}

// mostOfLogin is the most bytes of a body that holds a token.
const mostOfLogin = 4 << 10

// smallBody refuses a larger body before it is read, because whoever sends it has shown no token,
// and bodies share their room.
func smallBody(_ *Gateway, q *request) error {
	if q.ContentLength < 0 || q.ContentLength > mostOfLogin {
		return &schema.Error{Code: schema.CodeTooLarge, Message: "the body is to say its length, and to have at most 4096 bytes"}
	}
	return nil
}

func beginSession(g *Gateway, q *request) (answer, error) {
	if g.config.Tokens == nil || g.config.Sessions == nil {
		return answer{}, refuse(http.StatusConflict, schema.CodeConflict, "there is no token file (--http-token-file), so nobody has to log in")
	}
	token, ok := q.body.Field("token").Text()
	if !ok {
		return answer{}, invalid("token", "is missing; it takes a token of the file of tokens")
	}
	who, err := g.ofToken(q.Request, token)
	if err != nil {
		return answer{}, err
	}
	var cookie *http.Cookie
	cookie, who.ends = g.config.Sessions.Begin(console.TokenHash(who.caller), g.config.Now())
	return answer{body: g.session(who), private: true, cookie: cookie}, nil
}

func endSession(g *Gateway, _ *request) (answer, error) {
	a := answer{status: http.StatusNoContent, private: true}
	if g.config.Sessions != nil {
		a.cookie = g.config.Sessions.End()
	}
	return a, nil
}
