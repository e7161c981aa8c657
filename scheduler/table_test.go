package scheduler

import "testing"

// Busy rows hold the checkpoint back while the journal is short. But much that earlier
// leaders left is written at once: where each dies young, the next would have more to read.
func TestWhatEarlierLeadersLeftIsWrittenAtOnce(t *testing.T) {
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
		tb := &table{bound: 100 * inheritedShare}
		if tt.left > 0 {
			tb.wrote(inheritedBatch, 10, tt.left)
		}
		tb.wrote(1, 11, tt.own)
		if flush, ok := tb.begin(); !ok || flush.Force != tt.want {
			t.Errorf("%s: %+v, %v", tt.name, flush, ok)
		}
		tb.pass(2)
		tb.wrote(2, 12, tt.ownAgain)
		if flush, ok := tb.begin(); !ok || flush.Force != tt.wantAgain {
			t.Errorf("%s, again: %+v, %v", tt.name, flush, ok)
		}
	}
}

// While others append, the bucket rests between its writes; alone, it goes on.
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
