package broker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Records in JSON lie in streams that a person can write to, and so do the headers and
// subjects of items. Any bytes are either read or refused, and a record that was read can
// be written again.
func FuzzRecords(f *testing.F) {
	fence, err := json.Marshal(FenceRecord{Epoch: 7, Holder: "h", Number: 3, JournalCreated: time.Unix(1, 0).UTC(), UpTo: protocol.Mark{Seq: 5, Row: 1}})
	if err != nil {
		f.Fatal(err)
	}
	key, err := ParseSecretKey(strings.Repeat("01", secretKeyBytes))
	if err != nil {
		f.Fatal(err)
	}
	secrets := &Secrets{keys: []SecretKey{key}}
	node, err := os.ReadFile(filepath.Join("..", "schema", "testdata", "wire", "v1", "node.json"))
	if err != nil {
		f.Fatal(err)
	}
	inbox := storage.Inbox(schema.Space{}, 0, "hello.eu", "P1")
	for _, data := range [][]byte{
		fence, newInstallation(4), node, secrets.seal("hello.eu", "a secret"), (&Secrets{}).seal("hello.eu", "a secret"),
		[]byte(`{"node":"n1","epoch":7,"holder":"h","released":true,"renewed":"2026-03-01T10:00:00Z"}`), []byte(`{"epoch":1e400,"holder":"h"}`),
		[]byte(`{"stream":"PLAN_JOURNAL","seq":7}`), []byte(`{"error":{"code":400,"err_code":10071},"seq":0}`),
	} {
		f.Add(data, inbox, "7-3")
	}
	f.Add([]byte("null"), strings.Replace(inbox, ".0.", ".1.", 1), "-1-9223372036854775807")
	f.Add([]byte(`{"key":"`+key.ID()+`","nonce":"AAAA","sealed":""}`), inbox+".", "18446744073709551615--1")
	f.Fuzz(func(t *testing.T, data []byte, subject, header string) {
		if fence, err := decodeFence(data); err == nil {
			again, err := json.Marshal(fence)
			if err != nil {
				t.Fatalf("%q cannot be written: %v", data, err)
			}
			if back, err := decodeFence(again); err != nil || back.signature() != fence.signature() {
				t.Fatalf("%q comes back from %q as %+v, %v", data, again, back, err)
			}
		}
		if i, err := decodeInstallation(data); err == nil && i.Partitions < 1 {
			t.Fatalf("%q is an installation of %d partitions", data, i.Partitions)
		}
		// Leases and nodes are read by encoding/json alone.
		readsAgain[leaseRecord](t, data)
		readsAgain[schema.Node](t, data)
		readsSecret(t, secrets, data)
		readsItem(t, subject, header)
		if seq, err := parseAck(&nats.Msg{Data: data}); err == nil {
			if v, _ := wire.ScanAs(wire.JSON, data, wire.Limits{}); v.Field("seq").IsZero() || !v.Field("error").IsZero() {
				t.Fatalf("%q acknowledges %d", data, seq)
			}
		}
	})
}

// readsAgain checks that a record survives being written and read again.
func readsAgain[T any](t *testing.T, data []byte) {
	t.Helper()
	var r, back T
	if json.Unmarshal(data, &r) != nil {
		return
	}
	again, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("%q cannot be written: %v", data, err)
	}
	if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(r, back) {
		t.Fatalf("%q comes back from %q as %+v, %v", data, again, back, err)
	}
}

// readsSecret checks that an opened secret can be sealed, and that an error shows nothing
// of the stored bytes.
func readsSecret(t *testing.T, s *Secrets, data []byte) {
	t.Helper()
	const station = "hello.eu"
	sk, under, err := s.open(station, data)
	if err != nil {
		var r secretRecord
		if json.Unmarshal(data, &r) == nil && len(r.SK) > 20 && strings.Contains(err.Error(), r.SK) {
			t.Fatalf("%q is refused with %v", data, err)
		}
		return
	}
	if under != "" && under != s.keys[0].id {
		t.Fatalf("%q opens under key %s", data, under)
	}
	if back, under, err := s.open(station, s.seal(station, sk)); err != nil || under == "" || back != sk {
		t.Fatalf("%q is sealed, and then is not %q but %q, %v", data, string(sk), string(back), err)
	}
	if _, under, _ := s.open("another", data); under != "" {
		t.Fatalf("%q opens for another station", data)
	}
}

// readsItem checks the name of a stored item.
func readsItem(t *testing.T, subject, header string) {
	t.Helper()
	i := &Items{store: &Store{}, p: 0}
	read, ok := i.item(subject, nats.Header{storage.HeaderItem: {header}})
	if !ok {
		return
	}
	m := i.Message(read.ItemName, read.Enc, nil)
	if again, ok := i.item(m.Subject, m.Header); !ok || again.ItemName != read.ItemName || m.Subject != subject {
		t.Fatalf("%q of %q is %+v, which is %+v", header, subject, read, again)
	}
}
