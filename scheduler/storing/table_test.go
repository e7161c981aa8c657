package storing

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// Busy rows hold the checkpoint back while the journal is short. But a large rest of earlier
// leaders is written at once, because if each leader dies young, the next would have more to read.
func TestLargeRestOfEarlierLeadersIsWrittenAtOnce(t *testing.T) {
	for _, tt := range []struct {
		name                string
		left, own, ownAgain int
		want, wantAgain     bool
	}{
		{"little was left", 100, 100, 100, false, false},
		{"much was left", 101, 0, 100, true, false},
		{"too much is its own", 0, 801, 0, true, false},
		{"and again", 0, 801, 801, true, true},
	} {
		tb := &table{
			bound:   100 * inheritedShare,
			results: newStreamWriter("results", 1, nil, nil, protocol.Mark{}), items: newStreamWriter("items", 1, nil, nil, protocol.Mark{}),
		}
		if tt.left > 0 {
			tb.wrote(protocol.Inherited, 10, tt.left)
		}
		tb.wrote(1, 11, tt.own)
		if flush, ok := tb.begin(); !ok || flush.Force != tt.want {
			t.Errorf("%s: %+v, %v", tt.name, flush, ok)
		}
		tb.move(event.Write{Before: 2})
		tb.wrote(2, 12, tt.ownAgain)
		if flush, ok := tb.begin(); !ok || flush.Force != tt.wantAgain {
			t.Errorf("%s, again: %+v, %v", tt.name, flush, ok)
		}
	}
}

// While others append, the bucket rests between its writes, as long as the journal is short; alone,
// it goes on.
func TestTheBucketRests(t *testing.T) {
	const every = 250 * time.Millisecond
	for _, tt := range []struct {
		name               string
		took               time.Duration
		used, more, forced bool
		want               time.Duration
	}{
		{"nothing else to do", 20 * time.Millisecond, false, false, false, every},
		{"rows are left, and no append comes", 20 * time.Millisecond, false, true, false, time.Millisecond},
		{"rows are left", 10 * time.Millisecond, true, true, false, time.Second},
		{"no rows are left", 10 * time.Millisecond, true, false, false, time.Second},
		{"no rows are left on a quick disk", time.Millisecond, true, false, false, every},
		{"the disk is slow", time.Second, true, true, false, tableRest.most},
		{"the journal is long", time.Second, true, true, true, time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tb := &table{every: every, fresh: tt.used}
			if rest := tb.rest(tt.took, tt.more, tt.forced); rest != tt.want {
				t.Errorf("rests for %v, want %v", rest, tt.want)
			}
		})
	}
}

// A journal is in use after an append since the last flush began.
func TestTheJournalIsInUse(t *testing.T) {
	tb := &table{bound: 1000}
	tb.wrote(1, 10, 100)
	if !tb.inUse() {
		t.Error("not in use, though something was appended before the first flush")
	}
	if _, ok := tb.begin(); !ok {
		t.Error("nothing to flush")
	}
	if tb.inUse() {
		t.Error("in use, though nothing was appended since the flush began")
	}
	tb.wrote(2, 11, 100)
	if !tb.inUse() {
		t.Error("not in use, though something was appended since the flush began")
	}
}
