package broker_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// golden compares got with a committed file. A difference here means that a new layout
// needs a new version, because journals and buckets outlive releases.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s\n got %q\nwant %q", name, got, want)
	}
}

func TestFrozenBytes(t *testing.T) {
	append1 := broker.Append{Epoch: 1_700_000_000_001, Holder: "a-holder", Number: 258, Body: []byte("rows")}
	takeover := broker.Append{Epoch: 1, Holder: "b", Takeover: true}
	golden(t, "append.v1.msgpack", broker.AppendEnvelope(append1))
	golden(t, "takeover.v1.msgpack", broker.AppendEnvelope(takeover))
	golden(t, "fence.json", broker.EncodeFence(broker.FenceRecord{
		Epoch:          1_700_000_000_001,
		Holder:         "a-holder",
		Number:         17,
		JournalCreated: time.Date(2024, 2, 29, 12, 0, 0, 123456789, time.FixedZone("", 3600)),
		UpTo:           protocol.Mark{Seq: 12, Row: 3},
	}))
	golden(t, "fence.each.json", broker.EncodeFence(broker.FenceRecord{
		Epoch:          1_700_000_000_001,
		Holder:         "a-holder",
		Number:         17,
		JournalCreated: time.Date(2024, 2, 29, 11, 0, 0, 0, time.UTC),
		UpTo:           protocol.Mark{Seq: 12, Row: 3},
		Behind:         4, After: 100, Each: 64, Since: 90,
	}))
}

func TestOldBytesAreReadForEver(t *testing.T) {
	for name, want := range map[string]broker.Append{
		"append.v1.msgpack":   {Epoch: 1_700_000_000_001, Holder: "a-holder", Number: 258, Body: []byte("rows")},
		"takeover.v1.msgpack": {Epoch: 1, Holder: "b", Takeover: true, Body: []byte{}},
		"append.v2.msgpack":   {Epoch: 1_700_000_000_001, Holder: "a-holder", Number: 258, Body: bytes.Repeat([]byte("rows "), 400)},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := broker.DecodeAppend(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func genAppend(t *rapid.T) broker.Append {
	return broker.Append{
		Epoch:    rapid.Int64Range(1, 1<<62).Draw(t, "epoch"),
		Holder:   rapid.StringMatching(`[a-zA-Z0-9]{1,64}`).Draw(t, "holder"),
		Number:   rapid.Uint64().Draw(t, "number"),
		Takeover: rapid.Bool().Draw(t, "takeover"),
		Body:     rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
	}
}

func TestWrittenRecordsAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genAppend(t)
		got, err := broker.DecodeAppend(broker.AppendEnvelope(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A full append is compressed; one that would not become shorter is not.
func TestBodiesArePackedWhereThatHelps(t *testing.T) {
	for _, tt := range []struct {
		name        string
		body        []byte
		least, most int
	}{
		{"a short one", bytes.Repeat([]byte("a"), 1000), 1000, 1100},
		{"rows", bytes.Repeat([]byte(`{"plan_id":"p","station":"hello"}`), 3000), 100, 15_000},
		{"noise", noise(100_000), 100_000, 100_100},
	} {
		want := broker.Append{Epoch: 1, Holder: "a", Number: 1, Body: tt.body}
		data := broker.AppendEnvelope(want)
		if len(data) < tt.least || len(data) > tt.most {
			t.Errorf("%s: %d bytes are written as %d", tt.name, len(tt.body), len(data))
		}
		got, err := broker.DecodeAppend(data)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is read otherwise than it was written", tt.name)
		}
	}
}

// A body that claims more bytes than any append has, or is no S2 block, is no append.
func TestABodyThatCannotBeUnpackedIsNone(t *testing.T) {
	whole := broker.AppendEnvelope(broker.Append{Epoch: 1, Holder: "a", Body: bytes.Repeat([]byte("rows "), 400)})
	at := bytes.LastIndex(whole, []byte("\xa4body\xc6")) + len("\xa4body\xc6") + 4
	for name, block := range map[string]string{
		"nothing":       "",
		"no block":      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"a gigabyte":    "\x80\x80\x80\x80\x04\x00",
		"less than all": string(whole[at : len(whole)-3]),
	} {
		data := binary.BigEndian.AppendUint32(slices.Clone(whole[:at-4]), uint32(len(block)))
		if a, err := broker.DecodeAppend(append(data, block...)); err == nil {
			t.Errorf("%s is read as %d bytes", name, len(a.Body))
		}
	}
}

func TestNoPartOfAnAppendIsAnAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := broker.AppendEnvelope(genAppend(t))
		n := rapid.IntRange(0, len(whole)-1).Draw(t, "n")
		if _, err := broker.DecodeAppend(whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes", n, len(whole))
		}
		if _, err := broker.DecodeAppend(append(whole, 0)); err == nil {
			t.Error("with a byte behind it")
		}
	})
}

func FuzzDecodeAppend(f *testing.F) {
	f.Add(broker.AppendEnvelope(broker.Append{Epoch: 1, Holder: "a", Body: []byte("x")}))
	f.Add([]byte("\x86\xa1v\x03"))
	f.Add(broker.AppendEnvelope(broker.Append{Epoch: 1, Holder: "a", Body: bytes.Repeat([]byte("rows "), 400)}))
	f.Add([]byte("\x86\xa1v\x01\xa5epoch\xd3\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := broker.DecodeAppend(data)
		if err != nil {
			if errors.Is(err, broker.ErrNewer) && len(data) < 4 {
				t.Error("ErrNewer without a version")
			}
			return
		}
		again, err := broker.DecodeAppend(broker.AppendEnvelope(a))
		if err != nil {
			t.Fatalf("%q is read as %+v, and then not: %v", data, a, err)
		}
		if diff := cmp.Diff(a, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q is read, written and read (-first +again):\n%s", data, diff)
		}
	})
}
