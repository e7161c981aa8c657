package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

// writeAfter is the deadline for the answer to a request. The live stream moves its own
// write deadline.
const writeAfter = 60 * time.Second

type requestIDKey struct{}

// requestID is the id of a request that came through ServeHTTP.
func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey{}).(string)
	return id
}

// nameRequest takes the caller's id, when it is fit for a log, or makes one.
func nameRequest(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	odd := func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }
	if id == "" || len(id) > 128 || strings.ContainsFunc(id, odd) {
		return strings.ToLower(rand.Text())
	}
	return id
}

// A noted response records its status, for the log, and its route.
type noted struct {
	http.ResponseWriter
	status int
	route  *route // nil: none

	streamed bool // it is answered by a stream
}

func (n *noted) WriteHeader(status int) {
	if n.status == 0 {
		n.status = status
	}
	n.ResponseWriter.WriteHeader(status)
}

func (n *noted) Write(b []byte) (int, error) {
	if n.status == 0 {
		n.status = http.StatusOK
	}
	return n.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the wrapped writer.
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// log is a request's logger: with its id, and its trace.
func (g *Gateway) log(r *http.Request) *slog.Logger {
	log := g.config.Log.With("request_id", requestID(r))
	if trace := schema.TraceID(r.Header.Get("Traceparent")); trace != "" {
		log = log.With("trace_id", trace)
	}
	return log
}

// ServeHTTP answers any request, if only with a problem.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id := nameRequest(r)
	ctx := context.WithValue(r.Context(), requestIDKey{}, id)
	r = r.WithContext(client.WithTrace(ctx, r.Header.Get("Traceparent")))
	out := &noted{ResponseWriter: w}
	h := out.Header()
	h.Set("X-Request-Id", id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox") // an answer that is opened as a page does nothing
	g.config.Origins.share(h, r)
	control := http.NewResponseController(out)
	_ = control.SetReadDeadline(began.Add(silence(r))) // the recorder of a test has no deadlines
	_ = control.SetWriteDeadline(began.Add(writeAfter))
	defer func() {
		if fault := recover(); fault != nil {
			g.recovered(out, r, fault)
		}
		g.count(out, r.Method, time.Since(began))
		g.log(r).Debug("request", "method", r.Method, "path", r.URL.Path, "status", out.status,
			"duration", time.Since(began), "remote", r.RemoteAddr)
	}()
	if err := cmp.Or(addressInText(r), addressAsItIs(r)); err != nil {
		g.fail(out, r, err)
		return
	}
	g.mux.ServeHTTP(out, r)
}

// addressInText refuses an address whose path or parameters are not UTF-8, because they are
// texts of the request, and would be changed on their way.
func addressInText(r *http.Request) error {
	if !utf8.ValidString(r.URL.Path) {
		return invalid("path", "is not UTF-8: percent-encode the bytes of its UTF-8")
	}
	for name, values := range r.URL.Query() {
		for _, value := range append(values, name) {
			if !utf8.ValidString(value) {
				return invalid("query", "is not UTF-8: percent-encode the bytes of its UTF-8")
			}
		}
	}
	return nil
}

// count counts a request that has been answered. Without a status it has not been, because
// its caller is gone.
func (g *Gateway) count(w *noted, method string, took time.Duration) {
	if w.route == nil {
		g.config.Metrics.Answered(method, "", w.status, false, took)
		return
	}
	g.config.Metrics.Answered(method, w.route.path, w.status, w.streamed, took)
}

// recovered answers a request at which the gateway panicked, if it is not answered yet.
func (g *Gateway) recovered(w *noted, r *http.Request, fault any) {
	if fault == http.ErrAbortHandler {
		panic(fault)
	}
	number := g.config.Incidents.Report(metrics.AtHTTP, fault, "request_id", requestID(r), "method", r.Method, "path", r.URL.Path)
	if w.status == 0 {
		g.fail(w, r, incident.Refusal(number))
	}
}

// routed makes the mux of the table: one pattern for each path, its methods below, so that
// a wrong method is a problem, too.
func (g *Gateway) routed() *http.ServeMux {
	mux := http.NewServeMux()
	paths := map[string]map[string]*route{}
	for i := range routes {
		r := &routes[i]
		if paths[r.pattern()] == nil {
			paths[r.pattern()] = map[string]*route{}
		}
		paths[r.pattern()][r.method] = r
	}
	for pattern, methods := range paths {
		mux.Handle(pattern, g.path(methods))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		g.fail(w, r, refuse(http.StatusNotFound, "not_found", "there is nothing at %s; /openapi.json lists all paths", r.URL.Path))
	})
	return mux
}

// path serves one path.
func (g *Gateway) path(methods map[string]*route) http.Handler {
	var allowed []string
	for method := range methods {
		allowed = append(allowed, method)
		if method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	allow := strings.Join(append(allowed, http.MethodOptions), ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		found := methods[method]
		switch {
		case found != nil:
			g.serve(found, w, r)
		case r.Method == http.MethodOptions:
			w.Header().Set("Allow", allow)
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Allow", allow)
			g.fail(w, r, refuse(http.StatusMethodNotAllowed, codeMethod, "%s is not done here; %s are", r.Method, allow))
		}
	})
}

// silence is how long a request's connection may be silent from here on, until more of its body
// comes, if it has one.
func silence(r *http.Request) time.Duration {
	if r.ContentLength == 0 {
		return readWithin
	}
	return stallWithin
}

// serve answers a request of a route.
func (g *Gateway) serve(found *route, w http.ResponseWriter, r *http.Request) {
	if out, ok := w.(*noted); ok {
		out.route, out.streamed = found, found.streams(r)
	}
	who, err := g.allow(r, found.role)
	if err != nil {
		g.fail(w, r, err)
		return
	}
	// A web page of an origin that is not listed may not change anything, with or without
	// tokens.
	if err := g.config.Origins.check.Check(r); err != nil {
		g.fail(w, r, refuse(http.StatusForbidden, codeForbidden, "a page of another origin may not do this: %v", err))
		return
	}
	q, err := g.read(found, w, r)
	if err != nil {
		g.fail(w, r, err)
		return
	}
	q.who = who
	if err := q.checkScope(); err != nil {
		q.free()
		g.fail(w, r, err)
		return
	}
	q.attribute(who.name)
	if found.streams(r) {
		q.free() // a stream may take long, and does not need it
		if !who.ends.IsZero() {
			ctx, cancel := context.WithDeadline(q.Context(), who.ends)
			defer cancel()
			q.Request = q.WithContext(ctx)
		}
		if err := found.stream(g, q, who.caller, w); err != nil {
			g.fail(w, r, err)
		}
		return
	}
	answer, err := g.carryOut(q)
	if err != nil {
		g.fail(w, r, err)
		return
	}
	g.answer(w, r, answer)
}

// carryOut executes a request, and frees it. It holds a slot only meanwhile, so that slow
// senders and readers keep no other request out.
func (g *Gateway) carryOut(q *request) (answer, error) {
	defer q.free()
	if q.route.atHand {
		return q.route.serve(g, q)
	}
	slots := g.served
	switch {
	case q.route.role == anyone:
		slots = g.open
	case q.route.search:
		slots = g.searches
	}
	leave, err := slots.enter(q.Request)
	if err != nil {
		return answer{}, err
	}
	defer leave()
	a, err := q.route.serve(g, q)
	if err != nil {
		return answer{}, err
	}
	if a, err = a.encoded(); err != nil {
		return answer{}, err
	}
	return q.ownEntries(a)
}
