package broker

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An Installation holds the values that are fixed once, when the first node provisions. It
// is kept twice in bucket `leaders`, because without it nothing starts: under the keys
// `installation` and `copy.installation`.
type Installation struct {
	ID         string
	Key        [16]byte // secret: key of the nonces of executions
	Created    time.Time
	Partitions int
}

var installationKeys = [2]string{"installation", "copy.installation"}

// installationJSON is its stored form.
type installationJSON struct {
	ID         string    `json:"id"`
	Key        string    `json:"key"` // 32 hex digits
	Created    time.Time `json:"created"`
	Partitions int       `json:"partitions"`
}

// install reads the installation's record, or makes one: the expected sequence 0 lets one
// of several first nodes win, and the others read its record. If one of the two copies is
// missing or unreadable, it is rewritten from the other.
func (s *Store) install(ctx context.Context) error {
	leaders := &Bucket{store: s, name: s.space.LeadersBucket()}
	var made []byte    // by this process, because there was none
	var journal uint64 // the journal's end at that moment
	for {
		var found [2]keptInstallation
		var good []byte
		for i, key := range installationKeys {
			if err := found[i].read(ctx, leaders, key); err != nil {
				return fmt.Errorf("read installation: %w", err)
			}
			if good == nil && found[i].damage == nil {
				good = found[i].value
				s.installation = found[i].is
			}
		}
		switch {
		case good != nil && journal > 0 && bytes.Equal(good, made):
			return errors.Join(s.repairInstallation(ctx, leaders, found[:], good), s.madeAnew(ctx, leaders, journal))
		case good != nil:
			return s.repairInstallation(ctx, leaders, found[:], good)
		case found[0].value != nil, found[1].value != nil:
			return &UnreadableError{bucket: leaders.name, partitions: partitions(s.space), err: found[0].damage}
		}
		state, err := s.Journal(0).State(ctx)
		if _, none := errors.AsType[*ChangedError](err); err != nil && !none { // there is no journal yet
			return fmt.Errorf("record installation: %w", err)
		}
		journal = state.Last
		// The first one decides; the losers read it.
		made = newInstallation(partitions(s.space))
		if err := leaders.swap(ctx, installationKeys[0], made, found[0].rev); err != nil {
			return fmt.Errorf("record installation: %w", err)
		}
	}
}

// refuseBesideAnother returns an error where this installation has no streams and another
// one has, because a missing or wrong --prefix would start an empty installation, and the
// plans of the other would not run.
func (s *Store) refuseBesideAnother(ctx context.Context) error {
	leaders := &Bucket{store: s, name: s.space.LeadersBucket()}
	switch _, err := s.look(ctx, leaders.stream()); {
	case err == nil:
		return nil
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("look for stream %s: %w", leaders.stream(), err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	names := s.js.StreamNames(ctx)
	var others []string
	for name := range names.Name() {
		switch prefix, ok := storage.ParseJournalStream(name); {
		case !ok || slices.Contains(others, prefix):
		case prefix == s.space.Prefix:
			return nil // its record is lost, and is made anew
		default:
			others = append(others, prefix)
		}
	}
	if err := names.Err(); err != nil {
		return fmt.Errorf("look for other installations: %w", cause(ctx, err))
	}
	if len(others) == 0 {
		return nil
	}
	return fmt.Errorf("nats-server holds another installation (%s) and none of this prefix (%s), and nothing of the other would run: "+
		"start it with its prefix, or this one on an empty data folder", prefixes(others...), prefixes(s.space.Prefix))
}

// prefixes renders installations as the flags that select them.
func prefixes(of ...string) string {
	flags := make([]string, len(of))
	for i, prefix := range of {
		flags[i] = "--prefix " + prefix
		if prefix == "" {
			flags[i] = "without --prefix"
		}
	}
	return strings.Join(flags, ", ")
}

// madeAnew reports that the record was missing although the installation has worked before.
func (s *Store) madeAnew(ctx context.Context, leaders *Bucket, journal uint64) error {
	const text = "the installation's record is gone, though its journal is not, because a disk lost it or it was removed; it was made anew, " +
		"so that replies to executions under way and tokens of callbacks are no longer valid"
	s.log.Error(text, "stream", leaders.stream(), "journal", journal)
	return s.Report(ctx, schema.Damage{Kind: schema.DamageEnd, Stream: leaders.stream(), Had: journal, Text: text})
}

// A keptInstallation is one of the two copies as it was found.
type keptInstallation struct {
	is     Installation
	value  []byte // nil: no copy
	rev    uint64
	damage error // why it cannot be used; nil: it can
}

func (k *keptInstallation) read(ctx context.Context, leaders *Bucket, key string) (err error) {
	if k.value, k.rev, err = leaders.Get(ctx, key); err != nil {
		k.damage = err
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	}
	k.is, k.damage = decodeInstallation(k.value)
	return nil
}

// repairInstallation rewrites the copies that differ from the good one.
func (s *Store) repairInstallation(ctx context.Context, leaders *Bucket, found []keptInstallation, good []byte) error {
	for i, k := range found {
		if bytes.Equal(k.value, good) {
			continue
		}
		if k.value != nil {
			s.log.Error("a record of the installation was overwritten by another client, and is restored: check which users may write there",
				"bucket", leaders.name, "key", installationKeys[i], "error", cmp.Or(k.damage, errOtherInstallation))
		}
		if err := leaders.swap(ctx, installationKeys[i], good, k.rev); err != nil {
			return fmt.Errorf("repair installation: %w", err)
		}
	}
	return nil
}

var errOtherInstallation = errors.New("it is another installation's")

// swap replaces the row of revision rev; 0: of none. Losing the race to another writer is
// no error.
func (b *Bucket) swap(ctx context.Context, key string, value []byte, rev uint64) error {
	m := &nats.Msg{
		Subject: b.subject(key),
		Data:    value,
		Header:  nats.Header{headerLastSubjectSeq: {strconv.FormatUint(rev, 10)}, headerContentType: {contentTypeJSON}},
	}
	_, err := b.store.publish(ctx, b.stream(), m)
	if refused(err, jetstream.JSErrCodeStreamWrongLastSequence) || refused(err, errCodeInFlight) {
		return nil
	}
	return err
}

// An UnreadableError means that neither copy of the installation's record can be read.
type UnreadableError struct {
	bucket     string
	partitions int
	err        error
}

func (e *UnreadableError) Unwrap() error { return e.err }

// Error gives the commands to type: restore the earlier record, if the bucket still has it;
// otherwise write a record with a new key, which voids the executions under way and nothing
// else.
func (e *UnreadableError) Error() string {
	return fmt.Sprintf("%v, and so is its copy; look for one that holds a key in `nats kv history %[2]s %[3]s`, in `nats kv history %[2]s %[4]s` "+
		"or in a backup of stream KV_%[2]s, and put it back: nats kv put %[2]s %[3]s '{\"id\":…}', as the scheduler's own user where NATS has users. "+
		"If there is none, make one: nats kv put %[2]s %[3]s '{\"id\":\"restored\",\"key\":\"'$(openssl rand -hex 16)'\",\"created\":\"2026-01-01T00:00:00Z\",\"partitions\":%[5]d}'; "+
		"plans are kept, but replies to executions under way are void, and so are the callback tokens of before",
		e.err, e.bucket, installationKeys[0], installationKeys[1], e.partitions)
}

func newInstallation(partitions int) []byte {
	var key [16]byte
	rand.Read(key[:]) // never fails
	data, err := json.Marshal(installationJSON{
		ID:         rand.Text(),
		Key:        hex.EncodeToString(key[:]),
		Created:    time.Now().UTC(),
		Partitions: partitions,
	})
	if err != nil {
		panic(err) // cannot happen with texts, a time and a number of our own
	}
	return data
}

func decodeInstallation(value []byte) (Installation, error) {
	var r installationJSON
	if err := json.Unmarshal(value, &r); err != nil {
		return Installation{}, fmt.Errorf("read installation: %w", err)
	}
	key, err := hex.DecodeString(r.Key)
	if err != nil || len(key) != 16 {
		return Installation{}, errors.New("read installation: its key is not 32 hex digits")
	}
	if r.Partitions < 1 {
		return Installation{}, fmt.Errorf("read installation: it has %d partitions", r.Partitions)
	}
	return Installation{ID: r.ID, Key: [16]byte(key), Created: r.Created, Partitions: r.Partitions}, nil
}
