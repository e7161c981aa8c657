package scheduler

import "time"

const (
	// lingerTimes is how many times as long as the last append took the next one waits
	// at most for as much as that held.
	lingerTimes = 2
	// longestLinger bounds that wait where the disk is slow.
	longestLinger = time.Millisecond
	// enoughEffects are worth an append of their own, however large the last one was.
	enoughEffects = 128
)

// A turn is the pen's: when it is given the next batch. An append costs the server and
// the disk nearly the same whether it holds one request or fifty, some hundred
// microseconds of processor time. So where the last one held more than has gathered
// while it was written, more is on its way from those who were answered, and the next
// one lingers for it. Who is alone never waits: nor does what comes to a pen that rests.
type turn struct {
	free  bool      // the pen waits for a batch
	until time.Time // when it lingers no longer
	last  int       // how many effects the last batch had
}

// begins says that the pen is free since now. Its last append took so long; 0 if it wrote
// nothing.
func (t *turn) begins(now time.Time, took time.Duration) {
	t.free = true
	t.until = now.Add(min(lingerTimes*took, longestLinger))
}

// lingers returns how long a batch with so many effects is still to wait.
func (t *turn) lingers(now time.Time, effects int) time.Duration {
	if effects >= min(t.last, enoughEffects) {
		return 0
	}
	return max(t.until.Sub(now), 0)
}

// ends says that the pen was given a batch with so many effects.
func (t *turn) ends(effects int) { t.free, t.last = false, effects }
