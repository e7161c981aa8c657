package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// formsWithin bounds the wait for a cluster that is starting, because a stream can only
	// be made when there are as many servers as it has replicas.
	formsWithin = time.Minute
	formsAgain  = 250 * time.Millisecond
	// formsLogAfter is the delay before the log reports the wait, because servers that are
	// started together are never ready in the same moment.
	formsLogAfter = 2 * time.Second
)

// A formation is the NATS of an installation while it starts.
type formation struct {
	cluster bool // several servers
	log     *slog.Logger
}

// wait calls do until it succeeds, or fails for another reason than missing servers.
func (f *formation) wait(ctx context.Context, do func(context.Context) (*Store, error)) (*Store, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, formsWithin, f.advice())
	defer cancel()
	began, logged := time.Now(), ""
	for {
		s, err := do(ctx)
		if err == nil {
			if logged != "" {
				f.log.Info("the cluster is complete", "waited", time.Since(began).Round(time.Millisecond))
			}
			return s, nil
		}
		if !f.passes(err) {
			return nil, err
		}
		if time.Since(began) >= formsLogAfter && logged != err.Error() {
			logged = err.Error()
			f.log.Warn("waiting for the cluster", "for", missing(err), "at_most", formsWithin)
		}
		if why := sleep(ctx, formsAgain); why != nil {
			return nil, fmt.Errorf("%w (%w)", err, why)
		}
	}
}

// missing describes the servers that a cluster lacks.
func missing(err error) string {
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) && api.ErrorCode == errCodeNoPeers {
		return "servers: fewer are there than a stream has replicas, which are three in a cluster without --replicas"
	}
	return err.Error()
}

// advice is the cause of an end by timeout, with a remedy.
func (f *formation) advice() error {
	if !f.cluster {
		return fmt.Errorf("the server did not answer within %v; look at its log", formsWithin)
	}
	return fmt.Errorf("the cluster was not complete within %v; start its other servers, all of them with JetStream, "+
		"or make do with fewer replicas (--replicas)", formsWithin)
}

// passes reports whether err is temporary, as of a slow server, or a cluster without all of its
// servers, or without a leader for the moment. Errors of the configuration are permanent.
func (f *formation) passes(err error) bool {
	for _, silence := range []error{errNoWord, nats.ErrTimeout, context.DeadlineExceeded} {
		if errors.Is(err, silence) {
			return true
		}
	}
	if !f.cluster || noRoom(err) {
		return false
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return errors.Is(err, nats.ErrNoResponders)
	}
	// Every "temporarily unavailable" has the status of an unavailable service.
	return api.Code == http.StatusServiceUnavailable ||
		api.ErrorCode == errCodeNoPeers || api.ErrorCode == errCodeNotLeader
}

// noRoom reports whether a stream reserves more than the server has, or, in a cluster, than
// any of its available servers.
func noRoom(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case errCodeNoStorage, errCodeNoMemory, errCodeNoResources:
		return true
	case errCodeNoPeers:
		// The code stands for several reasons, distinguished only by its text.
		return strings.Contains(api.Description, "insufficient storage") && !strings.Contains(api.Description, "offline")
	}
	return false
}
