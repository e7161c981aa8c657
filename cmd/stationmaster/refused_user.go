package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// refusedFor is how long a connection that was lost is opened again though the server refuses its
// user, because a server that is restarted may not know its users at once.
var refusedFor = 15 * time.Second

// refusedPause without a refusal means that the user was connected meanwhile, because a connection is
// tried again much sooner.
const refusedPause = 10 * time.Second

// errRefused ends a command whose user the server does not take any more.
var errRefused = errors.New("the server has refused this user since the connection was lost")

// A refusedUser handles the errors of a connection that no call returns. It reports each refusal
// by permissions once, and ends the connection of a user who is refused again and again.
type refusedUser struct {
	log  *slog.Logger
	self string // the worker's id; "": it is none

	mu          sync.Mutex
	known       map[string]bool // refusals that were reported
	since, last time.Time       // the first and the last refusal of the user without a pause between them
	gone        error           // why the connection was closed
}

// handle is for [nats.ErrorHandler].
func (r *refusedUser) handle(nc *nats.Conn, _ *nats.Subscription, err error) {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		r.refused(nc, err, time.Now())
	case errors.Is(err, nats.ErrPermissionViolation):
		r.report(r.permission(err))
	default:
		r.report(err.Error())
	}
}

func (r *refusedUser) refused(nc *nats.Conn, err error, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.last) > refusedPause {
		r.since = now
		r.log.Warn(withoutRawWords(err.Error()), "gives_up_after", refusedFor)
	}
	r.last = now
	if now.Sub(r.since) >= refusedFor && r.gone == nil {
		r.gone = fmt.Errorf("%w: %w", errRefused, err)
		nc.Close()
	}
}

// why returns the refusal that closed the connection; nil: it was closed for another reason.
func (r *refusedUser) why() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone
}

func (r *refusedUser) report(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]bool{}
	}
	if !r.known[what] && len(r.known) < mostReported {
		r.known[what] = true
		r.log.Warn(what)
	}
}

// mostReported bounds the refusals that are reported, because some subjects differ each time.
const mostReported = 20

// permission is a refusal of a worker in words.
func (r *refusedUser) permission(err error) string {
	text := err.Error()
	switch {
	case r.self == "":
	case strings.Contains(text, `"`+"worker.here."), strings.Contains(text, `.worker.here.`):
		return fmt.Sprintf("this worker is in no list, because its user may not announce it as %s: --id gives it a name that the user may use, which in deploy/nats-server.conf is the user's own", r.self)
	case strings.Contains(text, "worker."+r.self+`"`):
		return fmt.Sprintf("this worker gets no execution that is sent to it by name, because its user may not be %s: see --id", r.self)
	case strings.Contains(text, "plan.cancel."):
		return "this worker does not learn at once that an execution was cancelled, because its user may not subscribe to plan.cancel"
	}
	return notAllowed(err).Error()
}
