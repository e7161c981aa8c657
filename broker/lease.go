package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// DefaultLease is how long a holder may be silent before another takes over.
const DefaultLease = 1500 * time.Millisecond

// A Lease names the process that should act for a partition, so that candidates leave the
// holder alone: a record of bucket `leaders`, renewed by compare-and-set. No safety rests
// on it (the journal's expected sequence gives that); it only makes one leader the usual
// state. No clocks are compared, because each process watches the record change on a
// monotonic clock of its own.
type Lease struct {
	store  *Store
	stream string
	key    string // of the record, as a subject
	probe  string // a key that candidates write to test whether the stream takes writes
	node   string
	holder string
	length time.Duration

	// Hesitate returns for how long a lease that may be taken is left to others; nil: not
	// at all. It is set before Await.
	Hesitate func() time.Duration

	// Seen is called at each look with the holder's node and epoch, or with "" when the
	// lease is vacant. Nil: no call. It is set before Await.
	Seen func(node string, epoch int64)

	before Predecessor // as it was read last; Await's

	mu   sync.Mutex
	life time.Time // the holder's last sign of life
}

// leaseRecord is the value of the lease's key.
type leaseRecord struct {
	Node     string    `json:"node"`
	Epoch    int64     `json:"epoch"` // 0 until the journal is seized
	Holder   string    `json:"holder"`
	Released bool      `json:"released"`
	Renewed  time.Time `json:"renewed"` // by the holder's clock; for people
	// Silent, in a released record, is the first append from which on no effect was
	// published. 0: unknown.
	Silent uint64 `json:"silent,omitempty"`

	stored time.Time // by the server's clock
}

// A Predecessor is the previous holder of a lease, by the record that was replaced.
type Predecessor struct {
	Holder  string    // empty: none, or unknown
	Renewed time.Time // when its last renewal was stored, by the server's clock; zero: unknown
	Lived   time.Time // likewise its last renewal or its release; zero: unknown
	Silent  uint64    // leaseRecord.Silent, the first append without published effects; 0: unknown
}

const (
	// trustShare is the part of the lease for which a holder trusts itself, counted from when
	// it sent a confirmed renewal, because it must have stopped before another may begin.
	trustShare = 0.6
	// Renewals in one length of the lease.
	renewals = 5
	// goneFor is how long the leader's own subject must lack a responder before that counts
	// as death, because a single miss is a reconnect.
	goneFor = 300 * time.Millisecond
	// watchEvery is how often a candidate looks, if no renewal wakes it earlier.
	watchEvery = 50 * time.Millisecond
	// wakeDelay lets the stream store the renewal that has already reached the
	// subscription.
	wakeDelay = 2 * time.Millisecond
)

// Lease is the lease of partition p, for a process with this node name that signs with
// holder, a random id of the process. Length 0 means DefaultLease.
func (s *Store) Lease(p int, node, holder string, length time.Duration) *Lease {
	bucket := &Bucket{store: s, name: s.space.LeadersBucket()}
	key := strconv.Itoa(p)
	return &Lease{
		store:  s,
		stream: bucket.stream(),
		key:    bucket.subject(key),
		probe:  bucket.subject("probe." + key),
		node:   node,
		holder: holder,
		length: or(length, DefaultLease),
	}
}

// Alive records an append of the holder, which is as good as a renewal.
func (l *Lease) Alive() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.life = time.Now()
}

// Life is the time of the last sign that the holder lives, and that its writes are stored.
func (l *Lease) Life() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.life
}

// Await blocks until this process holds the lease. It takes a lease that is vacant or
// released; one whose holder was silent for the whole length, counted only while the stream
// of leases takes writes, because on a cluster without a leader no holder can renew; or one
// whose holder's own subject has had no responder for 300 ms, by gone, with no append
// meanwhile. Gone may be nil and should return at once.
//
// The lease is renewed until ctx ends, another process takes it, or Release.
func (l *Lease) Await(ctx context.Context, gone func(context.Context) bool) (*Held, error) {
	// Renewals are plain publications, so a plain subscription receives them, and a
	// release, at once. Only the stream's record counts.
	wake := make(chan *nats.Msg, 16)
	sub, err := l.store.nc.ChanSubscribe(l.key, wake)
	if err != nil {
		return nil, fmt.Errorf("watch lease: %w", err)
	}
	defer sub.Unsubscribe() //nolint:errcheck // it fails only on a closed connection
	l.Alive()
	var c candidate
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-wake:
			timer.Reset(wakeDelay)
			continue
		case <-timer.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		held, err := l.look(ctx, &c, gone)
		if held != nil || err != nil {
			return held, err
		}
		timer.Reset(min(watchEvery, l.length/10, c.decides()))
	}
}

// A candidate is the state of one Await.
type candidate struct {
	rev    uint64
	missed time.Time // since when the holder's subject lacks a responder, without an append
	free   time.Time // since when the lease may be taken

	seen    time.Time     // the last sign of life, from which silence is counted
	counted time.Time     // the moment up to which silence is counted
	silent  time.Duration // how long the holder could have renewed since, and did not
}

// decides is how long it takes until a holder without a responder counts as dead.
func (c *candidate) decides() time.Duration {
	if c.missed.IsZero() {
		return goneFor
	}
	return max(goneFor-time.Since(c.missed), wakeDelay)
}

// look reads the record and takes the lease if it may.
func (l *Lease) look(ctx context.Context, c *candidate, gone func(context.Context) bool) (*Held, error) {
	record, rev, err := l.read(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, nats.ErrConnectionClosed):
		return nil, fmt.Errorf("await lease: %w", err)
	case err != nil:
		c.counted = time.Now() // a stream that does not answer takes no renewals either
		return nil, nil
	case rev != c.rev:
		c.rev = rev
		c.missed = time.Time{}
		l.Alive()
	}
	l.precedes(record)
	if l.Seen != nil {
		if record.Released {
			l.Seen("", 0)
		} else {
			l.Seen(record.Node, record.Epoch)
		}
	}
	if record.Holder != "" && record.Holder != l.holder && !record.Released && !l.dead(ctx, c, gone) {
		c.free = time.Time{}
		return nil, nil
	}
	if c.free.IsZero() {
		c.free = time.Now()
	}
	if l.Hesitate != nil && time.Since(c.free) < l.Hesitate() {
		return nil, nil
	}
	return l.take(ctx, rev)
}

// precedes records the holder. When the record is our own, which may have landed without an
// answer, the predecessor of the previous look stands.
func (l *Lease) precedes(r leaseRecord) {
	switch {
	case r.Holder == l.holder:
	case r.Released: // a release is no renewal, and hides the last one
		l.before = Predecessor{Holder: r.Holder, Lived: r.stored, Silent: r.Silent}
	default:
		l.before = Predecessor{Holder: r.Holder, Renewed: r.stored, Lived: r.stored}
	}
}

// dead reports whether the holder of the lease may be replaced.
func (l *Lease) dead(ctx context.Context, c *candidate, gone func(context.Context) bool) bool {
	if life := l.Life(); life.After(c.seen) {
		c.seen, c.counted, c.silent = life, life, 0
	}
	// Time in which no holder could renew is left out, but only that time, because a store
	// that is slow all the time must not keep a dead leader in office.
	stretch := time.Since(c.counted)
	if c.silent+stretch >= l.length/3 && !l.writable(ctx) {
		c.counted = time.Now()
		return false
	}
	c.silent += stretch
	c.counted = c.counted.Add(stretch)
	if c.silent >= l.length {
		return true
	}
	asking, cancel := context.WithTimeout(ctx, goneFor)
	defer cancel()
	if gone == nil || !gone(asking) {
		c.missed = time.Time{}
		return false
	}
	if c.missed.IsZero() {
		c.missed = time.Now()
	}
	if life := l.Life(); life.After(c.missed) {
		c.missed = life
	}
	return time.Since(c.missed) >= goneFor
}

// writable reports whether the stream of leases takes writes now, and as quickly as its
// holder would need to renew.
func (l *Lease) writable(ctx context.Context) bool {
	writing, cancel := context.WithTimeout(ctx, l.length/renewals)
	defer cancel()
	_, err := l.store.publish(writing, l.stream, &nats.Msg{Subject: l.probe, Data: []byte(l.holder)})
	return err == nil
}

// take writes our record over revision rev.
func (l *Lease) take(ctx context.Context, rev uint64) (*Held, error) {
	sent := time.Now()
	rev, err := l.write(ctx, rev, leaseRecord{})
	if err != nil {
		// If the record landed all the same, the next look finds it and takes the lease again,
		// over its revision.
		return nil, nil //nolint:nilerr // see above
	}
	renewing, cancel := context.WithCancel(ctx)
	h := &Held{
		lease:     l,
		before:    l.before,
		rev:       rev,
		confirmed: sent,
		lost:      make(chan struct{}),
		nudge:     make(chan struct{}, 1),
		cancel:    cancel,
		done:      make(chan struct{}),
	}
	go h.renew(renewing)
	return h, nil
}

// read returns the record and the revision of its key: zeros when there is none, and an
// empty record when it was deleted.
func (l *Lease) read(ctx context.Context) (leaseRecord, uint64, error) {
	m, err := l.store.get(ctx, l.stream, getRequest{LastFor: l.key})
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return leaseRecord{}, 0, nil
	case err != nil:
		return leaseRecord{}, 0, fmt.Errorf("read lease: %w", err)
	}
	var r leaseRecord
	if err := json.Unmarshal(m.Data, &r); err != nil {
		return leaseRecord{}, m.Seq, nil // a delete marker, or foreign bytes
	}
	r.stored = m.Time
	return r, m.Seq, nil
}

// write puts r, signed, if the key is still at revision rev.
func (l *Lease) write(ctx context.Context, rev uint64, r leaseRecord) (uint64, error) {
	r.Node, r.Holder, r.Renewed = l.node, l.holder, time.Now().UTC()
	data, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("encode lease: %w", err)
	}
	writing, cancel := context.WithTimeout(ctx, l.length)
	defer cancel()
	rev, err = l.store.publish(writing, l.stream, &nats.Msg{Subject: l.key, Data: data, Header: nats.Header{
		headerLastSubjectSeq: {strconv.FormatUint(rev, 10)},
		headerContentType:    {contentTypeJSON},
	}})
	if err != nil {
		return 0, fmt.Errorf("write lease: %w", err)
	}
	return rev, nil
}
