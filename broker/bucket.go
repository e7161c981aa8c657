package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
)

// A Bucket is a key-value bucket of NATS: `nats kv get|ls|watch` work on it. It is safe for
// concurrent use.
type Bucket struct {
	store *Store
	name  string
}

// A Table is a partition's bucket of plans. Its chain writes it, with the messages that Set
// and Unset make.
type Table struct{ Bucket }

func (b *Bucket) stream() string            { return bucketPrefix + b.name }
func (b *Bucket) subject(key string) string { return storage.BucketSubject(b.name, key) }
func (b *Bucket) key(subject string) string { return strings.TrimPrefix(subject, b.subject("")) }

// KeyOf returns the key of a subject.
func (b *Bucket) KeyOf(subject string) string { return b.key(subject) }

func (b *Bucket) failed(act string, key string, err error) error {
	return fmt.Errorf("%s %s of bucket %s: %w", act, key, b.name, err)
}

// Set returns the message that puts a row. It rolls up the row before it, because
// nats-server records on disk the messages that a rollup removes, but not those removed by
// its limit of messages per subject, which would be back after a kill -9 (nats-server issue 8505).
func (b *Bucket) Set(key string, value []byte) *nats.Msg {
	return &nats.Msg{Subject: b.subject(key), Header: rollup, Data: value}
}

// rollup is the header of rows. It is shared, and never changed.
var rollup = nats.Header{headerRollup: {"sub"}}

// Unset returns the message that removes a row: a marker in its place. It does not expire, because
// nats-server may forget on its disk that older messages of the subject were removed, and after a
// kill -9 a message that is back must have the marker behind it (ADR 0044). [Table.Trim] removes
// the markers of the table.
func (b *Bucket) Unset(key string) *nats.Msg {
	return &nats.Msg{Subject: b.subject(key), Header: nats.Header{
		headerKVOperation: {"PURGE"},
		headerRollup:      {"sub"},
	}}
}

// Keys returns the keys of the table, including rows with a delete marker, as the stream's
// leader has them at or after the revision least. It is nil when there are more than most,
// or when the leader cannot answer now, so that callers must work without it.
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

// Get reads a row and its revision from the stream's leader. Without a row it returns
// ErrNotFound, with the revision of the delete marker, or 0 if there is none.
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

// Put writes a row unconditionally and returns its revision.
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

// Scan calls f with every row, in the order of their revisions, up to the end that the
// stream had at the call and at least up to the sequence least. The caller must know that
// least exists, because a server that used to lead may show an old end, and a replica may
// lag behind. A row that is rewritten during the scan may come twice. A removed row comes with the
// value nil, because it may have come with another before; the fence is a row like others. Value is valid
// until f returns.
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
		value := m.Data()
		switch {
		case IsRemoval(m.Headers()):
			value = nil
		case value == nil:
			value = []byte{}
		}
		return f(b.key(m.Subject()), value, m.seq)
	}
	if err := r.run(ctx); err != nil {
		return fmt.Errorf("scan bucket %s: %w", b.name, err)
	}
	return nil
}

// Watch calls f with every row and then with each change, until f returns an error or ctx
// ends. Value is nil for a row that was removed or has expired. After an interruption all
// rows come again.
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

// IsRemoval reports whether a message of a bucket is a delete marker: the row was removed
// or has expired.
func IsRemoval(h nats.Header) bool {
	return len(h) > 0 && (h.Get(headerKVOperation) != "" || h.Get("Nats-Marker-Reason") != "")
}
