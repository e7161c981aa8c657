package process

import (
	"bytes"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An output that is no text travels as base64 in quotes, and its end has room there, because a
// program that ended with 0 would be an error otherwise, and run again.
func TestTheEndOfABinaryOutputFits(t *testing.T) {
	for _, size := range []int{196_605, 196_606, 196_608, 262_144, 300_000} {
		out := &tail{limit: schema.MaxReplyBytes}
		if _, err := out.Write(bytes.Repeat([]byte{0xe9}, size)); err != nil {
			t.Fatal(err)
		}
		v, err := wire.ValueOf(wire.JSON, content(out, schema.MaxReplyBytes))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(v.Raw()); n > schema.MaxReplyBytes || n < schema.MaxReplyBytes-8 {
			t.Errorf("of %d bytes %d are sent, want at most %d and nearly as many", size, n, schema.MaxReplyBytes)
		}
	}
}
