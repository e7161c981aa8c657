package protocol_test

import (
	"slices"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// seen is append seq of a holder, stored as many milliseconds later, with the last append that its
// writer has performed.
func seen(holder string, seq, performed uint64) protocol.Seen {
	return protocol.Seen{Stored: protocol.Stored{Seq: seq, At: at(int(seq))}, Holder: holder, Performed: performed}
}

func takeover(holder string, seq uint64) protocol.Seen {
	s := seen(holder, seq, 0)
	s.Takeover = true
	return s
}

// A tail begins behind the last append that its writer has performed, begins anew with that of
// another, and is kept by the node that takes over.
func TestTail(t *testing.T) {
	for name, c := range map[string]struct {
		seen   []protocol.Seen
		holder string
		before uint64
		want   []uint64
	}{
		"unsigned":                   {nil, "", 0, nil},
		"behind a take-over":         {[]protocol.Seen{takeover("a", 3)}, "a", 3, nil},
		"no append is performed":     {[]protocol.Seen{takeover("a", 3), seen("a", 4, 3), seen("a", 5, 3)}, "a", 3, []uint64{4, 5}},
		"one append is performed":    {[]protocol.Seen{takeover("a", 3), seen("a", 4, 3), seen("a", 5, 3), seen("a", 6, 4)}, "a", 4, []uint64{5, 6}},
		"all before are performed":   {[]protocol.Seen{takeover("a", 3), seen("a", 4, 3), seen("a", 5, 4)}, "a", 4, []uint64{5}},
		"another takes over":         {[]protocol.Seen{takeover("a", 3), seen("a", 4, 3), takeover("b", 5)}, "b", 5, nil},
		"its own take-over":          {[]protocol.Seen{takeover("a", 3), seen("a", 4, 3), takeover("own", 5)}, "a", 3, []uint64{4}},
		"whose take-over is unseen":  {[]protocol.Seen{seen("a", 4, 3), seen("a", 5, 3)}, "a", 4, []uint64{5}},
		"of a release that is older": {[]protocol.Seen{takeover("a", 3), seen("a", 4, 3), seen("a", 5, 0)}, "", 5, nil},
	} {
		var tail protocol.Tail[string]
		for _, a := range c.seen {
			tail.Note(a, "own")
		}
		var got []uint64
		for _, a := range tail.Appends {
			got = append(got, a.Seq)
		}
		if tail.Holder != c.holder || !slices.Equal(got, c.want) || c.before != 0 && !tail.Before.Equal(at(int(c.before))) {
			t.Errorf("%s: %v of %q, before which %v", name, got, tail.Holder, tail.Before)
		}
	}
}

// A tail is bounded, however little a leader performs, and an append that has left it counts as
// performed.
func TestATailIsBounded(t *testing.T) {
	var tail protocol.Tail[string]
	tail.Note(takeover("a", 1), "own")
	for seq := uint64(2); seq <= 200; seq++ {
		tail.Note(seen("a", seq, 1), "own")
	}
	if n := len(tail.Appends); n != 64 || tail.Appends[0].Seq != 137 || !tail.Before.Equal(at(136)) {
		t.Errorf("%d appends from %d on, before which %v", n, tail.Appends[0].Seq, tail.Before)
	}
	tail.Cut(138)
	if n := len(tail.Appends); n != 2 {
		t.Errorf("%d appends up to 138", n)
	}
}

// An append is surely unsent only if its writer held the lease last.
func TestUnsent(t *testing.T) {
	var tail protocol.Tail[string]
	for _, a := range []protocol.Seen{takeover("a", 3), seen("a", 4, 3), seen("a", 5, 3), seen("a", 6, 3)} {
		tail.Note(a, "own")
	}
	for name, c := range map[string]struct {
		holder string
		silent uint64
		want   int
	}{
		"one was reported":      {"a", 5, 2},
		"of all":                {"a", 1, 3},
		"none was reported":     {"a", 0, 0},
		"another held it since": {"b", 5, 0},
		"its holder is unknown": {"", 5, 0},
	} {
		got := tail.Unsent(c.holder, protocol.Gone{Silent: c.silent})
		if len(got) != c.want || len(got) > 0 && got[len(got)-1].Seq != 6 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	tail.Note(seen("a", 7, 0), "own")
	if got := tail.Unsent("", protocol.Gone{Silent: 1}); len(got) != 0 {
		t.Errorf("of a release that does not report it: %+v", got)
	}
}
