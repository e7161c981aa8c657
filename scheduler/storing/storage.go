package storing

import (
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Config configures a Storage. All fields are required.
type Config struct {
	Store     *broker.Store
	Space     schema.Space
	Partition int
	// Dispatch is the connection on which results are broadcast, in the order of all other
	// messages.
	Dispatch *nats.Conn
	// Every is how often it looks for rows to write, and Bound how many bytes the journal may grow
	// before rows that are not quiet are written, too.
	Every time.Duration
	Bound int64
	// Tell brings events to the machine, all at once. It never waits.
	Report func(...event.Event)
	// Relieve is called when some results are stored.
	Relieve func()
	// Plans is about how many plans there are.
	Plans func() int64
	// Beside runs f beside all others. The owner of the storage waits for it before Close, and ends
	// its ctx. If f panics, otherwise gets the number of the incident.
	Beside    func(f func(ctx context.Context), otherwise func(number string))
	Incidents *incident.Reporter
	Log       *slog.Logger
}

// A Storage writes the streams behind the journal of one partition, for one epoch. Effects and
// appends come in their order; the methods that read may be called at any time.
type Storage struct {
	config      Config
	broadcaster broadcaster
	results     *streamWriter
	items       *streamWriter
	itemCache   *itemCache
	table       *table

	definitions *definitions

	// The positions of the results and the items when it was opened.
	resultsFrom, itemsFrom protocol.Mark
	itemsAnew              bool // the stream of items had no fence
}

// Open takes the three streams over for an epoch, under the holder's name, and returns the last
// append all of whose rows the bucket has. Before Run comes Inherit, once. It is closed by Close.
// An error is that of broker's Chain.Fence, or of a read.
func Open(ctx context.Context, c Config, epoch int64, holder string) (_ *Storage, taken uint64, err error) {
	table, results, items := c.Store.TableChain(c.Partition), c.Store.ResultsChain(c.Partition), c.Store.ItemsChain(c.Partition)
	s := &Storage{config: c, broadcaster: broadcaster{c.Dispatch}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	var checkpoint, storedTo, itemsTo broker.FenceRecord
	err = fence(ctx, epoch, holder, map[*broker.Chain]*broker.FenceRecord{
		table: &checkpoint, results: &storedTo, items: &itemsTo,
	})
	if err != nil {
		return nil, 0, err
	}
	state, err := c.Store.Journal(c.Partition).State(ctx)
	if err != nil {
		return nil, 0, err
	}
	s.resultsFrom, s.itemsFrom, s.itemsAnew = storedTo.UpTo, itemsTo.UpTo, itemsTo.Epoch == 0
	s.results = newStreamWriter("results", results.MaxBatch(), results, c.Relieve, s.resultsFrom)
	results.Before = func(ctx context.Context) error { return s.broadcaster.ensure(ctx, s.results.batch) }
	s.items = newStreamWriter("items", min(rowsAtOnce, items.MaxBatch()), items, func() {}, s.itemsFrom)
	s.itemCache = newItemCache(c.Store.Items(c.Partition), items, c.Log)
	s.definitions = newDefinitions(c.Store.Table(c.Partition), c.Report, c.Beside)
	s.table = newTable(c, table, checkpoint.UpTo, boundOf(c.Bound, state), s.results, s.items)
	return s, checkpoint.UpTo.From(), nil
}

// fence takes streams over, and records how far each has the journal.
func fence(ctx context.Context, epoch int64, holder string, chains map[*broker.Chain]*broker.FenceRecord) error {
	fencing, ctx := errgroup.WithContext(ctx)
	for chain, found := range chains {
		fencing.Go(func() (err error) {
			*found, err = chain.Fence(ctx, epoch, holder)
			return err
		})
	}
	return fencing.Wait()
}

// Run writes until Ended was called and all is stored, or ctx ends. It calls drained when results
// and items are stored, or cannot be; the rows that are being written then are the last.
func (s *Storage) Run(ctx context.Context, drained func()) error {
	guard := func(f func() error) func() error { return s.config.Incidents.Guard(metrics.AtStore, f) }
	group, ctx := errgroup.WithContext(ctx)
	over := make(chan struct{})
	group.Go(func() error {
		defer close(over)
		defer drained()
		lanes, ctx := errgroup.WithContext(ctx)
		lanes.Go(guard(func() error { return s.results.run(ctx) }))
		lanes.Go(guard(func() error { return s.items.run(ctx) }))
		return lanes.Wait()
	})
	group.Go(guard(func() error { return s.itemCache.sweep(ctx, over) }))
	group.Go(guard(func() error { return s.table.run(ctx, over) }))
	return group.Wait()
}

// Perform takes an effect of append seq on the streams: it broadcasts and stores a result, stores
// an item or removes it, writes rows, has a definition read back. It waits for nothing.
func (s *Storage) Perform(e event.Effect, seq uint64) {
	switch e := e.(type) {
	case event.Publish:
		s.publish(e, seq)
	case event.Write:
		s.table.writes <- e // of size one, and table asked for one
	case event.Keep:
		s.keep(e, seq)
	case event.Drop:
		s.itemCache.drop(e)
	case event.Fetch:
		s.definitions.fetch(e)
	}
}

// Appended records that the batch of a number is durable as append seq, which has so many bytes.
func (s *Storage) Appended(number, seq uint64, bytes int) { s.table.wrote(number, seq, bytes) }

// Performed records that all effects of the appends up to seq were passed to Perform; 0: the batch
// had no append.
func (s *Storage) Performed(seq uint64) {
	s.results.performed(seq)
	s.items.performed(seq)
}

// Ended ends the input.
func (s *Storage) Ended() {
	s.results.close()
	s.items.close()
}

// WhenStored calls f when all results so far are stored, which happens as soon as possible, because
// a caller waits.
func (s *Storage) WhenStored(f func()) { s.results.whenStored(f) }

// Behind measures the results and the items that their streams do not have yet.
func (s *Storage) Behind() (results, items metrics.Behind) {
	return s.results.behind(), s.items.behind()
}

// Rows returns the bytes of appends that the bucket does not have yet, and the number of its rows
// that another client has written.
func (s *Storage) Rows() (bytes, overwritten int64) {
	return s.table.behind(), s.table.strangers.Load()
}

// Checkpoint returns the sequence of the last append all of whose content is stored behind the
// journal.
func (s *Storage) Checkpoint() uint64 { return s.table.stored() }

// Keys returns the keys of the bucket, for a caller that removes rows of which at most so many
// exist. It is nil when listing them would take longer than removing them, and when broker's
// Table.Keys is, so that no caller may depend on it.
func (s *Storage) Keys(ctx context.Context, most int) (map[string]bool, error) {
	if most <= rowsAtOnce {
		return nil, nil
	}
	return s.table.bucket.Keys(ctx, most+trimAbove, s.table.chain.Revision())
}

// Close releases the streams' subscriptions on their connections. Run has returned, and no function
// of Beside runs any more.
func (s *Storage) Close() {
	s.config.Store.TableChain(s.config.Partition).Close()
	s.config.Store.ResultsChain(s.config.Partition).Close()
	s.config.Store.ItemsChain(s.config.Partition).Close()
}
