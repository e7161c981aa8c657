package machine

import (
	"testing"
	"unsafe"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// A plan fills a size class of the allocator on a 64-bit machine, so that with one field more a
// million of them take 32 MB more. A field that most plans lack belongs behind a pointer.
func TestAPlanFillsItsSizeClass(t *testing.T) {
	const class = 416
	if size := unsafe.Sizeof(state.Plan{}); size > class {
		t.Errorf("a plan has %d bytes, more than the %d of its size class", size, class)
	}
}
