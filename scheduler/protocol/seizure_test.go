package protocol_test

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A take-over has the epoch of its moment, unless one as high was there, even one that only
// the streams behind the journal know, which is believed when it stays.
func TestTheEpochOfATakeOver(t *testing.T) {
	const now = 100
	for name, c := range map[string]struct {
		end   protocol.End
		want  protocol.WriteOut
		epoch int64
	}{
		"of an empty journal":      {protocol.End{}, protocol.Send{}, now},
		"behind an earlier one":    {protocol.End{By: earlier, Seq: 3, Last: 4}, protocol.Send{Base: 4}, now},
		"by a clock that is late":  {protocol.End{By: protocol.Writer{Holder: "x", Epoch: 100}, Seq: 3, Last: 3}, protocol.Send{Base: 3}, 101},
		"the journal lacks one":    {protocol.End{By: earlier, Seq: 3, Last: 3, Known: 200}, protocol.Older{}, 0},
		"and lacks it for long":    {protocol.End{By: earlier, Seq: 3, Last: 3, Known: 200, Believed: true}, protocol.Send{Base: 3}, 201},
		"the streams know of less": {protocol.End{By: earlier, Seq: 3, Last: 3, Known: 5}, protocol.Send{Base: 3}, now},
	} {
		s := protocol.NewSeizure("me")
		if got := s.Look(c.end, now); got != c.want || s.Writer().Epoch != c.epoch {
			t.Errorf("%s: %+v with epoch %d, want %+v with %d", name, got, s.Writer().Epoch, c.want, c.epoch)
		}
	}
}

// A record that was refused, or not answered, is sent behind any append of earlier leaders, and
// never behind another take-over.
func TestSeizure(t *testing.T) {
	mine := protocol.Writer{Holder: "me", Epoch: 100}
	for name, c := range map[string]struct {
		by             protocol.Writer
		foreign        bool
		look, judgment protocol.WriteOut // of the message at 5 of 6
	}{
		"an earlier leader appended": {by: earlier, look: protocol.Send{Base: 6}, judgment: protocol.Seek{Base: 5}},
		"a stranger wrote":           {foreign: true, look: protocol.Send{Base: 6}, judgment: protocol.Seek{Base: 5}},
		"it landed":                  {by: mine, look: protocol.Landed{Seq: 5}, judgment: protocol.Landed{Seq: 5}},
		"another took over":          {by: protocol.Writer{Holder: "x", Epoch: 99}, look: protocol.StandDown{Why: protocol.ErrWritten}, judgment: protocol.StandDown{Why: protocol.ErrWritten}},
		"with the same epoch":        {by: protocol.Writer{Holder: "x", Epoch: 100}, look: protocol.StandDown{Why: protocol.ErrWritten}, judgment: protocol.StandDown{Why: protocol.ErrWritten}},
	} {
		s := protocol.NewSeizure("me")
		if first := s.Look(protocol.End{By: earlier, Seq: 4, Last: 4}, 100); first != (protocol.Send{Base: 4}) || s.Before() != earlier.Epoch {
			t.Errorf("it begins with %+v behind epoch %d", first, s.Before())
		}
		// Later knowledge does not matter any more.
		if got := s.Look(protocol.End{By: c.by, Seq: 5, Last: 6, Known: 1000}, 200); got != c.look {
			t.Errorf("%s: got %+v, want %+v", name, got, c.look)
		}
		if got := s.Behind(protocol.Behind{Seq: 5, By: c.by, Foreign: c.foreign}); got != c.judgment {
			t.Errorf("%s: judged %+v, want %+v", name, got, c.judgment)
		}
		if s.Writer() != mine {
			t.Errorf("%s: it is of %+v", name, s.Writer())
		}
	}
}
