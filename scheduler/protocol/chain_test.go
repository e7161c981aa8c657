package protocol_test

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

var earlier = protocol.Writer{Holder: "earlier", Epoch: 6}

func signed(by protocol.Writer, number uint64) protocol.Signature {
	return protocol.Signature{By: by, Number: number}
}

// A stream is taken over from any earlier writer, and from no later one; an attempt that was not
// answered is seen to have landed.
func TestTake(t *testing.T) {
	rewrites := func(expect uint64) protocol.ChainOut {
		return protocol.Rewrite{By: signed(me, 0), Expect: expect}
	}
	for name, c := range map[string]struct {
		found       protocol.Signature
		rev, begins uint64
		lack        protocol.Lack
		want, again protocol.ChainOut // again: with the fence found at 9
	}{
		"of an earlier leader":     {signed(earlier, 5), 8, 1, protocol.Lost, rewrites(8), rewrites(9)},
		"of a later one":           {signed(other, 0), 8, 1, protocol.Lost, protocol.StandDown{Why: protocol.ErrFenced}, protocol.StandDown{Why: protocol.ErrFenced}},
		"of one of the same epoch": {signed(protocol.Writer{Holder: "x", Epoch: me.Epoch}, 0), 8, 1, protocol.Lost, protocol.StandDown{Why: protocol.ErrFenced}, protocol.StandDown{Why: protocol.ErrFenced}},
		"its own":                  {signed(me, 0), 8, 1, protocol.Lost, rewrites(8), protocol.Landed{Seq: 9}},
		"unsigned":                 {protocol.Signature{}, 0, 1, protocol.Lost, rewrites(0), rewrites(9)},
		"unsigned, fence gone":     {protocol.Signature{}, 0, 2, protocol.Lost, protocol.StandDown{Why: protocol.ErrUnfenced}, rewrites(9)},
		"unsigned, within limits":  {protocol.Signature{}, 0, 2, protocol.Evicted, rewrites(0), rewrites(9)},
		"unsigned, new":            {protocol.Signature{}, 0, 2, protocol.New, rewrites(0), rewrites(9)},
	} {
		chain := protocol.NewChain(me, c.lack)
		if got := chain.Take(c.found, c.rev, c.begins); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		if got := chain.Take(c.found, 9, c.begins); got != c.again {
			t.Errorf("%s, again: got %+v, want %+v", name, got, c.again)
		}
	}
}

// The fence shows the fate of a batch that was not answered, which is sent again only where the
// fence has not moved.
func TestDoubtOfABatch(t *testing.T) {
	again := protocol.Rewrite{By: signed(me, 2), Expect: 12}
	for name, c := range map[string]struct {
		found protocol.Signature
		rev   uint64
		lack  protocol.Lack
		want  protocol.ChainOut
	}{
		"it landed":                  {signed(me, 2), 15, protocol.Lost, protocol.Landed{Seq: 15}},
		"it did not":                 {signed(me, 1), 12, protocol.Lost, again},
		"another took over":          {signed(other, 0), 15, protocol.Lost, protocol.StandDown{Why: protocol.ErrFenced}},
		"an older disk came back":    {signed(me, 0), 8, protocol.Lost, protocol.StandDown{Why: protocol.ErrOlder}},
		"the fence is gone":          {protocol.Signature{}, 0, protocol.Lost, protocol.StandDown{Why: protocol.ErrNoFence}},
		"that of items":              {protocol.Signature{}, 0, protocol.New, protocol.StandDown{Why: protocol.ErrNoFence}},
		"the stream's limits did it": {protocol.Signature{}, 0, protocol.Evicted, protocol.AskJournal{}},
	} {
		chain := protocol.NewChain(me, c.lack)
		chain.Take(protocol.Signature{}, 0, 1)
		chain.Landed(8)
		if got := chain.Next(); got != (protocol.Rewrite{By: signed(me, 1), Expect: 8}) {
			t.Errorf("the first batch is %+v", got)
		}
		chain.Landed(12)
		if got := chain.Next(); got != again {
			t.Errorf("the second batch is %+v", got)
		}
		if got := chain.Doubt(c.found, c.rev); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		if landed, is := c.want.(protocol.Landed); is && chain.Revision() != landed.Seq {
			t.Errorf("%s: the fence is at %d", name, chain.Revision())
		}
	}
}

// If the limits of a stream removed the fence, the journal shows the leader.
func TestAFenceThatWasEvicted(t *testing.T) {
	for by, want := range map[protocol.Writer]protocol.ChainOut{
		me:      protocol.Rewrite{By: signed(me, 1), Expect: 0},
		earlier: protocol.Rewrite{By: signed(me, 1), Expect: 0}, // the end of the journal may be old
		other:   protocol.StandDown{Why: protocol.ErrFenced},
	} {
		chain := protocol.NewChain(me, protocol.Evicted)
		chain.Take(protocol.Signature{}, 0, 1)
		chain.Landed(8)
		chain.Next()
		if got := chain.Journal(by); got != want {
			t.Errorf("%s: got %+v, want %+v", by.Holder, got, want)
		}
	}
}
