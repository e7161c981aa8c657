package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The oldest nats-server that will do, because atomic batches came with 2.12, and since
// 2.14 a stream that cannot write returns an error instead of going on.
const oldestMajor, oldestMinor = 2, 14

// leastPayload is the size of an append with the largest definition and the largest reply:
// nats-server's default.
const leastPayload = 1 << 20

// usualBatch is nats-server's default for the number of messages in one batch.
const usualBatch = 1000

// leastBytes is the lower bound for halving a default size when the server has no room,
// because a journal must hold some appends of a megabyte.
const leastBytes = 16 << 20

// Provision creates the streams of an installation that are missing in NATS, and checks the
// existing ones. It destroys nothing, and changes only settings that cfg.SetBack allows:
// *MismatchError lists in words all that differs from cfg. It refuses a server that is too old,
// another number of partitions than the installation was made with, and, unless cfg.Captured,
// streams that capture executions, because with those a missing worker would never be noticed. With
// cfg.Sole it makes no installation beside another.
//
// Several nodes may provision at once. A cluster that is not complete yet, or has no leader
// for the moment, is waited for, a minute at most.
func Provision(ctx context.Context, nc *nats.Conn, cfg Config) (*Store, error) {
	cfg.MaxBatch = cmp.Or(cfg.MaxBatch, usualBatch)
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if err := checkServer(nc); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	f := formation{cluster: nc.ConnectedClusterName() != "", log: cfg.Logger}
	return f.wait(ctx, func(ctx context.Context) (*Store, error) { return provision(ctx, nc, js, cfg) })
}

// provision is one attempt at Provision.
func provision(ctx context.Context, nc *nats.Conn, js jetstream.JetStream, cfg Config) (*Store, error) {
	s := newStore(nc, js, cfg)
	captures, err := s.Captures(ctx)
	if err != nil {
		return nil, err
	}
	if len(captures) > 0 && !cfg.Captured {
		return nil, &MismatchError{captured(captures)}
	}
	if cfg.Sole {
		if err := s.refuseBesideAnother(ctx); err != nil {
			return nil, err
		}
	}
	// The installation is checked before the partitions' streams, because another number of
	// partitions would mean other streams.
	ds, err := s.provide(ctx, cfg.leaders())
	if err != nil {
		return nil, err
	}
	if err := s.install(ctx); err != nil {
		return nil, err
	}
	if is, should := s.installation.Partitions, partitions(cfg.Space); is != should {
		ds = append(ds, Difference{Setting: settingPartitions, Is: strconv.Itoa(is), ShouldBe: strconv.Itoa(should)})
		return nil, &MismatchError{ds}
	}
	for _, planned := range cfg.plan() {
		more, err := s.provide(ctx, planned)
		if err != nil {
			return nil, err
		}
		ds = append(ds, more...)
	}
	if len(ds) > 0 {
		return nil, &MismatchError{ds}
	}
	return s, nil
}

func checkServer(nc *nats.Conn) error {
	version := nc.ConnectedServerVersion()
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("version of nats-server %q: %w", version, err)
	}
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return &MismatchError{[]Difference{{
			Setting:  "nats-server",
			Is:       version,
			ShouldBe: fmt.Sprintf("%d.%d or newer", oldestMajor, oldestMinor),
		}}}
	}
	if most := nc.MaxPayload(); most < leastPayload {
		return &MismatchError{[]Difference{{
			Setting:  "max_payload of nats-server",
			Is:       strconv.FormatInt(most, 10),
			ShouldBe: fmt.Sprintf("%d or more", leastPayload),
		}}}
	}
	return nil
}

// provide creates a stream, or lists how the existing one differs.
func (s *Store) provide(ctx context.Context, planned plannedStream) ([]Difference, error) {
	planned = s.withReplicas(planned)
	asked := planned.MaxBytes
	for {
		is, err := s.look(ctx, planned.Name)
		if err == nil {
			found, err := s.setBack(ctx, planned, is.CachedInfo().Config)
			if err != nil {
				return nil, err
			}
			s.replicated.Store(found.Replicas > 1)
			s.noteForm(found)
			return atStake(planned.differences(found), planned.StreamConfig, found, is.CachedInfo().State.Msgs), nil
		}
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, fmt.Errorf("look for stream %s: %w", planned.Name, cause(ctx, err))
		}
		if err := s.chooseForm(ctx, &planned); err != nil {
			return nil, err
		}
		err = s.make(ctx, planned.StreamConfig)
		switch {
		case err == nil:
			if planned.MaxBytes < asked {
				s.log.Warn("nats-server has room for a smaller stream than usual", "stream", planned.Name, "bytes", planned.MaxBytes, "usual", asked)
			}
			s.replicated.Store(planned.Replicas > 1)
			s.noteForm(planned.StreamConfig)
			return nil, nil
		case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse), errors.Is(err, errNoWord):
			// The server reports that another node was faster, or, on a cluster, returns no error.
		case noRoom(err) && planned.anyBytes && planned.MaxBytes/2 >= leastBytes:
			planned.MaxBytes /= 2
		case noRoom(err):
			return nil, fmt.Errorf("create stream %s: nats-server has no room for %d bytes; give it less, or the server more",
				planned.Name, planned.MaxBytes)
		case refused(err, errCodeNoReplicas):
			return nil, fmt.Errorf("create stream %s: %d replicas need a cluster of nats-servers, and this one is alone; "+
				"make do with 1 (--replicas 1), or start a cluster: %w", planned.Name, planned.Replicas, err)
		default:
			return nil, fmt.Errorf("create stream %s: %w", planned.Name, cause(ctx, err))
		}
	}
}

// askWithin bounds one request to a server, because on a cluster the answer about a stream
// that two nodes make at once may never come.
const askWithin = 3 * time.Second

var errNoWord = errors.New("no answer in time")

func (s *Store) look(ctx context.Context, name string) (jetstream.Stream, error) {
	asking, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	is, err := s.js.Stream(asking, name)
	return is, cause(asking, err)
}

func (s *Store) make(ctx context.Context, c jetstream.StreamConfig) error {
	asking, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	_, err := s.js.CreateStream(asking, c)
	return cause(asking, err)
}

// usualReplicas is the default number of replicas in the cluster of nc, one on each of three
// servers, if it has as many.
func usualReplicas(nc *nats.Conn) int {
	if nc.ConnectedClusterName() != "" && len(nc.Servers()) >= clusterReplicas {
		return clusterReplicas
	}
	return 1
}

// clusterReplicas survive the loss of one server.
const clusterReplicas = 3
