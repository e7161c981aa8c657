package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Bucket is a key-value bucket of NATS: `nats kv get|ls|watch` work on it. It is
// safe for concurrent use.
type Bucket struct {
	store *Store
	name  string
}

// A Table is a partition's bucket of plans. It is written by its chain, with the
// messages that Set and Unset make.
type Table struct{ Bucket }

func (b *Bucket) stream() string            { return "KV_" + b.name }
func (b *Bucket) subject(key string) string { return schema.BucketSubject(b.name, key) }
func (b *Bucket) key(subject string) string { return strings.TrimPrefix(subject, b.subject("")) }

// KeyOf is the key that a subject stands for.
func (b *Bucket) KeyOf(subject string) string { return b.key(subject) }

func (b *Bucket) failed(act string, key string, err error) error {
	return fmt.Errorf("%s %s of bucket %s: %w", act, key, b.name, err)
}

// Set is the message that puts a row. It rolls up the row before it: nats-server
// notes on disk what a rollup removes, and does not when its limit of messages a
// subject does. A row that was removed by a marker which has gone would otherwise be
// back after a kill -9 (nats-server issue 8505), and a closed plan run again.
func (b *Bucket) Set(key string, value []byte) *nats.Msg {
	return &nats.Msg{Subject: b.subject(key), Header: rollup, Data: value}
}

// rollup is the header of rows. It is read, and never changed.
var rollup = nats.Header{headerRollup: {"sub"}}

// Unset is the message that removes a row: a marker that goes away by itself after
// a second, long enough for watchers to see it.
func (b *Bucket) Unset(key string) *nats.Msg {
	return &nats.Msg{Subject: b.subject(key), Header: nats.Header{
		headerKVOperation: {"PURGE"},
		headerRollup:      {"sub"},
		headerTTL:         {"1s"},
	}}
}

// Keys returns the keys that the table has, those of rows on their way out among them, as
// the stream's leader knows them after the revision least. It is nil when there are more
// than most, or the leader cannot tell now: it is a help, and nobody may need it.
func (t *Table) Keys(ctx context.Context, most int, least uint64) (map[string]bool, error) {
	info, err := t.store.info(ctx, t.stream())
	if err != nil {
		return nil, fmt.Errorf("list keys of bucket %s: %w", t.name, err)
	}
	if info.State.NumSubjects > uint64(most) {
		return nil, nil
	}
	filter := struct {
		Subjects string `json:"subjects_filter"`
	}{t.subject(">")}
	if err := t.store.ask(ctx, "STREAM.INFO", t.stream(), filter, info); err != nil {
		return nil, fmt.Errorf("list keys of bucket %s: %w", t.name, err)
	}
	if info.State.LastSeq < least || uint64(len(info.State.Subjects)) != info.State.NumSubjects {
		return nil, nil
	}
	keys := make(map[string]bool, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		keys[t.key(subject)] = true
	}
	return keys, nil
}

// Get reads a row and its revision from the stream's leader; ErrNotFound when there
// is none, with the revision of what says that it was removed, or 0.
func (b *Bucket) Get(ctx context.Context, key string) (value []byte, rev uint64, err error) {
	m, err := b.store.get(ctx, b.stream(), getRequest{LastFor: b.subject(key)})
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, 0, b.failed("get", key, ErrNotFound)
	case err != nil:
		return nil, 0, b.failed("get", key, err)
	case len(m.Header) > 0:
		header, err := nats.DecodeHeadersMsg(m.Header)
		if err != nil {
			return nil, 0, b.failed("get", key, err)
		}
		if IsRemoval(header) {
			return nil, m.Seq, b.failed("get", key, ErrNotFound)
		}
	}
	return m.Data, m.Seq, nil
}

// Put writes a row, whatever is there, and returns its revision.
func (b *Bucket) Put(ctx context.Context, key string, value []byte) (rev uint64, err error) {
	rev, err = b.store.publish(ctx, b.stream(), b.Set(key, value))
	if err != nil {
		return 0, b.failed("put", key, err)
	}
	return rev, nil
}

// Delete removes a row, if there is one.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if _, err := b.store.publish(ctx, b.stream(), b.Unset(key)); err != nil {
		return b.failed("delete", key, err)
	}
	return nil
}

// Scan calls f with every row, in the order in which they were written, as they are when
// the stream has reached its end as of the call, and at least the sequence least, which
// the caller knows to exist: a server that used to lead may show an old end, and one that
// follows may lag behind. A row that is written again meanwhile may come twice. Removed
// rows are left out; the fence is a row like others. Value is valid until f returns.
func (b *Bucket) Scan(ctx context.Context, least uint64, f func(key string, value []byte, rev uint64) error) error {
	info, err := b.store.info(ctx, b.stream())
	if err != nil {
		return fmt.Errorf("scan bucket %s: %w", b.name, err)
	}
	if least == 0 && info.State.Msgs == 0 {
		return nil
	}
	r := reading{store: b.store, stream: b.stream(), until: max(least, info.State.LastSeq)}
	r.each = func(m message) error {
		if IsRemoval(m.Headers()) {
			return nil
		}
		return f(b.key(m.Subject()), m.Data(), m.seq)
	}
	if err := r.run(ctx); err != nil {
		return fmt.Errorf("scan bucket %s: %w", b.name, err)
	}
	return nil
}

// Watch calls f with every row and then with each change, until f returns an error
// or ctx ends. Value is nil for a row that was removed or has expired. After an
// interruption all rows come again.
func (b *Bucket) Watch(ctx context.Context, f func(key string, value []byte) error) error {
	r := reading{store: b.store, stream: b.stream(), lastOnly: true}
	r.each = func(m message) error {
		if IsRemoval(m.Headers()) {
			return f(b.key(m.Subject()), nil)
		}
		return f(b.key(m.Subject()), append([]byte{}, m.Data()...))
	}
	if err := r.run(ctx); err != nil {
		return fmt.Errorf("watch bucket %s: %w", b.name, err)
	}
	return nil
}

// IsRemoval says whether a message of a bucket stands for a row that is gone: taken away
// by somebody, or expired.
func IsRemoval(h nats.Header) bool {
	return len(h) > 0 && (h.Get(headerKVOperation) != "" || h.Get("Nats-Marker-Reason") != "")
}
