package command_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/wire anew; commit it only if you understand why it changed")

// The bytes of the types that have names for the wire are committed, because nodes of two releases
// send them to each other: today's code reads those of every release, and writes the same.
func TestFrozenBytes(t *testing.T) {
	due := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	later := time.Date(2026, 3, 1, 10, 0, 1, 250_000_000, time.UTC)
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		for name, sample := range map[string]any{
			"inbox_terms": command.InboxTerms{Key: "orders", Manner: schema.MannerHold, AbandonAfter: 1.5, Data: wire.Text(enc, "data")},
			"claimed": command.Claimed{
				Items: []wire.Value{wire.Text(enc, "item"), wire.MapOf(enc, nil, 0)}, Data: wire.Text(enc, "data"), Length: 5, Next: 3,
			},
			"task_trace": command.TaskTrace{
				Accepted: due, Errors: 1, Lost: 1, LastError: &schema.LastError{Info: "no such codec", Cut: true, ExecTime: due, EndTime: later},
				Exec: "4-0123456789abcdef", Sent: due, Deadline: later,
			},
			"inbox_left": command.InboxLeft{Length: 5, PlanTime: due, Dropped: 2},
		} {
			for i, of := 0, reflect.ValueOf(sample); i < of.NumField(); i++ {
				if of.Field(i).IsZero() {
					t.Errorf("%s: no sample sets %s", name, of.Type().Field(i).Name)
				}
			}
			written, err := wire.Marshal(enc, sample)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			v, err := wire.ScanAs(enc, frozenAs(t, name, enc, written), wire.Limits{})
			if err != nil {
				t.Fatalf("%s in %s: %v", name, enc, err)
			}
			read := reflect.New(reflect.TypeOf(sample))
			if err := wire.Decode(v, read.Interface()); err != nil {
				t.Errorf("%s in %s: %v", name, enc, err)
			}
			if diff := cmp.Diff(sample, read.Elem().Interface(), sameValues); diff != "" {
				t.Errorf("%s in %s is read otherwise:\n%s", name, enc, diff)
			}
		}
	}
}

// frozenAs returns the committed bytes of that name, which must be those that are written today.
func frozenAs(t *testing.T, name string, enc wire.Encoding, written []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", "wire", "v1", name+"."+enc.String())
	if *rewrite {
		if err := os.WriteFile(path, written, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bytes, written); diff != "" {
		t.Errorf("%s is written otherwise:\n%s", path, diff)
	}
	return bytes
}

var sameValues = cmp.Comparer(func(a, b wire.Value) bool {
	return a.Encoding() == b.Encoding() && string(a.Raw()) == string(b.Raw())
})
