package broker_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// confirmation is a stream's publish acknowledgement on a reply subject. The publisher
// chooses that subject, so that this junk gets into a bucket most easily.
const confirmation = `{"stream":"KV_workers","seq":12}`

// The record is kept twice, so that with any content under one of the keys, and after any number
// of overwrites, the installation is the same, and both copies are rewritten.
func TestTheInstallationSurvivesBadWrites(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, kv jetstream.KeyValue, key string) error{
		"twice overwritten": func(t *testing.T, kv jetstream.KeyValue, key string) error {
			for range 2 {
				if _, err := kv.Put(t.Context(), key, []byte(confirmation)); err != nil {
					return err
				}
			}
			return nil
		},
		"deleted": func(t *testing.T, kv jetstream.KeyValue, key string) error { return kv.Delete(t.Context(), key) },
		"purged":  func(t *testing.T, kv jetstream.KeyValue, key string) error { return kv.Purge(t.Context(), key) },
	} {
		for _, key := range []string{"installation", "copy.installation"} {
			t.Run(name+" "+key, func(t *testing.T) {
				nc := brokertest.Connect(t, brokertest.Server(t))
				before := brokertest.Store(t, nc, quiet(t)).Installation()
				js, err := jetstream.New(nc, patient)
				if err != nil {
					t.Fatal(err)
				}
				kv, err := js.KeyValue(t.Context(), "leaders")
				if err != nil {
					t.Fatal(err)
				}
				if err := spoil(t, kv, key); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(before, brokertest.Store(t, nc, quiet(t)).Installation()); diff != "" {
					t.Error(diff)
				}
				var records [2]string
				for i, key := range []string{"installation", "copy.installation"} {
					entry, err := kv.Get(t.Context(), key)
					if err != nil {
						t.Fatal(err)
					}
					records[i] = string(entry.Value())
				}
				if records[0] != records[1] || !strings.Contains(records[0], `"key"`) {
					t.Errorf("the records are not both whole again: %q", records)
				}
			})
		}
	}
}

// An installation that lost both copies of its record is made anew. If it has ever worked
// this is reported, because the old one's signatures are no longer valid.
func TestARecreatedInstallationIsReported(t *testing.T) {
	for name, worked := range map[string]bool{"it has worked": true, "it is new": false} {
		t.Run(name, func(t *testing.T) {
			nc := brokertest.Connect(t, brokertest.Server(t))
			s := brokertest.Store(t, nc, quiet(t))
			before := s.Installation()
			var damage []string
			if worked {
				write(t, seize(t, s, "a"), "body")
				damage = []string{"end.KV_leaders 2 0"}
			}
			js, err := jetstream.New(nc, patient)
			if err != nil {
				t.Fatal(err)
			}
			leaders, err := js.Stream(t.Context(), "KV_leaders")
			if err != nil {
				t.Fatal(err)
			}
			if err := leaders.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
			s = brokertest.Store(t, nc, quiet(t))
			wantDamage(t, s, damage...)
			if s.Installation().Key == before.Key {
				t.Error("it is the one that is gone")
			}
			wantDamage(t, brokertest.Store(t, nc, quiet(t)), damage...)
		})
	}
}

// Without a readable copy a start prints the commands to type. It makes no new installation
// by itself, because the accepted plans are the old one's.
func TestAnUnreadableInstallationNamesTheWayToRestore(t *testing.T) {
	for name, first := range map[string]bool{"both overwritten": false, "one removed": true} {
		t.Run(name, func(t *testing.T) {
			nc := brokertest.Connect(t, brokertest.Server(t))
			brokertest.Store(t, nc)
			for _, key := range []string{"installation", "copy.installation"} {
				publish(t, nc, "$KV.leaders."+key, []byte(confirmation))
			}
			if first {
				js, err := jetstream.New(nc, patient)
				if err != nil {
					t.Fatal(err)
				}
				kv, err := js.KeyValue(t.Context(), "leaders")
				if err != nil {
					t.Fatal(err)
				}
				if err := kv.Delete(t.Context(), "installation"); err != nil {
					t.Fatal(err)
				}
			}
			_, err := broker.Provision(t.Context(), nc, quiet(t))
			for _, want := range []string{"nats kv history leaders installation", "nats kv put leaders installation", `"partitions":1`} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v lacks %q", err, want)
				}
			}
			publish(t, nc, "$KV.leaders.installation",
				[]byte(`{"id":"restored","key":"000102030405060708090a0b0c0d0e0f","created":"2026-01-01T00:00:00Z","partitions":1}`))
			if id := brokertest.Store(t, nc, quiet(t)).Installation().ID; id != "restored" {
				t.Errorf("the installation is %q", id)
			}
		})
	}
}
