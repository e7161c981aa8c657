package state_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// frozen are records that differ in how much there is of them: one that executes, one with
// several workers, one that is idle.
var frozen = []string{"state", "state_claimed", "state_managed"}

// BenchmarkAppendState writes a record as each append does.
func BenchmarkAppendState(b *testing.B) {
	for _, name := range frozen {
		b.Run(name, func(b *testing.B) {
			record, err := state.ParseState(frozenRow(b, name))
			if err != nil {
				b.Fatal(err)
			}
			p, w, row := &state.Plan{Record: record}, new(wire.Writer), make([]byte, 0, 1024)
			b.ReportAllocs()
			for b.Loop() {
				row = p.AppendState(w, row[:0])
			}
		})
	}
}

// BenchmarkParseState reads a record as each restart does.
func BenchmarkParseState(b *testing.B) {
	for _, name := range frozen {
		b.Run(name, func(b *testing.B) {
			row := frozenRow(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := state.ParseState(row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func frozenRow(t testing.TB, name string) []byte {
	t.Helper()
	row, err := os.ReadFile(filepath.Join("..", "testdata", "wire", name+".msgpack"))
	if err != nil {
		t.Fatal(err)
	}
	return row
}
