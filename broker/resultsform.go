package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A ResultsForm selects the subjects on which the stream of results accepts results. In
// either form they are stored under the subjects on which they are broadcast, by a subject
// transform.
//
// Both forms have the transform, because in a cluster each replica transforms by itself,
// when it applies the log of the stream's Raft group. A replica that was behind when the
// transform came or went would store other subjects than the others.
type ResultsForm uint32

const (
	// ResultsOwn accepts them on the scheduler's own subjects, which the stream transforms.
	// So a result is broadcast without waiting until it is stored, and a stranger that
	// publishes on the subjects of broadcasts stores nothing.
	ResultsOwn ResultsForm = iota
	// ResultsPublic accepts them on the subjects of broadcasts, so that storing a result
	// broadcasts it, as in all releases that have no other form.
	ResultsPublic
)

// String is the form as flags and records spell it.
func (f ResultsForm) String() string {
	if f == ResultsPublic {
		return "public"
	}
	return "own"
}

// ParseResultsForm is the inverse of String.
func ParseResultsForm(text string) (ResultsForm, error) {
	for _, f := range []ResultsForm{ResultsOwn, ResultsPublic} {
		if text == f.String() {
			return f, nil
		}
	}
	return 0, fmt.Errorf("form of results %q: it is own or public", text)
}

// formOf is the form of a stream of results.
func formOf(space schema.Space, is jetstream.StreamConfig) ResultsForm {
	if slices.Contains(is.Subjects, storage.AllKept(space)) {
		return ResultsOwn
	}
	return ResultsPublic
}

// keptAsPublished is the transform of the stream of results.
func keptAsPublished(space schema.Space) *jetstream.SubjectTransformConfig {
	return &jetstream.SubjectTransformConfig{Source: storage.AllKept(space), Destination: space.AllResults()}
}

// in gives c, the configuration of the stream of results, a form.
func (f ResultsForm) in(space schema.Space, c *jetstream.StreamConfig) {
	c.Subjects, c.SubjectTransform = []string{space.AllResults()}, keptAsPublished(space)
	if f == ResultsOwn {
		c.Subjects = []string{storage.AllKept(space)}
	}
	for p := range partitions(space) {
		c.Subjects = append(c.Subjects, storage.Stored(space, p))
	}
}

// chooseForm plans a stream of results in the public form where this user may not write in
// the own form.
func (s *Store) chooseForm(ctx context.Context, planned *plannedStream) error {
	if planned.Name != s.space.ResultsStream() || formOf(s.space, planned.StreamConfig) == ResultsPublic {
		return nil
	}
	err := s.mayKeep(ctx)
	var forbidden *ForbiddenError
	if errors.As(err, &forbidden) {
		ResultsPublic.in(s.space, &planned.StreamConfig)
		return nil
	}
	return err
}

// ResultsForm is the form of the stream of results as it was last seen. Provision, Watch,
// ReadForm, ConvertResults and each failed write of results look at it.
func (s *Store) ResultsForm() ResultsForm { return ResultsForm(s.form.Load()) }

// noteForm records the form if c is the stream of results.
func (s *Store) noteForm(c jetstream.StreamConfig) {
	if c.Name == s.space.ResultsStream() {
		s.form.Store(uint32(formOf(s.space, c)))
	}
}

// ReadForm asks the stream of results for its form.
func (s *Store) ReadForm(ctx context.Context) error {
	info, err := s.info(ctx, s.space.ResultsStream())
	if err != nil {
		return err
	}
	s.noteForm(info.Config)
	return nil
}

// PrepareResults gives the stream of results its transform, which that of an older release lacks,
// and reports whether it may be converted. It may not while a replica is seen to be away or
// behind, because that may not have the transform yet.
func (s *Store) PrepareResults(ctx context.Context) (ready bool, err error) {
	stream, err := s.look(ctx, s.space.ResultsStream())
	if err != nil {
		return false, fmt.Errorf("look at stream %s: %w", s.space.ResultsStream(), err)
	}
	is := stream.CachedInfo()
	if is.Config.SubjectTransform == nil {
		is.Config.SubjectTransform = keptAsPublished(s.space)
		if err := s.update(ctx, is.Config); err != nil {
			return false, fmt.Errorf("give stream %s its transform: %w", is.Config.Name, err)
		}
		return is.Config.Replicas <= 1, nil
	}
	if is.Cluster == nil || is.Config.Replicas <= 1 {
		return true, nil
	}
	current := 1 // the one that answers
	for _, r := range is.Cluster.Replicas {
		if r.Current && !r.Offline {
			current++
		}
	}
	return current >= is.Config.Replicas, nil
}

// errUnprepared means that replicas of the stream of results may lack its transform.
var errUnprepared = errors.New("it is not prepared")

// ConvertResults gives the stream of results another form, in place, so that stored results
// stay. A concurrent writer finds that nothing is stored, looks at the form and goes on in
// the new one. It does nothing where the stream has the form already, and returns a
// *ForbiddenError where this user may not change it, or not write in its new form. A stream
// with replicas must have been prepared for some seconds.
func (s *Store) ConvertResults(ctx context.Context, form ResultsForm) error {
	stream, err := s.look(ctx, s.space.ResultsStream())
	if err != nil {
		return fmt.Errorf("look at stream %s: %w", s.space.ResultsStream(), err)
	}
	c := stream.CachedInfo().Config
	if formOf(s.space, c) != form {
		err := errUnprepared
		if c.SubjectTransform != nil || c.Replicas <= 1 {
			form.in(s.space, &c)
			err = s.update(ctx, c)
		}
		if err != nil {
			return fmt.Errorf("give stream %s the form %s: %w", c.Name, form, err)
		}
	}
	s.noteForm(c)
	return nil
}

// update changes the configuration of the stream of results.
func (s *Store) update(ctx context.Context, c jetstream.StreamConfig) error {
	if formOf(s.space, c) == ResultsOwn {
		if err := s.mayKeep(ctx); err != nil {
			return err
		}
	}
	asking, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	_, err := s.js.UpdateStream(asking, c)
	subject := updateSubject(c.Name)
	if err != nil && asking.Err() != nil && s.forbidden(subject) {
		return &ForbiddenError{subject}
	}
	return cause(asking, err)
}
