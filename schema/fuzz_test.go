package schema

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// frozen returns the golden bytes of messages, in both encodings: a corpus that has
// each field.
func frozen(f *testing.F, names ...string) (bodies [][]byte) {
	f.Helper()
	for _, name := range names {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			body, err := os.ReadFile(filepath.Join("testdata", "wire", "v1", name+"."+enc.String()))
			if err != nil {
				f.Fatal(err)
			}
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// What travels besides definitions and replies is read loosely: fields that nobody
// knows are somebody's. Whatever was read can be written, in both encodings, and
// says the same when it is read again.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"worker_id":"w1","stations":["a","b.>"],"version":"1","load":3}`,
		`{"plan_id":"p","station":"s","n":3,"occurrence":2,"attempt":1,"reason":"overlap"}`,
		`{"plan_id":"p","station":"s","command":"c","messages":[1,{"a":null}],"occurrence":1,"attempt":1,"exec":"1-0123456789abcdef","plan_time":"2026-01-01T00:00:00Z","deadline":1767225600}`,
		`{"plan_id":"p","station":"s","state":"ok","content":{"a":[1,2.5]},"real_repet":3,"final":true,"count":2}`,
		`{"kind":"running","station":"s","plan_id":"p","progress":33.3,"time":"2026-01-01T00:00:00.5Z"}`,
		`{"ack":true,"accepted":false,"cancel":true,"ping_interval_ms":500}`,
		"\x82\xa9worker_id\xa2w1\xa8stations\x91\xa1a",
		"\xdf\xff\xff\xff\xff", "\x81\xa4time\xd6\xff\x00\x00\x00\x00",
	} {
		f.Add([]byte(seed))
	}
	for _, body := range frozen(f, "worker", "cancel", "execution", "result", "notice", "ack") {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Scan(data, wire.Limits{})
		if err != nil {
			return
		}
		both[Worker](t, v)
		both[Cancel](t, v)
		both[Execution](t, v)
		both[Result](t, v)
		both[Notice](t, v)
		both[Ack](t, v)
	})
}

func both[T any](t *testing.T, v wire.Value) {
	t.Helper()
	var m T
	if wire.DecodeLoose(v, &m) != nil {
		return
	}
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		raw, err := wire.Marshal(enc, m)
		if err != nil {
			t.Fatalf("%T of %q cannot be written: %v", m, v.Raw(), err)
		}
		back, err := wire.ScanAs(enc, raw, wire.Limits{Items: 1 << 20})
		if err != nil {
			t.Fatalf("%T of %q is written as %q: %v", m, v.Raw(), raw, err)
		}
		var again T
		if err := wire.DecodeLoose(back, &again); err != nil {
			t.Fatalf("%T of %q is written as %q: %v", m, v.Raw(), raw, err)
		}
	}
}

// A key that is read as a row's is the key of that row.
func FuzzParseKey(f *testing.F) {
	for _, key := range []string{PlanKey("a.b", "P1"), StateKey("s", "P1"), StationKey("a.b"), CheckpointKey, "plan.", "state.a", "plan..x"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		kind, station, id, ok := ParseKey(key)
		if !ok {
			return
		}
		want := map[KeyKind]string{KeyPlan: PlanKey(station, id), KeyState: StateKey(station, id), KeyStation: StationKey(station)}[kind]
		if want != key {
			t.Fatalf("%q is read as %q", key, want)
		}
	})
}

// No subject of ours may be asked for as the place of an answer.
func FuzzAnswerable(f *testing.F) {
	for _, subject := range []string{"_INBOX.a.b", "", "$JS.API.STREAM.PURGE.PLAN_JOURNAL", "plans.create", "acme.plans.create", ".plans", "station"} {
		f.Add(subject, "")
		f.Add(subject, "acme")
	}
	f.Fuzz(func(t *testing.T, subject, prefix string) {
		s := Space{Prefix: prefix}
		if prefix != "" && CheckID(prefix) != nil || !s.Answerable(subject) {
			return
		}
		if _, ok := s.ParseReply(subject); ok || subject[0] == '$' {
			t.Fatalf("%q may be answered to", subject)
		}
	})
}
