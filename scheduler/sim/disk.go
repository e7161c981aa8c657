package sim

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// disk is the storage of NATS. It carries out an operation at one moment, or never; see
// [leader.call] for the fate of the request and of its answer.
type disk struct {
	w *world

	journal     []landed // from first on
	first, last uint64

	bucket                 map[string][]byte
	items                  []storedItem // in the order in which they were stored
	table, results, queues chainState

	captured capture
}

// landed is one append.
type landed struct {
	seq, number uint64
	epoch       int64
	holder      string
	takeover    bool
	body        []byte
	published   uint64    // the last append that its writer had fully published
	checksum    string    // of the plans behind it
	at          time.Time // when it was stored
}

// by is the signer of the append.
func (a landed) by() protocol.Writer { return protocol.Writer{Holder: a.holder, Epoch: a.epoch} }

// chainState is the fence of a stream behind the journal, and the stream's end.
type chainState struct {
	fence     fence
	rev, last uint64
}

type fence struct {
	by   protocol.Signature
	upTo protocol.Mark
}

// capture is PLAN_REPLIES.
type capture struct {
	since time.Time // all replies since then are there
	words []sentReply
	aged  bool
}

// captureAge is how long a reply is kept.
const captureAge = 2 * time.Minute

var errRefused = errors.New("refused")

func newDisk(w *world) *disk {
	return &disk{w: w, first: 1, bucket: map[string][]byte{}, captured: capture{since: w.now}}
}

// append lands a message behind the expected end.
func (d *disk) append(a landed, expected uint64, effects []event.Effect) (uint64, error) {
	if expected != d.last && !d.w.planted(NoExpectation) || d.w.fault(d.w.odds.refused, "append refused") {
		return 0, errRefused
	}
	d.last++
	a.seq, a.at = d.last, d.w.now
	a.body = bytes.Clone(a.body)
	d.journal = append(d.journal, a)
	d.w.report.Appends++
	d.w.check.landed(a, effects)
	return a.seq, nil
}

// at returns the append with a number, if it is there.
func (d *disk) at(seq uint64) (landed, bool) {
	if seq < d.first || seq > d.last {
		return landed{}, false
	}
	return d.journal[seq-d.first], true
}

// newest is the last append; a zero one when there is none.
func (d *disk) newest() landed {
	a, _ := d.at(d.last)
	return a
}

// end is the end of the journal, of which no part is ever lost.
func (d *disk) end() protocol.End {
	newest := d.newest()
	return protocol.End{
		By: newest.by(), Seq: newest.seq, Last: d.last,
		Known: max(d.table.fence.by.By.Epoch, d.results.fence.by.By.Epoch, d.queues.fence.by.By.Epoch), Believed: true,
	}
}

// purge takes appends away, never the newest.
func (d *disk) purge(upTo uint64) {
	keep := min(upTo+1, d.last)
	if keep > d.first {
		d.journal = slices.Clone(d.journal[keep-d.first:])
		d.first = keep
	}
}

// capture keeps a reply.
func (d *disk) capture(reply sentReply) {
	d.age()
	d.captured.words = append(d.captured.words, reply)
}

func (d *disk) age() {
	old := 0
	for old < len(d.captured.words) && d.w.now.Sub(d.captured.words[old].at) > captureAge {
		old++
	}
	if old > 0 {
		d.captured.words = slices.Clone(d.captured.words[old:])
		d.captured.aged = true
	}
	if from := d.w.now.Add(-captureAge); d.captured.aged && d.captured.since.Before(from) {
		d.captured.since = from
	}
}
