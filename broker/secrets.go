package broker

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Secrets are the keys that sign the callbacks of stations, and the named secrets of plans
// of station http, in a bucket of their own that only the scheduler's role may read. With
// keys they are stored encrypted, under the first, each bound to its key in the bucket;
// without they are stored in plain text. It is safe for concurrent use.
//
// There is no cache, because reading a secret for each signed callback costs less than the
// call, and a changed one counts from the next attempt on.
type Secrets struct {
	bucket *Bucket
	keys   []SecretKey
	warn   sync.Once
}

// Secrets is the bucket of secrets, sealed under the first of keys; the others open secrets
// that were sealed before.
func (s *Store) Secrets(keys []SecretKey) *Secrets {
	return &Secrets{bucket: &Bucket{store: s, name: storage.SecretsBucket(s.space)}, keys: keys}
}

// A SecretKey encrypts secrets. It shows nothing but its id.
type SecretKey struct {
	id   string
	aead cipher.AEAD
}

// ID identifies a key, and reveals nothing of it.
func (k SecretKey) ID() string { return k.id }

// String shows the id alone.
func (k SecretKey) String() string { return "key " + k.id }

const secretKeyBytes = 32

var errSecretKey = errors.New("is no key: a key is 32 random bytes, as 64 hex digits or in base64, such as of openssl rand -hex 32")

// ParseSecretKey reads a key of 32 bytes, as 64 hex digits or in base64, in its standard or
// URL alphabet, with padding or without. Its error never repeats the text.
func ParseSecretKey(text string) (SecretKey, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
		if raw, err = base64.RawStdEncoding.DecodeString(plain); err != nil {
			return SecretKey{}, errSecretKey
		}
	}
	if len(raw) != secretKeyBytes {
		return SecretKey{}, errSecretKey
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return SecretKey{}, fmt.Errorf("secret key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return SecretKey{}, fmt.Errorf("secret key: %w", err)
	}
	sum := sha256.Sum256(append([]byte("stationmaster secret key\n"), raw...))
	return SecretKey{hex.EncodeToString(sum[:4]), aead}, nil
}

// ReadSecretKeys reads a file of keys, one a line; empty lines and those that begin with #
// are ignored. The first is the present one.
func ReadSecretKeys(path string) ([]SecretKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read secret keys: %w", err)
	}
	var keys []SecretKey
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, err := ParseSecretKey(line)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d %w", path, i+1, err)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s holds no key; make one with openssl rand -hex 32", path)
	}
	return keys, nil
}

// secretRecord is the stored form of a secret: plain, or sealed under a key.
type secretRecord struct {
	SK     string `json:"sk,omitempty"`
	Key    string `json:"key,omitempty"` // the id
	Nonce  []byte `json:"nonce,omitempty"`
	Sealed []byte `json:"sealed,omitempty"`
}

// ErrUnsealed is the error about a secret that would be stored in plain text where all are sealed.
var ErrUnsealed = errors.New("all secrets are encrypted here, and this node has no key to do it with: start it with --secrets-key-file")

// Put stores the secret of a station, in place of the one that it had; [ErrUnsealed] without a key
// where all are sealed.
func (s *Secrets) Put(ctx context.Context, station string, sk schema.Secret) error {
	if len(s.keys) == 0 {
		switch sealed, err := s.Has(ctx, sealedKey); {
		case err != nil:
			return err
		case sealed:
			return ErrUnsealed
		}
		s.unsealed()
	}
	_, err := s.bucket.Put(ctx, station, s.seal(station, sk))
	return err
}

// Delete deletes the secret of a station, if it has one.
func (s *Secrets) Delete(ctx context.Context, station string) error {
	return s.bucket.Delete(ctx, station)
}

// Has reports whether a station has a secret, which need not be readable.
func (s *Secrets) Has(ctx context.Context, station string) (bool, error) {
	_, _, err := s.bucket.Get(ctx, station)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Get returns the secret of a station; ErrNotFound when it has none. Its other errors name
// the missing key, and never contain the secret.
func (s *Secrets) Get(ctx context.Context, station string) (schema.Secret, error) {
	value, _, err := s.bucket.Get(ctx, station)
	if err != nil {
		return "", err
	}
	sk, under, err := s.open(station, value)
	if err != nil || under != "" || len(s.keys) == 0 {
		return sk, err
	}
	if all, err := s.allSealed(ctx); err != nil {
		return "", err
	} else if all {
		return "", errPlain(station)
	}
	return sk, nil
}

// unsealed logs, once, that secrets are stored in plain text, for all readers of the
// bucket, a backup of it, or the disk.
func (s *Secrets) unsealed() {
	s.warn.Do(func() {
		s.bucket.store.log.Warn("secrets are stored unencrypted; give --secrets-key-file", "bucket", s.bucket.name)
	})
}

// Renew seals again each secret that is stored in plain text, or under another key than the
// present one, and returns how many it sealed. Without keys it seals nothing, and logs that
// if there is something to seal. Secrets that cannot be opened stay as they are, and are
// listed in the error. Once all are sealed the bucket records it, and from then on a plain
// secret is a foreign one, and is neither sealed nor used.
func (s *Secrets) Renew(ctx context.Context) (sealed int, err error) {
	all, err := s.allSealed(ctx)
	if err != nil {
		return 0, err
	}
	var wrong []error
	err = s.bucket.Scan(ctx, 0, func(station string, value []byte, rev uint64) error {
		if station == sealedKey || value == nil {
			return nil
		}
		sk, under, err := s.open(station, value)
		if err == nil && under == "" && all {
			err = errPlain(station)
		}
		switch {
		case err != nil:
			wrong = append(wrong, err)
			return nil
		case len(s.keys) == 0:
			s.unsealed()
			return nil
		case under == s.keys[0].id:
			return nil
		}
		done, err := s.replace(ctx, station, s.seal(station, sk), rev)
		if done {
			sealed++
		}
		return err
	})
	if err == nil && len(wrong) == 0 && len(s.keys) > 0 {
		_, err = s.bucket.Put(ctx, sealedKey, s.seal(sealedKey, sealedWord))
	}
	return sealed, errors.Join(append(wrong, err)...)
}

const (
	// sealedKey is the row which records that all secrets were sealed. No station can have its
	// name. It is sealed itself, so that it cannot be made without a key.
	sealedKey  = "all/sealed"
	sealedWord = "all secrets of this bucket are sealed"
)

// allSealed reports whether all secrets were once sealed under a key that is known here.
func (s *Secrets) allSealed(ctx context.Context) (bool, error) {
	if len(s.keys) == 0 {
		return false, nil
	}
	value, _, err := s.bucket.Get(ctx, sealedKey)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	word, under, err := s.open(sealedKey, value)
	return err == nil && under != "" && word == sealedWord, nil
}

// errPlain is the error about a plain secret where all are sealed.
func errPlain(station string) error {
	return fmt.Errorf("%s is stored unencrypted, and all were sealed before: "+
		"another client put it, or a node without --secrets-key-file; %s", whose(station), putAgain(station))
}

// replace puts a record in place of the one of revision rev; false: another writer was
// faster.
func (s *Secrets) replace(ctx context.Context, station string, value []byte, rev uint64) (bool, error) {
	m := s.bucket.Set(station, value)
	m.Header = nats.Header{
		headerRollup:         rollup[headerRollup],
		headerLastSubjectSeq: {fmt.Sprint(rev)},
	}
	_, err := s.bucket.store.publish(ctx, s.bucket.stream(), m)
	switch {
	case refused(err, jetstream.JSErrCodeStreamWrongLastSequence), refused(err, errCodeInFlight):
		return false, nil
	case err != nil:
		return false, s.bucket.failed("seal", station, err)
	}
	return true, nil
}

func (s *Secrets) seal(station string, sk schema.Secret) []byte {
	r := secretRecord{SK: string(sk)}
	if len(s.keys) > 0 {
		key := s.keys[0]
		r = secretRecord{Key: key.id, Nonce: make([]byte, key.aead.NonceSize())}
		rand.Read(r.Nonce) // never fails
		r.Sealed = key.aead.Seal(nil, r.Nonce, []byte(sk), []byte(station))
	}
	value, err := json.Marshal(r)
	if err != nil {
		panic(err) // cannot happen: texts and bytes of our own
	}
	return value
}

// open reads a record, and returns the id of its key; none: it was plain.
func (s *Secrets) open(station string, value []byte) (sk schema.Secret, under string, err error) {
	r, ok := decodeSecret(value)
	if !ok { // the decoder's error may repeat the input
		return "", "", fmt.Errorf("%s is no record of ours; %s", whose(station), putAgain(station))
	}
	if r.Key == "" {
		return schema.Secret(r.SK), "", nil
	}
	for _, key := range s.keys {
		if key.id != r.Key {
			continue
		}
		if len(r.Nonce) != key.aead.NonceSize() {
			break
		}
		plain, err := key.aead.Open(nil, r.Nonce, r.Sealed, []byte(station))
		if err != nil || len(plain) == 0 {
			break
		}
		return schema.Secret(plain), key.id, nil
	}
	return "", "", s.unopened(station, r.Key)
}

// decodeSecret reads a record that has exactly the members of a plain one, or of a sealed
// one. Other JSON, such as a publish acknowledgement, is refused, because it would be an
// empty secret.
func decodeSecret(value []byte) (r secretRecord, ok bool) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if d.Decode(&r) != nil {
		return r, false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, false
	}
	if r.Key == "" {
		return r, r.SK != "" && r.Nonce == nil && r.Sealed == nil
	}
	return r, r.SK == ""
}

// unopened explains why a secret cannot be read.
func (s *Secrets) unopened(station, id string) error {
	ids := make([]string, len(s.keys))
	for i, key := range s.keys {
		if ids[i] = key.id; key.id == id {
			return fmt.Errorf("%s was changed by another client; %s", whose(station), putAgain(station))
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("%s is sealed under key %s, and there is none here; give --secrets-key-file", whose(station), id)
	}
	return fmt.Errorf("%s is sealed under key %s, and --secrets-key-file has key %s; add that key behind, or %s",
		whose(station), id, strings.Join(ids, ", "), putAgain(station))
}
