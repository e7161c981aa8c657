package broker

import (
	"encoding/json"
	"testing"
	"time"
)

// The records that are JSON lie in streams that a person can write to. Whatever is
// there is read as what it says or refused, and what is read can be written again.
func FuzzRecords(f *testing.F) {
	fence, err := json.Marshal(FenceRecord{Epoch: 7, Holder: "h", Number: 3, JournalCreated: time.Unix(1, 0).UTC(), UpTo: Mark{Seq: 5, Row: 1}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fence)
	f.Add(newInstallation(4))
	f.Add([]byte(`{"node":"n1","epoch":7,"holder":"h"}`))
	f.Add([]byte(`{"epoch":1e400,"holder":"h"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if fence, err := decodeFence(data); err == nil {
			again, err := json.Marshal(fence)
			if err != nil {
				t.Fatalf("%q cannot be written: %v", data, err)
			}
			if back, err := decodeFence(again); err != nil || !back.sameWrite(fence) {
				t.Fatalf("%q comes back from %q as %+v, %v", data, again, back, err)
			}
		}
		if i, err := decodeInstallation(data); err == nil && i.Partitions < 1 {
			t.Fatalf("%q is an installation of %d partitions", data, i.Partitions)
		}
	})
}
