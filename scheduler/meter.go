package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A gauge holds the figures that a leader exposes while it leads: its goroutines write them and
// readers read them, without waiting for each other.
type gauge struct {
	plans, underWay atomic.Int64
	due             atomic.Int64 // when the first plan is due, in µs since 1970; of the zero time below 0
	seq             atomic.Uint64

	counted machine.Counts // counts already in the meter; decide's alone
}

// measure records the size of the machine, once a batch.
func (d *decider) measure() {
	plans, counts := d.machine.Stats()
	d.plans.Store(int64(plans))
	d.underWay.Store(d.machine.UnderWay())
	d.count(counts)
}

// count adds the machine's counts since the last call to the meter.
func (d *decider) count(counts machine.Counts) {
	d.meter.Ignored(counts.Strangers-d.counted.Strangers, counts.Late-d.counted.Late, counts.Confirmations-d.counted.Confirmations)
	d.meter.OverQuota(counts.OverQuota - d.counted.OverQuota)
	d.meter.Differed(counts.Differences - d.counted.Differences)
	d.counted = counts
}

// appended records an append that was sent at a moment and is durable.
func (l *leader) appended(seq uint64, bytes int, sent time.Time) {
	l.seq.Store(seq)
	l.meter.Appended(bytes, time.Since(sent))
}

// published records an execution that has left.
func (l *leader) published(x *event.Outgoing) {
	late := time.Duration(-1)
	if !x.Expected.IsZero() {
		late = max(time.Since(x.Expected), 0)
	}
	l.meter.Published(late)
}

// Standings returns the state of the partitions, led here or not.
func (s *Scheduler) Standings() []metrics.Standing {
	out := make([]metrics.Standing, len(s.partitions))
	for i, p := range s.partitions {
		out[i] = metrics.Standing{Partition: i}
		if l := p.leading.Load(); l != nil {
			out[i] = l.measured(time.Now())
		}
	}
	return out
}

// standing is the state of a leader's partition, as other nodes see it.
func (l *leader) standing(now time.Time) schema.LedPartition {
	return schema.LedPartition{
		Partition: l.index, Epoch: l.appender.Epoch(), JournalSequence: l.seq.Load(),
		Checkpoint: l.storage.Checkpoint(), Plans: l.plans.Load(),
		Overdue: schema.Seconds(l.overdue(now).Round(time.Millisecond).Seconds()),
	}
}

// overdue is how long the first due plan has waited; 0: none is due.
func (l *leader) overdue(now time.Time) time.Duration {
	if due := l.due.Load(); due > 0 {
		return max(now.Sub(time.UnixMicro(due)), 0)
	}
	return 0
}

// measured is the state of a leader's partition.
func (l *leader) measured(now time.Time) metrics.Standing {
	at := metrics.Standing{
		Partition: l.index, Leads: true, Epoch: l.appender.Epoch(),
		Plans: l.plans.Load(), UnderWay: l.underWay.Load(),
		EventsWaiting: len(l.events) + len(l.asks), JournalSequence: l.seq.Load(),
		Held: l.backpressure.holds.Load(),
	}
	at.Results, at.Items = l.storage.Behind()
	at.TableBytes, at.Overwritten = l.storage.Rows()
	at.Overdue = l.overdue(now)
	return at
}
