package embed

import (
	"runtime"
	"strings"
	"testing"
)

func TestRoom(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		size, free int64
		full       bool
	}{
		{100 << 30, 32 * mib, false},
		{100 << 30, 32*mib - 1, true},
		{40 * mib, 2 * mib, false},
		{40 * mib, 2*mib - 1, true},
		{40 * mib, 0, true},
		{0, 0, false}, // unknown
	} {
		err := room("/data", test.size, test.free)
		if (err != nil) != test.full {
			t.Errorf("%d of %d bytes are free: %v", test.free, test.size, err)
		}
		if err != nil && !strings.Contains(err.Error(), "the disk of /data is full") {
			t.Error(err)
		}
	}
	for _, test := range []struct {
		size, free int64
		full       bool
	}{
		{100 << 30, 160 * mib, false},
		{100 << 30, 160*mib - 1, true},
		{40 * mib, 7 * mib, false},
		{40 * mib, 7*mib - 1, true},
		{40 * mib, -mib, true}, // more is accepted than there is room for
		{0, 0, false},
	} {
		if err := spare("/data", test.size, test.free); (err != nil) != test.full {
			t.Errorf("%d of %d bytes are free: %v", test.free, test.size, err)
		}
	}
	if size, free := disk(t.TempDir()); size < free || runtime.GOOS == "linux" && free <= 0 {
		t.Errorf("a disk that tests run on has %d of %d bytes free", free, size)
	}
	if size, free := disk("/no/such/folder"); size != 0 || free != 0 {
		t.Errorf("a missing folder has %d of %d bytes free", free, size)
	}
}
