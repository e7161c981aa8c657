package schema

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/wiretest"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The libraries read every type that travels as our own decoder does, with numbers of any width,
// moments in UTC though this machine has another zone, and values as they were sent.
func TestLibrariesReadWhatDecodeReads(t *testing.T) {
	here := time.Local
	time.Local = time.FixedZone("elsewhere", 3600)
	t.Cleanup(func() { time.Local = here })
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		for name, sample := range samples(enc) {
			frozen, err := os.ReadFile(filepath.Join("testdata", "wire", "v1", name+"."+enc.String()))
			if err != nil {
				t.Fatal(err)
			}
			v, err := wire.ScanAs(enc, frozen, wire.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			ours, theirs := reflect.New(reflect.TypeOf(sample)), reflect.New(reflect.TypeOf(sample))
			if err := wire.DecodeLoose(v, ours.Interface()); err != nil {
				t.Fatal(err)
			}
			if err := wire.Unmarshal(v, theirs.Interface()); err != nil {
				t.Errorf("%s in %s: %v", name, enc, err)
			} else if diff := cmp.Diff(ours.Interface(), theirs.Interface(), wiretest.SameValues, sameZones); diff != "" {
				t.Errorf("%s in %s is read otherwise:\n%s", name, enc, diff)
			}
		}
	}
}

var sameZones = cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) && a.Location() == b.Location() })
