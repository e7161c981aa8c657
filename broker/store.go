package broker

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Store is an installation's streams and buckets, as Provision found or made them, seen
// through one connection. It is safe for concurrent use; its parts document their own
// rules.
type Store struct {
	nc    *nats.Conn
	js    jetstream.JetStream
	cfg   Config
	space schema.Space
	log   *slog.Logger

	replicated atomic.Bool   // the streams have more than one replica
	form       atomic.Uint32 // of the stream of results, a ResultsForm

	installation  Installation
	journals      []*Journal
	tables        []*Table
	tableChains   []*Chain
	resultsChains []*Chain
	itemsChains   []*Chain
}

func newStore(nc *nats.Conn, js jetstream.JetStream, cfg Config) *Store {
	s := &Store{nc: nc, js: js, cfg: cfg, space: cfg.Space, log: cfg.Logger}
	for p := range partitions(cfg.Space) {
		s.journals = append(s.journals, &Journal{
			store:       s,
			p:           p,
			name:        storage.JournalStream(s.space, p),
			subject:     storage.Journal(s.space, p),
			complaining: rate.Sometimes{Interval: complainEvery},
			log:         s.log,
		})
		table := &Table{Bucket{store: s, name: storage.PlansBucket(s.space, p)}}
		s.tables = append(s.tables, table)
		s.tableChains = append(s.tableChains, &Chain{
			store:   s,
			p:       p,
			name:    table.stream(),
			subject: table.subject(storage.CheckpointKey),
		})
		s.resultsChains = append(s.resultsChains, &Chain{
			store:   s,
			p:       p,
			name:    s.space.ResultsStream(),
			subject: storage.Stored(s.space, p),
			lack:    protocol.Evicted,
			results: true,
		})
		s.itemsChains = append(s.itemsChains, &Chain{
			store:   s,
			p:       p,
			name:    storage.QueuesStream(s.space),
			subject: storage.Queued(s.space, p),
			lack:    protocol.New,
		})
	}
	return s
}

// Full returns the reason why no process can write now, which is that the one server that has the
// streams has no room. It is nil on a cluster, where other nodes may have some.
func (s *Store) Full() error {
	if s.replicated.Load() {
		return nil
	}
	return s.Room()
}

// Replicated reports that the streams have several replicas.
func (s *Store) Replicated() bool { return s.replicated.Load() }

// Room returns the reason why nothing can be written from here now; nil when none is known.
func (s *Store) Room() error {
	if s.cfg.Room == nil {
		return nil
	}
	return s.cfg.Room()
}

// Spare returns the reason why nothing may be added now; nil when none is known. Coming are bytes
// that are accepted and not written yet.
func (s *Store) Spare(coming int64) error {
	if s.cfg.Spare == nil {
		return nil
	}
	return s.cfg.Spare(coming)
}

// Installation returns the values that were fixed when the buckets were first made.
func (s *Store) Installation() Installation { return s.installation }

// Journal is partition p's log.
func (s *Store) Journal(p int) *Journal { return s.journals[p] }

// Table is partition p's bucket of plans.
func (s *Store) Table(p int) *Table { return s.tables[p] }

// TableChain writes partition p's bucket behind its journal.
func (s *Store) TableChain(p int) *Chain { return s.tableChains[p] }

// ResultsChain writes partition p's results behind its journal.
func (s *Store) ResultsChain(p int) *Chain { return s.resultsChains[p] }

// ItemsChain writes the items of partition p's inboxes behind its journal.
func (s *Store) ItemsChain(p int) *Chain { return s.itemsChains[p] }

// Stations is the bucket of station records, a table to read.
func (s *Store) Stations() *Bucket { return &Bucket{store: s, name: storage.StationsBucket(s.space)} }

// Workers is the bucket in which workers announce themselves; a record that is not put
// again disappears after Config.WorkersAge.
func (s *Store) Workers() *Bucket { return &Bucket{store: s, name: storage.WorkersBucket(s.space)} }

// partitions is the number of partitions of a space, one if it is zero there.
func partitions(s schema.Space) int { return max(s.Partitions, 1) }

// doubtful is how long a stream must keep showing something impossible, such as an end
// below an acknowledged one, before it is believed. A single server does not err; on a
// cluster a server that was cut off shows its old state until it notices.
func (s *Store) doubtful() time.Duration {
	if s.replicated.Load() {
		return 15 * time.Second
	}
	return 0
}
