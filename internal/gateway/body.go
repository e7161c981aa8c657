package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	maxBody = 1 << 20
	// maxBodies and maxAnswers bound the bytes that all requests hold together, in bodies from
	// when they are read until they are answered, and in answers until they are written.
	maxBodies  = 64 << 20
	maxAnswers = 256 << 20
	// smallAnswer is the size up to which an answer is not counted, because the system's
	// buffers take as much.
	smallAnswer = 64 << 10

	// A body may pause for stallWithin, and must be complete within readWithin.
	stallWithin = 5 * time.Second
	readWithin  = 30 * time.Second
)

// A body is a request's body, counted as it arrives, so that an announced length holds
// nothing yet.
type body struct {
	*http.Request
	control *http.ResponseController
	most    *semaphore.Weighted
	held    int64
	until   time.Time // when it must be complete
}

// Read waits for more until the caller has paused for too long.
func (b *body) Read(p []byte) (int, error) {
	pause := time.Now().Add(stallWithin)
	if pause.After(b.until) {
		pause = b.until
	}
	_ = b.control.SetReadDeadline(pause) // the recorder of a test has no deadlines
	n, err := b.Body.Read(p)
	if held := hold(b.Context(), b.most, int64(n)); held != nil {
		return 0, held
	}
	b.held += int64(n)
	return n, err
}

// free releases the held bytes.
func (b *body) free() { b.most.Release(b.held) }

// hold takes n bytes of the total that all requests may hold.
func hold(ctx context.Context, of *semaphore.Weighted, n int64) error {
	if of.TryAcquire(n) {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, turnWithin)
	defer cancel()
	err := of.Acquire(waiting, n)
	if err != nil && ctx.Err() == nil {
		return refuse(http.StatusServiceUnavailable, schema.CodeUnavailable, "the requests under way hold as many bytes as may be held at a time")
	}
	return err
}

// readBody reads the JSON value of a request; absent when the body is empty and optional.
// Its Content-Type must be JSON or missing, unless the route accepts any. Routes without a
// body read it, too, because a caller that sends a field relies on it. A GET is the
// exception, because its body has no meaning (RFC 9110, 9.3.1), and its parameters are in
// the query.
func (g *Gateway) readBody(q *request, w http.ResponseWriter) error {
	switch {
	case q.ContentLength == 0 || q.Method == http.MethodGet || q.Method == http.MethodHead:
		return q.checkBody()
	case q.ContentLength > maxBody:
		return tooLarge()
	}
	q.Request.Body = http.MaxBytesReader(w, q.Request.Body, maxBody)
	q.held = &body{Request: q.Request, control: http.NewResponseController(w), most: g.bodies, until: time.Now().Add(readWithin)}
	data, err := io.ReadAll(q.held)
	if err == nil {
		// The caller may be silent from here on, and that must not end its request.
		_ = q.held.control.SetReadDeadline(q.held.until)
	}
	if q.body, err = parseBody(q.Request, data, err, q.route.bodyAny || q.route.body == ""); err != nil {
		return err
	}
	return q.checkBody()
}

// checkBody checks that a body fits its route. The service checks its members; where there
// is no service to check them, only names of the path are allowed.
func (q *request) checkBody() error {
	if err := q.takeAttribution(); err != nil {
		return err
	}
	r := q.route
	if !r.bodyAny {
		if err := schema.RefuseNullGuards(schema.CodeInvalidRequest, q.body); err != nil {
			return err
		}
	}
	switch {
	case q.body.IsZero() && r.bodyAny:
		return invalid("body", "is missing; it takes a JSON value")
	case q.body.IsZero() && r.body != "" && !r.bodyOptional:
		return invalid("body", "is missing; it takes a JSON object")
	case q.body.IsZero() || r.bodyAny:
		return nil
	case q.body.Kind() != wire.KindMap && r.body == "":
		return invalid("body", "is %s; this takes no body", q.body.Kind())
	case q.body.Kind() != wire.KindMap:
		return invalid("body", "is %s; it takes a JSON object", q.body.Kind())
	case r.body != "":
		return nil
	}
	names := r.names()
	for name := range q.body.Map() {
		if !slices.Contains(names, name) {
			return &schema.Error{
				Code: schema.CodeInvalidRequest, Field: clip(name, maxField),
				Message: fmt.Sprintf("unknown field %q; this takes no body", clip(name, maxField)),
			}
		}
		if err := q.agrees(name, q.body); err != nil {
			return err
		}
	}
	return nil
}

// parseBody makes a value of the bytes that were read until err.
func parseBody(r *http.Request, data []byte, err error, anyName bool) (wire.Value, error) {
	var more *http.MaxBytesError
	var refused *httpError
	switch {
	case err == nil:
	case errors.As(err, &more):
		return wire.Value{}, tooLarge()
	case errors.As(err, &refused):
		return wire.Value{}, refused
	default:
		return wire.Value{}, invalid("body", "broke off: %v", err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return wire.Value{}, nil
	}
	if given := strings.Join(r.Header.Values("Content-Encoding"), ", "); given != "" && !strings.EqualFold(given, "identity") {
		return wire.Value{}, refuse(http.StatusUnsupportedMediaType, codeMediaType, "the body has Content-Encoding: %s; it takes JSON as it is, not compressed", given)
	}
	if given := r.Header.Get("Content-Type"); given != "" && !anyName && !isJSON(given) {
		return wire.Value{}, refuse(http.StatusUnsupportedMediaType, codeMediaType, "the body is called %q; it takes Content-Type: application/json, in UTF-8", given)
	}
	v, err := wire.ScanAs(wire.JSON, data, wire.Limits{Items: 100_000})
	if err != nil {
		return wire.Value{}, schema.BodyErrors(schema.CodeInvalidRequest, data, err)
	}
	return v, nil
}

// isJSON reports whether a media type is JSON, which is UTF-8 (RFC 8259, 8.1).
func isJSON(given string) bool {
	kind, parameters, err := mime.ParseMediaType(given)
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return false
	}
	charset := parameters["charset"]
	return charset == "" || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "us-ascii")
}

func tooLarge() error {
	return &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("the body has more than the %d bytes that are taken", maxBody)}
}
