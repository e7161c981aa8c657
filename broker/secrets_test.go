package broker_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// keyOf is a key of 32 equal bytes.
func keyOf(t *testing.T, b byte) broker.SecretKey {
	t.Helper()
	key, err := broker.ParseSecretKey(strings.Repeat(hex.EncodeToString([]byte{b}), 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// kept is the content of the bucket of secrets, as any reader of it sees it.
func kept(t *testing.T, nc *nats.Conn) jetstream.KeyValue {
	t.Helper()
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), "secrets")
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

func storedSecret(t *testing.T, kv jetstream.KeyValue, station string) string {
	t.Helper()
	entry, err := kv.Get(t.Context(), station)
	if err != nil {
		t.Fatal(err)
	}
	return string(entry.Value())
}

func TestASecretIsKeptAndForgotten(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	store := brokertest.Store(t, nc)
	for name, keys := range map[string][]broker.SecretKey{"plain": nil, "sealed": {keyOf(t, 1)}} {
		s := store.Secrets(keys)
		station := "transcode." + name
		if has, err := s.Has(t.Context(), station); has || err != nil {
			t.Errorf("%s: there is one before it was put: %v", name, err)
		}
		if _, err := s.Get(t.Context(), station); !errors.Is(err, broker.ErrNotFound) {
			t.Errorf("%s: got error %v, want not found", name, err)
		}
		for _, sk := range []schema.Secret{"hush", "hush, again\n\"\x00"} {
			if err := s.Put(t.Context(), station, sk); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Get(t.Context(), station); got != sk || err != nil {
				t.Errorf("%s: another secret comes back: %v", name, err)
			}
		}
		if has, err := s.Has(t.Context(), station); !has || err != nil {
			t.Errorf("%s: there is none: %v", name, err)
		}
		if sealed := !strings.Contains(storedSecret(t, kept(t, nc), station), "hush"); sealed != (keys != nil) {
			t.Errorf("%s: sealed %v", name, sealed)
		}
		if err := s.Delete(t.Context(), station); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), station); !errors.Is(err, broker.ErrNotFound) {
			t.Errorf("%s: got error %v, want not found", name, err)
		}
	}
}

// With the wrong key, or none, the error names the right one, and nothing of the secret.
func TestASecretUnderAnotherKey(t *testing.T) {
	store := brokertest.Store(t, brokertest.Connect(t, brokertest.Server(t)))
	first, second := keyOf(t, 1), keyOf(t, 2)
	if err := store.Secrets([]broker.SecretKey{first}).Put(t.Context(), "s", "hush"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		keys []broker.SecretKey
		want []string
	}{
		{nil, []string{"station s", "key " + first.ID(), "--secrets-key-file"}},
		{[]broker.SecretKey{second}, []string{"station s", "key " + first.ID(), "has key " + second.ID()}},
	} {
		_, err := store.Secrets(c.keys).Get(t.Context(), "s")
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v lacks %q", err, want)
			}
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
	if sk, err := store.Secrets([]broker.SecretKey{second, first}).Get(t.Context(), "s"); sk != "hush" || err != nil {
		t.Errorf("an older key does not open: %v", err)
	}
}

// A record that was moved to another station, or changed, opens nothing.
func TestASecretIsBoundToItsStation(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	s := brokertest.Store(t, nc).Secrets([]broker.SecretKey{keyOf(t, 1)})
	kv := kept(t, nc)
	if err := s.Put(t.Context(), "mine", "hush"); err != nil {
		t.Fatal(err)
	}
	record := storedSecret(t, kv, "mine")
	for _, forged := range []string{
		record, strings.Replace(record, `"nonce":"`, `"nonce":"AA`, 1), strings.Replace(record, `"sealed":"`, `"sealed":"AAAA`, 1),
		`{`, `[]`, `{"key":7}`, strings.Replace(record, `"nonce"`, `"other"`, 1),
	} {
		if _, err := kv.Put(t.Context(), "yours", []byte(forged)); err != nil {
			t.Fatal(err)
		}
		if sk, err := s.Get(t.Context(), "yours"); err == nil || sk != "" || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%s opens, or its error repeats it: %v", forged, err)
		}
	}
}

// A record must have exactly the members of one, because a publish acknowledgement is JSON
// without a key, too, and would be an empty secret.
func TestABodyThatIsNoRecordIsNoSecret(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	store, kv := brokertest.Store(t, nc), kept(t, nc)
	for _, junk := range []string{
		`{"stream":"KV_workers","seq":12}`, `{}`, `{"sk":""}`, `{"sk":"x","seq":1}`, `{"sk":"x"} {}`,
		`{"sk":"x","key":"k"}`, `{"sk":"x","nonce":"AAAA"}`, `null`, `"hush"`, ``,
	} {
		if _, err := kv.Put(t.Context(), "s", []byte(junk)); err != nil {
			t.Fatal(err)
		}
		for name, keys := range map[string][]broker.SecretKey{"without keys": nil, "with keys": {keyOf(t, 1)}} {
			if sk, err := store.Secrets(keys).Get(t.Context(), "s"); err == nil || sk != "" {
				t.Errorf("%s, %q is the secret %q, %v", name, junk, string(sk), err)
			}
		}
	}
}

// Once all are sealed, a plain one signs nothing, and a start does not seal it, because a
// client without a key has put it. Before that, a start seals those that were put while
// there was no key.
func TestAPlainSecretAmongSealedOnesIsRefused(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	store, kv := brokertest.Store(t, nc), kept(t, nc)
	if err := store.Secrets(nil).Put(t.Context(), "s", "hush"); err != nil {
		t.Fatal(err)
	}
	s := store.Secrets([]broker.SecretKey{keyOf(t, 1)})
	if n, err := s.Renew(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d were sealed: %v", n, err)
	}
	if _, err := kv.Put(t.Context(), "s", []byte(`{"sk":"mine"}`)); err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string][]broker.SecretKey{"the same key": {keyOf(t, 1)}, "a new key": {keyOf(t, 2), keyOf(t, 1)}} {
		next := store.Secrets(keys)
		if n, err := next.Renew(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), "station s is stored unencrypted") {
			t.Errorf("%s: %d were sealed: %v", name, n, err)
		}
		if sk, err := next.Get(t.Context(), "s"); sk != "" || err == nil {
			t.Errorf("%s: the secret is %q, %v", name, string(sk), err)
		}
	}
	if err := s.Put(t.Context(), "s", "again"); err != nil {
		t.Fatal(err)
	}
	if err := store.Secrets(nil).Put(t.Context(), "s", "plain"); !errors.Is(err, broker.ErrUnsealed) {
		t.Errorf("without a key it is put: %v", err)
	}
	if sk, err := s.Get(t.Context(), "s"); sk != "again" || err != nil {
		t.Errorf("put again: %v", err)
	}
}

// Secrets that are stored in plain text, or under an older key, are sealed anew when there
// is a new key.
func TestSecretsAreSealedAnew(t *testing.T) {
	store := brokertest.Store(t, brokertest.Connect(t, brokertest.Server(t)))
	first, second, strange := keyOf(t, 1), keyOf(t, 2), keyOf(t, 3)
	put := func(keys []broker.SecretKey, station string) {
		t.Helper()
		if err := store.Secrets(keys).Put(t.Context(), station, schema.Secret("hush "+station)); err != nil {
			t.Fatal(err)
		}
	}
	put(nil, "plain")
	put([]broker.SecretKey{first}, "old")
	put([]broker.SecretKey{second}, "new")
	put([]broker.SecretKey{strange}, "strange")
	if n, err := store.Secrets(nil).Renew(t.Context()); n != 0 || err == nil || strings.Contains(err.Error(), "station plain") {
		t.Errorf("without a key %d were sealed: %v", n, err)
	}
	s := store.Secrets([]broker.SecretKey{second, first})
	n, err := s.Renew(t.Context())
	if n != 2 || err == nil || !strings.Contains(err.Error(), "station strange is sealed under key "+strange.ID()) {
		t.Errorf("%d were sealed anew: %v", n, err)
	}
	now := store.Secrets([]broker.SecretKey{second})
	for _, station := range []string{"plain", "old", "new"} {
		if sk, err := now.Get(t.Context(), station); sk != schema.Secret("hush "+station) || err != nil {
			t.Errorf("%s: %v", station, err)
		}
	}
	if n, err := s.Renew(t.Context()); n != 0 || err == nil {
		t.Errorf("a second time %d were sealed: %v", n, err)
	}
}

func TestSecretKeys(t *testing.T) {
	raw := make([]byte, 32)
	for i := range raw {
		raw[i] = byte(255 - i) // its base64 has letters that the alphabets differ in
	}
	want, err := broker.ParseSecretKey(hex.EncodeToString(raw))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		strings.ToUpper(hex.EncodeToString(raw)),
		base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw),
		base64.URLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	} {
		if got, err := broker.ParseSecretKey(text); err != nil || got.ID() != want.ID() {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "0", strings.Repeat("ab", 31), strings.Repeat("ab", 33), "not a key at all"} {
		if _, err := broker.ParseSecretKey(text); err == nil || text != "" && text != "0" && strings.Contains(err.Error(), text) {
			t.Errorf("%q is taken, or repeated: %v", text, err)
		}
	}
	if text := fmt.Sprintf("%v %s", want, want); strings.Contains(text, "ff") && !strings.Contains(want.ID(), "ff") {
		t.Errorf("a key shows itself: %s", text)
	}
	path := filepath.Join(t.TempDir(), "keys")
	for text, want := range map[string]int{
		"# of May\n" + hex.EncodeToString(raw) + "\r\n\n" + strings.Repeat("ab", 32): 2,
		"# nothing\n": 0, "xyz\n": 0,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := broker.ReadSecretKeys(path)
		if len(keys) != want || (err == nil) != (want > 0) {
			t.Errorf("%q has %d keys: %v", text, len(keys), err)
		}
		if err != nil && (!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "xyz")) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := broker.ReadSecretKeys(path + ".gone"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A named secret opens under that name alone, with the hosts that it was put with; stations
// cannot use one, and no output shows one.
func TestANamedSecretIsBoundToItsNameAndHosts(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	store := brokertest.Store(t, nc)
	s := store.Secrets([]broker.SecretKey{keyOf(t, 1)})
	put := func(n schema.NamedSecret, created bool) {
		t.Helper()
		if got, err := s.PutNamed(t.Context(), &n); got != created || err != nil {
			t.Errorf("put %s: created %v, error %v", n.Name, got, err)
		}
	}
	one := schema.NamedSecret{Name: "one", Value: "hush", Hosts: []string{"https://a.example.org"}, TenantID: "7"}
	put(schema.NamedSecret{Name: "one", Value: "old"}, true)
	put(one, false)
	put(schema.NamedSecret{Name: "two", Value: "hush", Hosts: []string{"https://b.example.org"}}, true)
	if err := s.Put(t.Context(), "one", "a station's"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Named(t.Context(), "one"); err != nil || !reflect.DeepEqual(*got, one) {
		t.Errorf("got %+v, error %v", got, err)
	}
	if got, err := s.Get(t.Context(), "one"); got != "a station's" || err != nil {
		t.Errorf("the station's is %q, error %v", string(got), err)
	}
	shown := one
	shown.Value = ""
	all, err := s.AllNamed(t.Context())
	if err != nil || len(all) != 2 || !reflect.DeepEqual(all[0], shown) || all[1].Name != "two" {
		t.Errorf("all are %+v, error %v", all, err)
	}

	kv := kept(t, nc)
	if stored := storedSecret(t, kv, "http/one"); strings.Contains(stored, "hush") || strings.Contains(stored, "example.org") {
		t.Errorf("stored is %s", stored)
	}
	if _, err := kv.Put(t.Context(), "http/two", []byte(storedSecret(t, kv, "http/one"))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Named(t.Context(), "two"); err == nil || !strings.Contains(err.Error(), "secret two was changed by another client; put it again with secrets.put") {
		t.Errorf("one under the name of another: %v", err)
	}
	if known, err := s.DeleteNamed(t.Context(), "one"); !known || err != nil {
		t.Errorf("delete: %v, error %v", known, err)
	}
	if _, err := s.Named(t.Context(), "one"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("after it was deleted: %v", err)
	}
	if known, err := s.DeleteNamed(t.Context(), "one"); known || err != nil {
		t.Errorf("delete again: %v, error %v", known, err)
	}
	if sealed, err := store.Secrets([]broker.SecretKey{keyOf(t, 2), keyOf(t, 1)}).Renew(t.Context()); sealed != 1 || err == nil {
		t.Errorf("under another key: %d, error %v", sealed, err) // the station's; two has no owner any more
	}
}
