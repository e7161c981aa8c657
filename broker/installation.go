package broker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// An Installation is what is decided once, when the first node provisions, and
// never again: a key `installation` of bucket `leaders`.
type Installation struct {
	ID         string
	Key        [16]byte // secret: the nonces of executions are made with it
	Created    time.Time
	Partitions int
}

const installationKey = "installation"

// installationJSON is how it is stored.
type installationJSON struct {
	ID         string    `json:"id"`
	Key        string    `json:"key"` // 32 hex digits
	Created    time.Time `json:"created"`
	Partitions int       `json:"partitions"`
}

// install reads the installation's record. Without one it makes it: the expected
// sequence 0 lets one of several first nodes win, and the others read what it wrote.
func (s *Store) install(ctx context.Context) error {
	leaders := &Bucket{store: s, name: s.space.LeadersBucket()}
	for {
		value, _, err := leaders.Get(ctx, installationKey)
		if err == nil {
			s.installation, err = decodeInstallation(value)
			return err
		}
		if !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("read installation: %w", err)
		}
		m := &nats.Msg{
			Subject: leaders.subject(installationKey),
			Data:    newInstallation(partitions(s.space)),
			Header:  nats.Header{headerLastSubjectSeq: {"0"}, headerContentType: {contentTypeJSON}},
		}
		_, err = s.publish(ctx, leaders.stream(), m)
		if err != nil && !refused(err, jetstream.JSErrCodeStreamWrongLastSequence) && !refused(err, errCodeInFlight) {
			return fmt.Errorf("record installation: %w", err)
		}
	}
}

func newInstallation(partitions int) []byte {
	var key [16]byte
	rand.Read(key[:]) // never fails
	data, err := json.Marshal(installationJSON{
		ID:         nuid.Next(),
		Key:        hex.EncodeToString(key[:]),
		Created:    time.Now().UTC(),
		Partitions: partitions,
	})
	if err != nil {
		panic(err) // texts, a time and a number of our own
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
