package httpworker

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/stationmaster-io/stationmaster/schema"
)

// errBroken is the error of a request that was written, and whose connection broke before the
// answer.
var errBroken = errors.New("the connection broke before the answer; the request may have arrived")

// once writes each request at most once. [http.Transport] writes it again when a reused connection
// breaks before the answer, if the method or the header Idempotency-Key lets it, and when an HTTP/2
// target resets the stream; here the plan's retry and on_unknown decide about that. A request
// without a body cannot be marked as one not to be repeated, except by a body of unknown length,
// which some targets refuse. Therefore its second connection is taken from it.
type once struct{ next http.RoundTripper }

// RoundTrip is that of [http.RoundTripper].
func (o once) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	var wrote atomic.Bool
	resp, err := o.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) {
			if wrote.Load() {
				cancel(errBroken)
			}
		},
		GotConn: func(c httptrace.GotConnInfo) { // an idle one may be had without a look at the context
			if wrote.Load() {
				cancel(errBroken)
				abandon(c.Conn)
			}
		},
		WroteHeaders: func() { wrote.Store(true) },
	})))
	if err != nil {
		if errors.Is(context.Cause(ctx), errBroken) {
			err = errBroken // HTTP/2 has the context's error in place of its cause
		}
		cancel(err)
		return nil, err
	}
	resp.Request = req // its context ends with that of the call, because the body is still to be read
	return resp, nil
}

// A departure records whether a call's last request may have reached its target.
type departure struct{ wrote, held atomic.Bool }

// reset forgets a request, because the target answered it or it was not sent.
func (d *departure) reset() { d.wrote.Store(false); d.held.Store(false) }

// unsure reports that the target may have done the work of a call with this outcome, although the
// outcome is none of its answers.
func (d *departure) unsure(o schema.HTTPOutcome) bool {
	return d.wrote.Load() && !d.held.Load() && (o.Class == schema.HTTPTimeout || o.Class == schema.HTTPNetwork)
}
