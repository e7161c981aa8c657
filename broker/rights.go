package broker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// A ForbiddenError says that the user of the connection may not publish on a subject.
type ForbiddenError struct{ Subject string }

// Error names the right that is missing.
func (e *ForbiddenError) Error() string {
	return "nats-server does not let this user publish on " + e.Subject
}

// mayKeep returns a *ForbiddenError when this user may not publish results to be kept in
// the own form: in that form none would be stored. No stream takes in what it tries.
func (s *Store) mayKeep(ctx context.Context) error {
	subject := s.space.Kept(s.space.Result("probe", rand.Text()))
	if err := s.nc.PublishMsg(&nats.Msg{Subject: subject, Header: nats.Header{headerStream: {"none"}}}); err != nil {
		return fmt.Errorf("try to publish on %s: %w", subject, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	// What is refused is refused before the server answers that it has read all.
	if err := s.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("try to publish on %s: %w", subject, cause(ctx, err))
	}
	if s.forbidden(subject) {
		return &ForbiddenError{s.space.AllKept()}
	}
	return nil
}

// forbidden reports that the last thing the server refused was to publish on subject.
func (s *Store) forbidden(subject string) bool {
	err := s.nc.LastError()
	return errors.Is(err, nats.ErrPermissionViolation) &&
		strings.Contains(strings.ToLower(err.Error()), `"`+strings.ToLower(subject)+`"`)
}

// ResultsRights are the subjects on which a user has to be able to publish who converts the
// stream of results and writes it in the own form.
func (s *Store) ResultsRights() []string {
	return []string{s.space.AllKept(), updateSubject(s.space.ResultsStream())}
}

// updateSubject is where a stream's configuration is changed.
func updateSubject(stream string) string { return "$JS.API.STREAM.UPDATE." + stream }
