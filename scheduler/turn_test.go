package scheduler

import (
	"testing"
	"time"
)

func TestTheNextAppendLingers(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	const took = 200 * time.Microsecond
	for _, tt := range []struct {
		name          string
		last, effects int
		took, since   time.Duration
		want          time.Duration
	}{
		{"for as much as the last one held", 40, 2, took, 0, 2 * took},
		{"for what is left of its time", 40, 2, took, took, took},
		{"no longer than its time", 40, 2, took, 3 * took, 0},
		{"not for more than the last one held", 40, 40, took, 0, 0},
		{"not when it is alone", 2, 2, took, 0, 0},
		{"not when there is enough", 4000, enoughEffects, took, 0, 0},
		{"not for long where the disk is slow", 40, 2, time.Second, 0, longestLinger},
		{"not behind what was not written", 40, 2, 0, 0, 0},
	} {
		var turn turn
		turn.begins(now, time.Hour)
		turn.ends(tt.last)
		if turn.free {
			t.Errorf("%s: the pen is free though it was given a batch", tt.name)
		}
		turn.begins(now, tt.took)
		if got := turn.lingers(now.Add(tt.since), tt.effects); got != tt.want || !turn.free {
			t.Errorf("%s: %v, want %v; free %v", tt.name, got, tt.want, turn.free)
		}
	}
}
