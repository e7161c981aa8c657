// Package wiretest helps the tests of types that travel: it compares their bytes on the wire with those
// that are committed below testdata/wire/v1, because today's code reads the bytes of every release,
// and writes the same.
package wiretest

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/wire anew; commit it only if you understand why it changed")

// SameValues compares values by their encoding and bytes.
var SameValues = cmp.Comparer(func(a, b wire.Value) bool {
	return a.Encoding() == b.Encoding() && string(a.Raw()) == string(b.Raw())
})

// Check fails t unless sample is written as the committed bytes of that name, and is read from them.
func Check(t *testing.T, name string, enc wire.Encoding, sample any) {
	t.Helper()
	written, err := wire.Marshal(enc, sample)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	v, err := wire.ScanAs(enc, Frozen(t, name, enc, written), wire.Limits{})
	if err != nil {
		t.Fatalf("%s in %s: %v", name, enc, err)
	}
	read := reflect.New(reflect.TypeOf(sample))
	if err := wire.Decode(v, read.Interface()); err != nil {
		t.Errorf("%s in %s: %v", name, enc, err)
	}
	if diff := cmp.Diff(sample, read.Elem().Interface(), SameValues); diff != "" {
		t.Errorf("%s in %s is read otherwise:\n%s", name, enc, diff)
	}
}

// Frozen returns the committed bytes of that name, which must be those that are written today.
func Frozen(t *testing.T, name string, enc wire.Encoding, written []byte) []byte {
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
