package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// seize appends the take-over record.
func (l *leader) seize() { l.trySeize(protocol.NewSeizure(l.holder)) }

func (l *leader) trySeize(s *protocol.Seizure) {
	var end protocol.End
	again := func() { l.later(func() { l.trySeize(s) }) }
	l.call(func() error {
		end = l.d.end()
		return nil
	}, func(err error) {
		if err != nil {
			again()
			return
		}
		out := s.Look(end, l.n.clock().UnixMilli())
		l.epoch = s.Writer().Epoch
		if send, is := out.(protocol.Send); is && l.w.planted(NoRecord) {
			out = protocol.Landed{Seq: send.Base}
		}
		switch out := out.(type) {
		case protocol.StandDown:
			l.end("another took over")
		case protocol.Landed:
			l.seized(out.Seq)
		case protocol.Send:
			var seq uint64
			l.call(func() (err error) {
				seq, err = l.d.append(landed{epoch: l.epoch, holder: l.holder, takeover: true}, out.Base, nil)
				return err
			}, func(err error) {
				if err != nil {
					again()
					return
				}
				l.seized(seq)
			})
		}
	})
}

func (l *leader) seized(seq uint64) {
	l.base, l.seq, l.published, l.begun = seq, seq, seq, seq
	l.core = protocol.NewCore(l.writer(), seq)
	l.w.note("epoch %d takes over at append %d", l.epoch, seq)
	l.readStreams()
}

// readStreams goes on behind the take-over record.
func (l *leader) readStreams() {
	l.table.chain = newChain(l, &l.d.table, protocol.Lost, NoBucketFence)
	l.results.chain = newChain(l, &l.d.results, protocol.Evicted, NoResultsFence)
	l.items.chain = newChain(l, &l.d.queues, protocol.New, NoItemsFence)
	l.next()
}

// next begins the next stage of the take-over.
func (l *leader) next() {
	stage := l.stages[0]
	l.stages = l.stages[1:]
	switch stage {
	case protocol.Seize:
		l.seize()
	case protocol.Fence:
		l.fence()
	case protocol.Scan:
		l.scan(func() { scanItems(l, l.next) })
	case protocol.Replay:
		l.replay()
	case protocol.Subscribe:
		l.subscribe()
	case protocol.Recall:
		l.recall()
	case protocol.Lead:
		l.lead()
	}
}

// stages are those of a take-over, or their planted variant.
func (w *world) stages() []protocol.Stage {
	stages := protocol.TakeOver()
	swap := func(a, b protocol.Stage) {
		i, j := slices.Index(stages, a), slices.Index(stages, b)
		stages[i], stages[j] = b, a
	}
	if w.planted(FenceAfterScan) {
		swap(protocol.Fence, protocol.Scan)
	}
	if w.planted(ReadThenListen) {
		swap(protocol.Subscribe, protocol.Recall)
	}
	return stages
}

// fence rewrites the fences.
func (l *leader) fence() {
	l.table.chain.take(func(found protocol.Mark) {
		l.table.checkpoint = protocol.NewCheckpoint(found)
		l.results.chain.take(func(results protocol.Mark) {
			l.results.progress = protocol.NewProgress(results)
			l.items.chain.take(func(items protocol.Mark) {
				l.items.progress = protocol.NewProgress(items)
				l.left = protocol.NewHeritage(results, items)
				l.next()
			})
		})
	})
}

// scan replays the bucket.
func (l *leader) scan(then func()) {
	var rows map[string][]byte
	l.retry(func() error { rows = maps.Clone(l.d.bucket); return nil }, func() {
		keys := slices.Sorted(maps.Keys(rows))
		l.w.rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		if l.survives(func() {
			for _, key := range keys {
				if l.w.planted(ForgetsCalendars) && key == storage.CalendarKey("days") {
					continue
				}
				if err := l.m.ReplayBucket(key, rows[key]); err != nil {
					l.complaint = fmt.Sprintf("the bucket's %s: %v", key, err)
				}
			}
		}) {
			then()
		}
	})
}

// replaySlice is how many appends one read of the journal brings.
const replaySlice = 30

// replay replays the journal behind the checkpoint, up to the take-over record.
func (l *leader) replay() {
	checkpoint := l.table.checkpoint.Mark()
	next := checkpoint.From() + 1
	if l.w.planted(ReplayLate) && checkpoint.Seq > 0 {
		next++
	}
	l.replayFrom(next, &estate{})
}

// estate is the results and items that earlier leaders left to be stored.
type estate struct {
	left []func()
	tail protocol.Tail[event.Unsent]
	// checksum identifies the plans behind the last append; empty: none was read.
	checksum string
}

func (l *leader) replayFrom(next uint64, e *estate) {
	var slice []landed
	gap := false
	l.retry(func() error {
		slice, gap = nil, next < l.d.first
		for seq := next; seq <= l.seq && seq < next+replaySlice; seq++ {
			if a, ok := l.d.at(seq); ok {
				slice = append(slice, a)
			}
		}
		return nil
	}, func() {
		if gap {
			mayFindGap(l, next)
			l.end("the journal begins behind the checkpoint")
			return
		}
		if !l.survives(func() {
			for _, a := range slice {
				l.replayAppend(a, e)
			}
		}) {
			return
		}
		if next += uint64(len(slice)); next <= l.seq {
			l.replayFrom(next, e)
			return
		}
		l.toSend, l.expected = l.unsent(&e.tail), e.checksum
		l.m.Inboxes(func(i machine.Inbox) { l.itemCache.Adopt(i.Name, i.Incarnation, i.First, i.Next) })
		for _, store := range e.left {
			store()
		}
		l.results.progress.Performed(l.seq)
		l.items.progress.Performed(l.seq)
		l.next()
	})
}

// replayAppend replays one append; its results and items that are missing from the streams behind the
// journal are to be stored again.
func (l *leader) replayAppend(a landed, e *estate) {
	e.tail.Note(protocol.Seen{
		Stored: protocol.Stored{Seq: a.seq, At: a.at}, Holder: a.holder, Takeover: a.takeover, Performed: a.published,
	}, l.holder)
	if a.takeover {
		return
	}
	e.checksum = a.checksum
	l.table.wrote(0, a.seq, len(a.body))
	l.left.Append(a.seq)
	var first, result []byte // the first one, and the last
	if err := event.Rows(a.body, func(r event.Row) error {
		if n := len(e.tail.Appends); n > 0 {
			newest := &e.tail.Appends[n-1]
			newest.Begun = append(newest.Begun, l.m.Begun(nil, r)...)
		}
		calendar, gone := r.Kind == event.RowCalendar, len(r.Value) == 0
		if l.w.planted(SkipsCalendars) && calendar && !gone || l.w.planted(KeepsCalendars) && calendar && gone {
			return nil
		}
		// A row that does not match the other half of its plan, because the bucket is ahead, is
		// forgiven when the rest has been read.
		_ = l.m.Replay(a.seq, r)
		switch r.Kind {
		case event.RowResult:
			countsRow(l, a.seq, r)
			if result = r.Value; first == nil {
				first = r.Value
			}
			at, left := l.left.Result()
			if left && !l.w.planted(ResultsForgotten) || l.w.planted(ResultsAgain) {
				e.left = append(e.left, func() { inherits(l, resultID{r.Name, r.N, string(r.Value)}, at) })
			}
		case event.RowItem:
			before := result
			if l.w.planted(FirstResult) {
				before = first
			}
			at, left := l.left.Item()
			if left && !l.w.planted(ItemsForgotten) || l.w.planted(ItemsAgain) {
				e.left = append(e.left, func() { requeueItem(l, r, before, at) })
			}
		}
		return nil
	}); err != nil {
		l.w.fail("append %d cannot be read: %v", a.seq, err)
	}
}

// subscribe subscribes to all replies from now on.
func (l *leader) subscribe() {
	l.retry(func() error {
		if !l.listens {
			l.listens, l.listensFrom = true, l.w.now
		}
		return nil
	}, l.next)
}

// recall reads the captured replies.
func (l *leader) recall() {
	l.retry(func() error {
		l.d.age()
		l.recalled, l.repliesFrom = slices.Clone(l.d.captured.words), l.d.captured.since
		l.capturedTo = l.w.now
		return nil
	}, func() {
		if l.w.planted(ReadThenListen) {
			l.later(l.next)
			return
		}
		l.next()
	})
}

// lead lets the machine act.
func (l *leader) lead() {
	words, since := l.recalled, l.repliesFrom
	l.recalled = nil
	if l.w.rng.IntN(2) == 0 {
		has := map[string]bool{}
		for key := range l.d.bucket {
			has[key] = true
		}
		l.m.Has(has)
	}
	deposed := l.w.disk.last != l.seq // then it has read what its successor is writing, and will notice
	if incomplete := l.m.Lead(l.n.clock(), l.epoch, since); len(incomplete) > 0 && !deposed {
		l.w.fail("epoch %d finds incomplete rows of %v", l.epoch, incomplete)
	}
	if found, all := l.m.Found(); all && l.expected != "" && found != l.expected && !deposed {
		l.w.fail("epoch %d finds the plans %s, and the leader before had %s", l.epoch, found, l.expected)
	}
	l.w.check.loaded(l)
	l.knows = map[*replyKey]bool{}
	l.held = append(l.held, l.w.workers.present()...)
	for _, reply := range words {
		if l.n.ignores(reply.ev) {
			continue
		}
		l.knows[reply.key] = true
		if !l.w.planted(CaptureIgnored) {
			l.held = append(l.held, l.w.received(reply.captured())) // before any deadline
		}
	}
	l.held = append(l.held, l.toSend...) // behind the captured replies
	l.leads = true
	l.itemCache.sweepSoon()
	l.w.note("epoch %d leads with %d captured replies", l.epoch, len(words))
	if l.w.planted(CaptureLate) {
		held := l.held
		l.held = nil
		l.w.after(time.Second, l.mine(func() {
			l.after = append(l.after, held...)
			l.turnSoon()
		}))
	}
	l.turnSoon()
}
