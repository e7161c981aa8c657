package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// mostBehind and mostBehindBytes are how many results may be decided and not stored, and their
	// bytes, before nothing more begins. It goes on when they are at most enoughStored of that,
	// because it would else stop and go on with each result.
	mostBehind      = 8000
	mostBehindBytes = 64 << 20
	enoughStored    = 0.75
	// strainedAfter is how long nothing may begin before requests that start work are refused. A
	// leader under its highest load holds for some ten milliseconds at a time, and takes requests
	// meanwhile.
	strainedAfter = 500 * time.Millisecond
	// comeAgain bounds the retry-after of a refused request.
	comeAgainSoonest = 250 * time.Millisecond
	comeAgainLatest  = 10 * time.Second
)

// A backpressure reports that results are decided faster than they are stored. Every execution that
// begins makes some, so nothing begins while too many are behind. Their memory is bounded by that
// limit and by the executions under way.
type backpressure struct {
	// coming are the results in sealed batches, which are not known to be in the stream writer yet.
	coming atomic.Int64
	// holds reports that nothing begins; the result writer wakes decide then.
	holds atomic.Bool

	// Only decide uses these: the begin of the hold, and the number of results behind then.
	since time.Time
	from  int64
}

// heed holds the machine when too many results are behind, and releases it when enough of them are
// stored.
func (d *decider) heed() {
	n := d.behind()
	if !d.machine.Held() {
		if !d.isBehind(n, 1) {
			return
		}
		d.backpressure.since, d.backpressure.from = time.Now(), n
		d.machine.Hold(true)
		// From here on the result writer wakes decide. Results stored before are counted now.
		d.backpressure.holds.Store(true)
		n = d.behind()
	}
	if d.isBehind(n, enoughStored) {
		return
	}
	d.backpressure.holds.Store(false)
	d.machine.Hold(false)
}

// behind is the number of results that are decided and not stored.
func (d *decider) behind() int64 {
	results, _ := d.storage.Behind()
	return results.Messages + d.backpressure.coming.Load() + int64(d.batch.Results)
}

// isBehind reports that n results, or their bytes, exceed that part of the limits.
func (d *decider) isBehind(n int64, part float64) bool {
	results, _ := d.storage.Behind()
	return float64(n) > part*mostBehind || float64(results.Bytes) > part*mostBehindBytes
}

// relieve wakes decide to check whether more may begin, if it waits for that.
func (l *leader) relieve() {
	if l.backpressure.holds.Load() {
		l.after.nudge()
	}
}

// strained refuses a request that would start work, when no work has begun for longer than a
// moment; nil: it is accepted. Plans are managed all the same, because a user may want to reduce
// them.
func (d *decider) strained(ev event.Event) error {
	ask, asked := ev.(event.Ask)
	if !asked || !d.machine.Held() || !verb.Is(ask.What, verb.Begins) {
		return nil
	}
	held := time.Since(d.backpressure.since)
	if held < strainedAfter {
		return nil
	}
	d.meter.Strained()
	return &schema.Error{
		Code: schema.CodeUnavailable, RetryAfterMS: comeAgain(d.backpressure.from, d.behind(), held).Milliseconds(),
		Message: "results come faster than they can be stored, so nothing more begins until they are stored; nothing was done: try again in a moment",
	}
}

// cramped refuses a request that adds, when the disk has only the room that removals may need;
// nil: it is accepted.
func (d *decider) cramped(ev event.Event) error {
	ask, asked := ev.(event.Ask)
	if !asked || !verb.Is(ask.What, verb.Adds) {
		return nil
	}
	_, items := d.storage.Behind()
	if err := d.config.Store.Spare(items.Bytes); err != nil {
		return &schema.Error{Code: schema.CodeUnavailable, RetryAfterMS: comeAgainLatest.Milliseconds(), Message: err.Error() + "; nothing was done"}
	}
	return nil
}

// comeAgain is the time until enough of the results now behind will be stored, at the pace since
// the hold began.
func comeAgain(from, now int64, held time.Duration) time.Duration {
	stored, left := from-now, now-int64(enoughStored*mostBehind)
	if stored <= 0 {
		return comeAgainLatest
	}
	again := time.Duration(float64(held) * float64(max(left, 0)) / float64(stored))
	return min(max(again, comeAgainSoonest), comeAgainLatest)
}
