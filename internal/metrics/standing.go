package metrics

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A Standing is the state of one partition at a scrape. All but Partition and Leads are known
// to the leader alone, and left out elsewhere.
type Standing struct {
	Partition int
	Leads     bool
	Epoch     int64
	// Plans that are held, and executions that have not ended.
	Plans, UnderWay int64
	// Overdue is how long the first due plan has waited to be processed.
	Overdue time.Duration
	// EventsWaiting are requests and replies that the leader has not processed.
	EventsWaiting int
	// JournalSequence is that of the newest append.
	JournalSequence uint64
	// Results and Items are on their way to their streams; TableBytes are of appends that
	// the bucket does not have.
	Results, Items Behind
	TableBytes     int64
	// Held reports that no execution starts, because too many results are not stored yet.
	Held bool
	// Overwritten are rows of the bucket that another client has written.
	Overwritten int64
}

// Behind has the messages that a stream does not have yet.
type Behind struct{ Messages, Bytes int64 }

func gaugeDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+name, help, append([]string{partitionLabel}, labels...), nil)
}

var (
	descLeading     = gaugeDesc("leading", "1 when this node leads the partition, else 0.")
	descEpoch       = gaugeDesc("epoch", "The number of this leadership; each is higher than the ones before it.")
	descPlans       = gaugeDesc("plans", "Plans that are held.")
	descUnderWay    = gaugeDesc("executions_under_way", "Executions that have not ended.")
	descOverdue     = gaugeDesc("overdue_seconds", "For how long the first plan that wants a look has waited for it; 0 when none does.")
	descWaiting     = gaugeDesc("events_waiting", "Requests and replies that the leader has not looked at yet.")
	descSequence    = gaugeDesc("journal_last_sequence", "The sequence of the newest append to the journal.")
	descMessages    = gaugeDesc("behind_messages", "Messages that are durable in the journal and on their way to their stream.", "stream")
	descBytes       = gaugeDesc("behind_bytes", "Bytes of them; of the bucket, of the appends that it does not have.", "stream")
	descOverwritten = gaugeDesc("overwritten_rows", "Rows of the bucket that another client has written in this leadership, and that were written again.")
	descHeld        = gaugeDesc("held", "1 while nothing begins, since more results wait to be stored than may, else 0.")
	allOfStanding   = []*prometheus.Desc{
		descLeading, descEpoch, descPlans, descUnderWay, descOverdue, descWaiting, descSequence, descMessages, descBytes, descOverwritten, descHeld,
	}
)

// standings makes gauges of the states of the partitions.
type standings struct {
	ask *atomic.Pointer[func() []Standing]
}

// Describe sends the descriptions of all that Collect may send.
func (s standings) Describe(out chan<- *prometheus.Desc) {
	for _, d := range allOfStanding {
		out <- d
	}
}

// Collect asks, and sends the gauges.
func (s standings) Collect(out chan<- prometheus.Metric) {
	ask := s.ask.Load()
	if ask == nil {
		return
	}
	for _, at := range (*ask)() {
		at.collect(out)
	}
}

func (at Standing) collect(out chan<- prometheus.Metric) {
	partition := strconv.Itoa(at.Partition)
	send := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, append([]string{partition}, labels...)...)
	}
	if !at.Leads {
		send(descLeading, 0)
		return
	}
	send(descLeading, 1)
	send(descEpoch, float64(at.Epoch))
	send(descPlans, float64(at.Plans))
	send(descUnderWay, float64(at.UnderWay))
	send(descOverdue, at.Overdue.Seconds())
	send(descWaiting, float64(at.EventsWaiting))
	send(descSequence, float64(at.JournalSequence))
	send(descMessages, float64(at.Results.Messages), "results")
	send(descMessages, float64(at.Items.Messages), "items")
	send(descBytes, float64(at.Results.Bytes), "results")
	send(descBytes, float64(at.Items.Bytes), "items")
	send(descBytes, float64(at.TableBytes), "plans")
	send(descOverwritten, float64(at.Overwritten))
	held := 0.0
	if at.Held {
		held = 1
	}
	send(descHeld, held)
}
