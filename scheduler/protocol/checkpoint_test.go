package protocol_test

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

func before(seq uint64) protocol.Mark { return protocol.Mark{Seq: seq} }

// checkpoint is one at 10, with three batches of 100 bytes behind it.
func checkpoint() protocol.Checkpoint {
	c := protocol.NewCheckpoint(before(10))
	for batch := uint64(1); batch <= 3; batch++ {
		c.Appended(batch, 9+batch, 100)
	}
	return c
}

// The checkpoint goes as far as the rows, the results and the items do, and never back; a batch
// without rows is written only for a checkpoint that moves, and not too often.
func TestCheckpointFollowsRowsResultsAndItems(t *testing.T) {
	far := before(30)
	for name, c := range map[string]struct {
		rows           protocol.Rows
		results, items protocol.Mark
		want           protocol.Move
	}{
		"all is stored":          {protocol.Rows{Before: 4, N: 1}, far, far, protocol.Move{UpTo: before(13), Write: true}},
		"rows are left":          {protocol.Rows{Before: 4, N: 1, Left: true}, far, far, protocol.Move{UpTo: before(13), Write: true, Again: true}},
		"a batch is busy":        {protocol.Rows{Before: 3, N: 1}, far, far, protocol.Move{UpTo: before(12), Write: true}},
		"results are behind":     {protocol.Rows{Before: 4, N: 1}, protocol.Mark{Seq: 12, Row: 4}, far, protocol.Move{UpTo: protocol.Mark{Seq: 12, Row: 4}, Write: true, Again: true}},
		"items are behind":       {protocol.Rows{Before: 4, N: 1}, far, before(11), protocol.Move{UpTo: before(11), Write: true, Again: true}},
		"their fence is old":     {protocol.Rows{Before: 4, N: 1}, far, before(4), protocol.Move{UpTo: before(10), Write: true, Again: true}},
		"there are no rows":      {protocol.Rows{Before: 4}, far, far, protocol.Move{UpTo: before(13), Write: true}},
		"it moved a moment ago":  {protocol.Rows{Before: 4, Soon: true}, far, far, protocol.Move{UpTo: before(13), Again: true}},
		"rows need not wait":     {protocol.Rows{Before: 4, N: 1, Soon: true}, far, far, protocol.Move{UpTo: before(13), Write: true}},
		"there is nothing to do": {protocol.Rows{Before: 1}, far, far, protocol.Move{UpTo: before(10)}},
	} {
		core := checkpoint()
		if got := core.Move(c.rows, c.results, c.items); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		if core.Mark() != before(10) {
			t.Errorf("%s: it is at %+v before it is written", name, core.Mark())
		}
	}
}

// The journal before a checkpoint may be purged when the checkpoint is written, and the purge is
// returned once.
func TestJournalIsPurgedBeforeTheCheckpoint(t *testing.T) {
	c := checkpoint()
	if c.Behind() != 300 {
		t.Errorf("%d bytes are behind", c.Behind())
	}
	for _, step := range []struct {
		results protocol.Mark
		before  uint64 // the batch
		want    protocol.Purge
		moved   bool
	}{
		{protocol.Mark{Seq: 10}, 3, protocol.Purge{}, false},
		{protocol.Mark{Seq: 11, Row: 2}, 3, protocol.Purge{UpTo: 10, Bytes: 200}, true},
		{protocol.Mark{Seq: 11, Row: 2}, 3, protocol.Purge{}, false},
		{before(13), 4, protocol.Purge{UpTo: 12, Bytes: 100}, true},
	} {
		move := c.Move(protocol.Rows{Before: step.before}, step.results)
		if got, moved := c.Written(move); got != step.want || moved != step.moved {
			t.Errorf("to %+v: %+v, %t, want %+v, %t", move.UpTo, got, moved, step.want, step.moved)
		}
	}
	if c.Behind() != 0 || c.Mark() != before(13) {
		t.Errorf("%d bytes are behind %+v", c.Behind(), c.Mark())
	}
}

// A stream with no waiting message has the journal up to the last append seen; another one up to
// its fence.
func TestProgress(t *testing.T) {
	p := protocol.NewProgress(protocol.Mark{Seq: 5, Row: 2})
	want := func(what string, want protocol.Mark) {
		t.Helper()
		if got := p.UpTo(); got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	want("at first", protocol.Mark{Seq: 5, Row: 2})
	p.Performed(4)
	want("before its fence", protocol.Mark{Seq: 5, Row: 2})
	p.Performed(7)
	want("nothing waits", before(8))
	p.Add()
	p.Add()
	p.Performed(8)
	want("two wait", protocol.Mark{Seq: 5, Row: 2})
	p.Store(1, protocol.Mark{Seq: 8, Row: 1})
	want("one waits", protocol.Mark{Seq: 8, Row: 1})
	p.Store(1, protocol.Mark{Seq: 8, Row: 2})
	want("all is stored", before(9))
	p.Performed(0)
	want("a batch that was no append", before(9))
}

// The rest of earlier leaders is read from the first row that is not stored, and its rows are
// counted by themselves in each append.
func TestHeritage(t *testing.T) {
	h := protocol.NewHeritage(protocol.Mark{Seq: 6, Row: 1}, before(5))
	if h.From(before(3)) != before(5) || h.From(before(6)) != before(6) {
		t.Errorf("it begins at %+v, and with a later checkpoint at %+v", h.From(before(3)), h.From(before(6)))
	}
	type row struct {
		at   protocol.Mark
		left bool
	}
	next := func(at protocol.Mark, left bool) row { return row{at, left} }
	for seq, want := range map[uint64][3]row{
		5: {{protocol.Mark{Seq: 5, Row: 1}, false}, {protocol.Mark{Seq: 5, Row: 2}, false}, {protocol.Mark{Seq: 5, Row: 1}, true}},
		6: {{protocol.Mark{Seq: 6, Row: 1}, false}, {protocol.Mark{Seq: 6, Row: 2}, true}, {protocol.Mark{Seq: 6, Row: 1}, true}},
	} {
		h.Append(seq)
		if got := [3]row{next(h.Result()), next(h.Result()), next(h.Item())}; got != want {
			t.Errorf("append %d: %+v, want %+v", seq, got, want)
		}
	}
}
