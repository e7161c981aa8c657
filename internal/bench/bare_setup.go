package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// newLoop provisions the engine, starts the worker and makes a loop that is
// ready to run.
func newLoop(ctx context.Context, e *engine, b Bare) (*loop, error) {
	nc, err := e.connect("scheduler")
	if err != nil {
		return nil, err
	}
	if err := createStreams(ctx, nc, bareStreams(b.SyncResults)...); err != nil {
		return nil, err
	}
	l := &loop{
		Bare:   b,
		failed: e.failed,
		nc:     nc,
		plans:  newPlans(b.Plans, b.PayloadBytes),
		// Room for all messages that can be in flight at once, so that it never
		// overflows, which verify checks: two replies of each execution, the results
		// of as many again that are being settled, those behind, a whole checkpoint
		// and an append.
		inbox: make(chan *nats.Msg, 4*b.Outstanding+maxResultsBehind+b.Plans+1),
	}
	if err := l.attend(e); err != nil {
		return nil, err
	}
	// Appends have a connection of their own, because they would queue behind the
	// thousand executions of the append before.
	store, err := e.connect("store")
	if err != nil {
		return nil, err
	}
	l.journal = journal[effect]{nc: store, subject: journalSubject, inbox: store.NewInbox()}
	l.results = behind{nc: store, inbox: store.NewInbox(), grouped: b.SyncResults}
	l.bucket = behind{nc: store, inbox: store.NewInbox()}
	for _, s := range []struct {
		sub     **nats.Subscription
		nc      *nats.Conn
		subject string
	}{
		{&l.replies, nc, "plan.reply.0.>"},
		{&l.appendAcks, store, l.journal.inbox},
		{&l.resultAcks, store, l.results.inbox},
		{&l.bucketAcks, store, l.bucket.inbox},
	} {
		if *s.sub, err = s.nc.ChanSubscribe(s.subject, l.inbox); err != nil {
			return nil, fmt.Errorf("subscribe %s: %w", s.subject, err)
		}
	}
	if err := nc.Flush(); err != nil {
		return nil, fmt.Errorf("flush subscriptions: %w", err)
	}
	return l, nil
}

// bareJournal is the stream of a bare loop's appends.
func bareJournal() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: journalStream, Subjects: []string{journalSubject}, Discard: jetstream.DiscardNew,
	}
}

func bareStreams(syncResults bool) []jetstream.StreamConfig {
	results := jetstream.StreamConfig{Name: resultsStream, Subjects: []string{resultPrefix + "*"}}
	if syncResults {
		results.AllowAtomicPublish = true
	} else {
		results.PersistMode = jetstream.AsyncPersistMode
	}
	return []jetstream.StreamConfig{
		results,
		bareJournal(),
		{
			Name: repliesStream, Subjects: []string{"plan.reply.>"},
			Storage: jetstream.MemoryStorage, NoAck: true,
			MaxAge: 10 * time.Second, MaxBytes: 64 << 20,
		},
		{
			Name: bucketStream, Subjects: []string{bucketPrefix + ">"},
			MaxMsgsPerSubject: 1, AllowRollup: true, DenyDelete: true, Discard: jetstream.DiscardNew,
			PersistMode: jetstream.AsyncPersistMode,
		},
	}
}

// attend starts the worker and the observer, which go on until the engine closes.
func (l *loop) attend(e *engine) (err error) {
	if l.observer, err = e.connect("observer"); err != nil {
		return err
	}
	if err := listen(l.observer, resultPrefix+"*", func(*nats.Msg) { l.received.Add(1) }); err != nil {
		return err
	}
	return startWorker(e, func(nc *nats.Conn, msg *nats.Msg) error {
		defer l.answered.Add(1)
		return errors.Join(nc.Publish(msg.Reply, replyRunning), nc.Publish(msg.Reply, replyOK))
	})
}

// startWorker serves the station until the engine closes.
func startWorker(e *engine, answer func(*nats.Conn, *nats.Msg) error) error {
	nc, err := e.connect("worker")
	if err != nil {
		return err
	}
	sub, err := nc.QueueSubscribe(stationSubject, workerQueue, func(msg *nats.Msg) {
		if err := answer(nc, msg); err != nil {
			e.fail(fmt.Errorf("worker: reply: %w", err))
		}
	})
	if err != nil {
		return fmt.Errorf("subscribe %s: %w", stationSubject, err)
	}
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return fmt.Errorf("lift limits of %s: %w", stationSubject, err)
	}
	if err := nc.Flush(); err != nil {
		return fmt.Errorf("flush worker: %w", err)
	}
	return nil
}

// verify compares the streams with the counts.
func (l *loop) verify(ctx context.Context) error {
	for _, sub := range []*nats.Subscription{l.replies, l.appendAcks, l.resultAcks, l.bucketAcks} {
		if n, err := sub.Dropped(); err != nil || n > 0 {
			return fmt.Errorf("subscription %s dropped %d messages: %w", sub.Subject, n, err)
		}
	}
	touched := 0
	for _, p := range l.plans {
		if p.n > 0 {
			touched++
		}
	}
	settled := uint64(l.settled)
	for _, want := range []struct {
		stream     string
		last, msgs uint64
	}{
		{journalStream, l.journal.last, l.journal.last},
		{resultsStream, settled, settled},
		{bucketStream, l.bucket.sent, uint64(touched)},
	} {
		got, err := streamState(ctx, l.nc, want.stream)
		if err != nil {
			return err
		}
		if got.LastSeq != want.last || got.Msgs != want.msgs {
			return fmt.Errorf("stream %s holds %d messages up to %d; counted were %d up to %d",
				want.stream, got.Msgs, got.LastSeq, want.msgs, want.last)
		}
	}
	if rows := 2 * l.settled; l.journal.rows != rows {
		return fmt.Errorf("journal holds %d rows; %d executions make %d", l.journal.rows, l.settled, rows)
	}
	return l.verifyCapture(ctx)
}

// verifyReceived fails unless the observer has received every result.
func (l *loop) verifyReceived(ctx context.Context) error {
	if err := drain(ctx, l.observer); err != nil {
		return err
	}
	if received := l.received.Load(); received != l.settled {
		return fmt.Errorf("%d results were received of %d", received, l.settled)
	}
	return nil
}

// captureWithin is generous, because a million aged replies leave the stream at once, and
// its server answers no request meanwhile.
const captureWithin = time.Minute

// verifyCapture waits until every reply was captured. It polls the stream, because the
// capture acknowledges no message.
func (l *loop) verifyCapture(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, captureWithin)
	defer cancel()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	want := 2 * uint64(l.settled)
	for {
		got, err := streamState(ctx, l.nc, repliesStream)
		if err == nil && got.LastSeq == want {
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("capture took %d of %d replies", got.LastSeq, want), err)
		}
	}
}
