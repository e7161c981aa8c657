package worker

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// A result waits repeatFirst before it is sent again, then twice as long each time,
	// repeatMost at most.
	repeatFirst = time.Second
	repeatMost  = 30 * time.Second

	// maxUnacked and maxUnackedBytes bound the results without an acknowledgement. Beyond
	// them a handler that has finished waits with its result and keeps its slot, because
	// less work is better than lost results.
	maxUnacked      = 65_536
	maxUnackedBytes = 64 << 20

	// resendAtOnce bounds the results that one call of resend sends, so that a server that
	// comes back does not get all of them in one burst; the next call is resendPause later.
	resendAtOnce = 1000
	resendPause  = 20 * time.Millisecond
)

// ackLimits are generous for the handful of fields that an acknowledgement has.
var ackLimits = wire.Limits{Bytes: 4096, Depth: 4, Items: 64 + schema.MaxJoined}

// A reporter sends replies and takes their acknowledgements. All of these come to one inbox,
// with a token in the subject: p<seq> for the heartbeats of an execution, f<seq> for a final
// reply, j<seq> for several final replies that went as one message.
type reporter struct {
	nc        *nats.Conn
	log       *slog.Logger
	repeatFor time.Duration
	most      int // finals at once, and
	mostBytes int // of all of them together

	inbox string // "_INBOX.….", in front of the token
	acks  subscription
	loop  sync.WaitGroup
	quit  context.CancelFunc

	wake    chan struct{} // of size one: there may be something to repeat
	batched chan struct{} // of size one: there may be a batch to send

	mu      sync.Mutex
	batch   batch
	seq     uint64
	pings   map[uint64]*Execution
	finals  map[uint64]*final
	batches map[uint64]*sentBatch
	bytes   int        // of all finals
	room    *sync.Cond // on mu; signalled when a final is removed, or the reporter closes
	closed  bool
	waiting chan struct{} // closed when no final is left; nil: flushed does not wait
}

// A final is a final reply without an acknowledgement.
type final struct {
	msg   *nats.Msg
	seq   uint64
	enc   wire.Encoding
	with  *sentBatch    // the message that it went in, if others did too
	pause time.Duration // before the next repetition
	due   time.Time     // when it is sent again
	until time.Time     // when it is dropped
}

func newReporter(nc *nats.Conn, log *slog.Logger, repeatFor time.Duration) *reporter {
	r := &reporter{
		nc: nc, log: log, repeatFor: repeatFor,
		most: maxUnacked, mostBytes: maxUnackedBytes,
		wake: make(chan struct{}, 1), batched: make(chan struct{}, 1),
		pings:   make(map[uint64]*Execution),
		finals:  make(map[uint64]*final),
		batches: make(map[uint64]*sentBatch),
	}
	r.room = sync.NewCond(&r.mu)
	return r
}

func (r *reporter) start() error {
	r.inbox = r.nc.NewInbox() + "."
	sub, err := r.nc.Subscribe(r.inbox+"*", r.acked)
	if err != nil {
		return fmt.Errorf("subscribe to acknowledgements: %w", err)
	}
	r.acks = watch(sub)
	ctx, cancel := context.WithCancel(context.Background())
	r.quit = cancel
	r.loop.Go(func() { r.repeat(ctx) })
	return nil
}

// stop sends the batch, drops all results without an acknowledgement, and waits until the
// reporter's goroutine and callbacks have ended.
func (r *reporter) stop() {
	r.mu.Lock()
	r.closed = true
	r.batch.full = true
	r.room.Broadcast()
	r.mu.Unlock()
	r.quit()
	r.loop.Wait()
	r.flush(time.Now())
	end(r.acks)
}

// open gives an execution a number for its heartbeats, close takes it back.
func (r *reporter) open(x *Execution) (seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	r.pings[r.seq] = x
	return r.seq
}

func (r *reporter) close(seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pings, seq)
}

// ping sends a heartbeat, which may get lost.
func (r *reporter) ping(seq uint64, msg *nats.Msg) {
	msg.Reply = r.inbox + token('p', seq)
	if err := r.nc.PublishMsg(msg); err != nil {
		r.log.Debug("ping not sent", "subject", shown(msg.Subject), "error", err)
	}
}

// final sends a reply, and again until it is acknowledged. It waits while too
// many are without an acknowledgement. More: others are likely to follow soon, so that it may
// go with them.
func (r *reporter) final(msg *nats.Msg, enc wire.Encoding, more bool) {
	r.mu.Lock()
	for !r.closed && (len(r.finals) >= r.most || r.bytes >= r.mostBytes) {
		r.room.Wait()
	}
	now := time.Now() // it may have waited for long
	f := &final{msg: msg, enc: enc, pause: repeatFirst, due: now.Add(repeatFirst), until: now.Add(r.repeatFor)}
	r.seq++
	f.seq = r.seq
	first := len(r.finals) == 0
	r.finals[f.seq] = f
	r.bytes += len(msg.Data)
	waits := r.batch.add(f, now, more && !r.closed) // closed: no flush will follow
	ready, _ := r.batch.take(now)
	r.mu.Unlock()

	r.send(ready)
	if first {
		nudge(r.wake)
	}
	if waits && ready == nil {
		nudge(r.batched)
	}
}

// nudge wakes a loop.
func nudge(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default: // one is pending, and one is enough
	}
}

// acked handles one acknowledgement. Any other message to the inbox, such as the server's
// answer without a subscriber, acknowledges nothing, so that the result is repeated.
func (r *reporter) acked(msg *nats.Msg) {
	kind, seq, ok := parseToken(strings.TrimPrefix(msg.Subject, r.inbox))
	if !ok || len(msg.Data) == 0 {
		return
	}
	var ack schema.JoinedAck
	body, err := wire.Scan(msg.Data, ackLimits)
	if err == nil {
		ack.ReadFrom(body)
	}
	if err != nil || !ack.Ack.Ack {
		r.log.Debug("not an acknowledgement", "subject", shown(msg.Subject), "error", err)
		return
	}
	switch kind {
	case 'p':
		r.mu.Lock()
		x := r.pings[seq]
		r.mu.Unlock()
		if x != nil {
			x.acked(ack.Ack)
		}
	case 'f':
		r.taken(seq, ack.Ack)
	case 'j':
		for _, f := range r.went(seq, ack.Of) {
			r.taken(f.seq, ack.Ack)
		}
	}
}

// taken forgets a final that was acknowledged.
func (r *reporter) taken(seq uint64, ack schema.Ack) {
	if f := r.drop(seq); f != nil && !ack.Accepted {
		r.log.Debug("result came too late", "subject", shown(f.msg.Subject))
	}
}

// drop forgets a final, because it was acknowledged or its time is over.
func (r *reporter) drop(seq uint64) *final {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.finals[seq]
	if f == nil {
		return nil
	}
	delete(r.finals, seq)
	r.bytes -= len(f.msg.Data)
	if f.with != nil {
		if f.with.left--; f.with.left == 0 {
			delete(r.batches, f.with.seq)
		}
	}
	r.room.Broadcast()
	if len(r.finals) == 0 && r.waiting != nil {
		close(r.waiting)
		r.waiting = nil
	}
	return f
}

// repeat sends batches, and overdue results again, until ctx ends.
func (r *reporter) repeat(ctx context.Context) {
	repeat, batch := time.NewTimer(0), time.NewTimer(0)
	defer repeat.Stop()
	defer batch.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
			rearm(repeat, r.resend(time.Now()))
		case <-repeat.C:
			rearm(repeat, r.resend(time.Now()))
		case <-r.batched:
			rearm(batch, r.flush(time.Now()))
		case <-batch.C:
			rearm(batch, r.flush(time.Now()))
		}
	}
}

// rearm sets a timer; zero stops it.
func rearm(timer *time.Timer, wait time.Duration) {
	if wait > 0 {
		timer.Reset(wait)
	} else {
		timer.Stop()
	}
}

// resend sends due results again and returns the time until the next call; zero without any
// result. While the connection is down it sends nothing, because the client would buffer each
// repetition.
func (r *reporter) resend(now time.Time) (next time.Duration) {
	var again []*nats.Msg
	var late []uint64
	connected := r.nc.IsConnected()

	r.mu.Lock()
	for seq, f := range r.finals {
		switch {
		case now.After(f.until):
			late = append(late, seq)
			continue
		case f.due.After(now):
		case len(again) >= resendAtOnce:
			next = resendPause
			continue
		default:
			if f.with != nil {
				r.batch.alone = now.Add(aloneFor)
			}
			if connected {
				again = append(again, r.alone(f))
				f.pause = min(2*f.pause, repeatMost)
			}
			f.due = now.Add(f.pause)
		}
		if wait := f.due.Sub(now); next == 0 || wait < next {
			next = wait
		}
	}
	r.mu.Unlock()

	for _, seq := range late {
		if f := r.drop(seq); f != nil {
			r.log.Warn("result given up: no acknowledgement", "subject", shown(f.msg.Subject), "after", r.repeatFor)
		}
	}
	for _, msg := range again {
		if err := r.nc.PublishMsg(msg); err != nil {
			r.log.Debug("result not repeated", "subject", shown(msg.Subject), "error", err)
		}
	}
	return next
}

// flushed waits until every final was acknowledged or dropped, and returns the number of those
// that were not when ctx ended.
func (r *reporter) flushed(ctx context.Context) (left int) {
	r.mu.Lock()
	if len(r.finals) == 0 {
		r.mu.Unlock()
		return 0
	}
	if r.waiting == nil {
		r.waiting = make(chan struct{})
	}
	waiting := r.waiting
	r.mu.Unlock()

	select {
	case <-waiting:
		return 0
	case <-ctx.Done():
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.finals)
	}
}

// alone is the message of a final that goes alone, which most do not.
func (r *reporter) alone(f *final) *nats.Msg {
	msg := *f.msg
	msg.Reply = r.inbox + token('f', f.seq)
	return &msg
}

// token names a reply in the inbox.
func token(kind byte, seq uint64) string {
	return string(strconv.AppendUint([]byte{kind}, seq, 36))
}

// shown returns a reply subject for the log, without the nonce of its execution, because the
// nonce is the right to reply.
func shown(subject string) string {
	last := strings.LastIndexByte(subject, '.') + 1
	n, _, _ := strings.Cut(subject[last:], "-")
	return subject[:last] + n
}

func parseToken(s string) (kind byte, seq uint64, ok bool) {
	if len(s) < 2 || s[0] != 'p' && s[0] != 'f' && s[0] != 'j' {
		return 0, 0, false
	}
	seq, err := strconv.ParseUint(s[1:], 36, 64)
	return s[0], seq, err == nil
}
