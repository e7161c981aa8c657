package scheduler

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

const (
	// lateAfter is how late a due plan may be before it goes before requests.
	lateAfter = 5 * time.Millisecond
	// sparedPart is the part of each batch that requests leave to plans that fall due while it
	// gathers, and that due plans leave to waiting requests. sparedLate is the former when the
	// leader was late within the last lateBatches, because appends are smaller then, and sooner on
	// disk.
	sparedPart  = 8
	sparedLate  = 2
	lateBatches = 16
	// passedMost is how many batches a request waits for before it goes first.
	passedMost = 2
)

// shares divides a batch between requests and due plans, because without it requests fill the
// append, and plans that fall due meanwhile wait for the next, behind those decided before them.
type shares struct {
	asked      []event.Event // accepted requests that wait for room; no others are accepted then
	askedBytes int           // of requests, in this batch
	passed     int           // the batches for which the first of asked has waited
	late       int           // the batches for which the leader still counts as late
}

// isRequest reports that ev is a request, not a reply or a report.
func isRequest(ev event.Event) bool {
	_, is := ev.(event.Ask)
	return is
}

// nextBatch begins the count for another batch.
func (s *shares) nextBatch() {
	s.askedBytes = 0
	s.late = max(s.late-1, 0)
	if len(s.asked) > 0 {
		s.passed++
	}
}

// isLate reports that due work has waited for too long. Held work does not count, because it waits
// for results to be stored, which no share of a batch brings about.
func (d *decider) isLate() bool {
	due := d.machine.Due()
	return !d.machine.Held() && !due.IsZero() && time.Since(due) > lateAfter
}

// dueGoesFirst reports that late plans go before requests. A request for which the last batches had
// no room goes first all the same, because it may be so large that it needs an empty one.
func (d *decider) dueGoesFirst() bool { return d.passed < passedMost }

// leftByRequests is how many bytes requests leave of the batch, so that all of them together take
// no more than their share; the first one may take more.
func (d *decider) leftByRequests() int {
	if d.askedBytes == 0 {
		return 0
	}
	whole := d.appender.MaxBody()
	spared := whole / sparedPart
	if d.late > 0 {
		spared = whole / sparedLate
	}
	return max(spared-(d.batch.Size()-d.askedBytes), 0)
}

// leftToRequests is the part of the batch that due plans leave to waiting requests.
func (d *decider) leftToRequests() int {
	if len(d.asked)+len(d.asks) == 0 {
		return 0
	}
	return max(d.appender.MaxBody()/sparedPart-d.askedBytes, 0)
}

// stepAsked steps waiting requests, as far as there is room for them.
func (d *decider) stepAsked() {
	done := 0
	for _, ev := range d.asked {
		if d.over != nil || !d.step(ev) {
			break
		}
		done++
	}
	if done > 0 {
		d.passed = 0
	}
	d.asked = append(d.asked[:0], d.asked[done:]...)
}
