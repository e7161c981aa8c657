package listen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzPresence reads any record of any worker, because any client with permission to write the
// bucket may put one. A record that is accepted is bounded and in order, and is the same when
// it is read again.
func FuzzPresence(f *testing.F) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		body, err := os.ReadFile(filepath.Join("..", "..", "schema", "testdata", "wire", "v1", "worker."+enc.String()))
		if err != nil {
			f.Fatal(err)
		}
		f.Add("w1", body)
		f.Add("w2", body)
	}
	f.Add("w1", []byte(`{"stations":["b","a","a","c.>",">","a b"],"load":-3,"version":"`+strings.Repeat("é", maxVersion)+`"}`))
	f.Add("w.1", []byte(`{"stations":["a"]}`))
	f.Add("w1", []byte(`{"stations":["s`+strings.Join(strings.Split(strings.Repeat("x", 2*machine.MaxServed), ""), `","s`)+`"]}`))
	f.Fuzz(func(t *testing.T, id string, value []byte) {
		w, ok := parsePresence(id, value)
		if !ok {
			return
		}
		if len(value) > maxPresence || w.WorkerID != id || schema.CheckID(id) != nil || w.Load < 0 || len(w.Version) > maxVersion {
			t.Fatalf("%q is the worker %+v", value, w)
		}
		if len(w.Stations) == 0 || len(w.Stations) > machine.MaxServed || !slices.IsSorted(w.Stations) {
			t.Fatalf("%q serves %q", value, w.Stations)
		}
		body, err := wire.Marshal(wire.JSON, w)
		if err != nil {
			t.Fatal(err)
		}
		again, ok := parsePresence(id, body)
		if diff := cmp.Diff(w, again); len(body) <= maxPresence && (diff != "" || !ok) {
			t.Fatalf("%q is written as %q, which is another: %v\n%s", value, body, ok, diff)
		}
	})
}
