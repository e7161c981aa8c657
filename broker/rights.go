package broker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/storage"
)

// A ForbiddenError means that the user of the connection may not publish on a subject.
type ForbiddenError struct{ Subject string }

// Error names the missing permission.
func (e *ForbiddenError) Error() string {
	return "nats-server does not let this user publish on " + e.Subject
}

// mayKeep returns a *ForbiddenError when this user may not publish results in the own form,
// because in that form none would be stored. No stream takes in its probe.
func (s *Store) mayKeep(ctx context.Context) error {
	subject := storage.Kept(s.space, s.space.Result("probe", rand.Text()))
	if err := s.nc.PublishMsg(&nats.Msg{Subject: subject, Header: nats.Header{headerStream: {"none"}}}); err != nil {
		return fmt.Errorf("try to publish on %s: %w", subject, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	// The server sends a permission error before it answers the flush.
	if err := s.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("try to publish on %s: %w", subject, cause(ctx, err))
	}
	if s.forbidden(subject) {
		return &ForbiddenError{storage.AllKept(s.space)}
	}
	return nil
}

// forbidden reports whether the server's last permission error was about publishing on
// subject.
func (s *Store) forbidden(subject string) bool {
	err := s.nc.LastError()
	return errors.Is(err, nats.ErrPermissionViolation) &&
		strings.Contains(strings.ToLower(err.Error()), `"`+strings.ToLower(subject)+`"`)
}

// ResultsRights lists the subjects on which a user must be allowed to publish in order to
// convert the stream of results and to write it in the own form.
func (s *Store) ResultsRights() []string {
	return []string{storage.AllKept(s.space), updateSubject(s.space.ResultsStream())}
}

// updateSubject is where a stream's configuration is changed.
func updateSubject(stream string) string { return "$JS.API.STREAM.UPDATE." + stream }
