package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
)

// A Capture is a foreign stream that takes in executions. It counts as a subscriber of
// every station that it captures, so that a missing worker is never reported, and its
// publish acknowledgement arrives where a worker's answer is awaited.
type Capture struct {
	Stream  string
	Subject string // one of ours: all stations, or all named workers
}

// String describes the problem and its solution.
func (c Capture) String() string {
	return fmt.Sprintf("stream %s captures %s and hides that no worker is there: %s", c.Stream, c.Subject, c.Advice())
}

// Advice names the solution, which never is to delete the stream of another installation.
func (c Capture) Advice() string { return AdviceOn(c.Stream) }

// AdviceOn names the remedy for a stream that captures executions.
func AdviceOn(stream string) string {
	if prefix, ok := storage.ParseStream(stream); ok && prefix != "" {
		return "it belongs to the installation of --prefix " + prefix + ", which cannot run beside this one: stop that one, " +
			"export its plans and import them under another prefix, or move either to another NATS account"
	}
	return "nats stream rm " + stream + ", or take the subject out of it with nats stream edit"
}

// Captures lists the streams on the subjects of executions.
func (s *Store) Captures(ctx context.Context) ([]Capture, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	var found []Capture
	for _, subject := range []string{s.space.Station(">"), s.space.Worker("*")} {
		names := s.js.StreamNames(ctx, jetstream.WithStreamListSubject(subject))
		for name := range names.Name() {
			found = append(found, Capture{name, subject})
		}
		switch err := names.Err(); {
		case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
			errors.Is(err, nats.ErrNoResponders):
			return nil, fmt.Errorf("nats-server at %s has no JetStream: start it with -js: %w", s.nc.ConnectedAddr(), err)
		case err != nil:
			return nil, fmt.Errorf("look for streams on %s: %w", subject, cause(ctx, err))
		}
	}
	return found, nil
}

// captured turns captures into differences from the configuration.
func captured(captures []Capture) []Difference {
	ds := make([]Difference, len(captures))
	for i, c := range captures {
		ds[i] = Difference{Stream: c.Stream, Setting: "capture of " + c.Subject, Is: "there",
			ShouldBe: "gone, because it would answer for workers: " + c.Advice()}
	}
	return ds
}
