package broker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A Pen is the right to write a journal: one holder, one append at a time. One
// goroutine uses it. It is lost for good when another holder seizes the journal,
// and after any error of Append but ErrTooLarge.
type Pen struct {
	j       *Journal
	line    *line
	holder  string
	epoch   int64
	before  int64 // the highest epoch that the store knew when this pen seized it
	number  uint64
	created time.Time // of the stream that this pen writes

	// May is asked each time that an append is about to be sent, the first time or again;
	// an error ends the pen. Nil: it always may. It is set before Append.
	May func(ctx context.Context) error
	// Said is asked for what is to be Append.Said of each append. Nil: it is not said. It is
	// set before Append.
	Said func() uint64

	seq  uint64 // of the last append that is known to be durable
	base uint64 // all up to here was acknowledged or read, so this is the next one's expectation

	maxBody int
	buf     []byte
	packing []byte // room to pack bodies in
	msg     nats.Msg
	expect  []string // a header of msg that changes, as does said
	said    []string
	broken  error
}

// bodySlack is what an append keeps below the server's max_payload: the headers, and room
// for whatever a gateway or leaf node adds.
const bodySlack = 4 << 10

func (j *Journal) newPen(holder string) (*Pen, error) {
	if holder == "" || len(holder) > maxHolder {
		return nil, fmt.Errorf("holder %q: must have 1 to %d bytes", holder, maxHolder)
	}
	l, err := newLine(j.store)
	if err != nil {
		return nil, err
	}
	p := &Pen{
		j:       j,
		line:    l,
		holder:  holder,
		expect:  []string{""},
		said:    []string{""},
		maxBody: int(j.store.nc.MaxPayload()) - bodySlack - envelopeSize,
	}
	p.msg.Subject = j.subject
	p.msg.Header = nats.Header{headerStream: {j.name}, headerLastSeq: p.expect}
	return p, nil
}

// Writer is what this pen signs with.
func (p *Pen) Writer() protocol.Writer { return protocol.Writer{Holder: p.holder, Epoch: p.epoch} }

// Epoch is this pen's; later pens have higher ones.
func (p *Pen) Epoch() int64 { return p.epoch }

// Lacks reports that the store knew of no leadership with this epoch when the pen seized it.
// Every leadership appends before it says anything, and the newest append is never purged,
// so that only a store that went back lacks one. A higher epoch than the pen's own may be
// that of a successor.
func (p *Pen) Lacks(epoch int64) bool { return epoch > p.before && epoch != p.epoch }

// Seq is the sequence of the last append that this pen knows to be durable: of its
// take-over record at first.
func (p *Pen) Seq() uint64 { return p.seq }

// End reads the newest append of the journal, without its Body. Unlike the other methods it
// may be called while another goroutine appends. The error is a *ChangedError when the journal
// is another than the one that this pen wrote.
func (p *Pen) End(ctx context.Context) (Append, error) {
	state, newest, err := p.j.newest(ctx)
	if err == nil && !state.Created.Equal(p.created) {
		err = &ChangedError{p.j.name, "it was deleted and made anew"}
	}
	newest.Body = nil
	return newest, err
}

// MaxBody is how many bytes a body may have.
func (p *Pen) MaxBody() int { return p.maxBody }

// Close gives back what the pen has on its connection. The journal is not told.
func (p *Pen) Close() { p.line.close() }

// Append returns nil when body is durable, and ErrFenced when it never will be
// since another holder has the journal. A refusal or a silence is cleared up in
// here, for as long as it takes: the caller decides by ctx how long to wait. After
// any other error (ctx's cause, *ChangedError, ErrGap, ErrNewer, a closed
// connection) nobody knows whether body landed. ErrTooLarge leaves the pen as it was.
//
// While the journal is full (discard new) Append waits for a purge.
func (p *Pen) Append(ctx context.Context, body []byte) (seq uint64, err error) {
	if p.broken != nil {
		return 0, p.broken
	}
	if len(body) > p.maxBody {
		return 0, fmt.Errorf("append %d bytes to %s: %w: at most %d", len(body), p.j.name, ErrTooLarge, p.maxBody)
	}
	p.number++
	a := Append{Epoch: p.epoch, Holder: p.holder, Number: p.number, Body: body}
	if p.Said != nil {
		a.Said = p.Said()
	}
	p.write(a)
	if err := p.commit(ctx); err != nil {
		p.broken = fmt.Errorf("append %d to %s: %w", p.number, p.j.name, err)
		return 0, p.broken
	}
	return p.seq, nil
}

// write makes the message of an append.
func (p *Pen) write(a Append) {
	p.buf, p.packing = appendEnvelope(p.buf[:0], p.packing, &a)
	p.msg.Data = p.buf
	delete(p.msg.Header, headerSaid)
	if a.Said != 0 {
		p.said[0] = strconv.FormatUint(a.Said, 10)
		p.msg.Header[headerSaid] = p.said
	}
}

// may asks whether an append may be sent now. That it may not ends a reading, too.
func (p *Pen) may(ctx context.Context) error {
	if p.May == nil {
		return nil
	}
	if err := p.May(ctx); err != nil {
		return verdict{err}
	}
	return nil
}

// send publishes the message behind base, once.
func (p *Pen) send(ctx context.Context) error {
	p.expect[0] = strconv.FormatUint(p.base, 10)
	seq, err := p.line.publish(ctx, patience, &p.msg)
	if err != nil {
		return err
	}
	p.base, p.seq = seq, seq
	p.j.sight.saw(p.created, seq)
	return nil
}

// commit sends the message until it is durable or can never be. A refusal proves nothing
// about who wrote, and a silence nothing at all, so after both it looks what is behind
// base. Sending again is safe whatever became of the earlier ones: they all expect the same
// end, and only one message can follow it.
//
// What each finding leads to is for protocol to say. Where others flood the journal, what is
// behind base is read and the message sent in one go.
func (p *Pen) commit(ctx context.Context) error {
	t := trouble{store: p.j.store, stream: p.j.name}
	w := protocol.NewWrite(p.Writer(), p.number, p.base)
	var refusal error
	for out := w.Begin(); ; {
		switch out.(type) {
		case protocol.Landed:
			t.over()
			return nil
		case protocol.Send:
			if err := p.may(ctx); err != nil {
				return err
			}
			if refusal = p.send(ctx); refusal == nil {
				out = w.Step(protocol.Acknowledged{Seq: p.seq})
				continue
			}
			if ctx.Err() != nil || errors.Is(refusal, nats.ErrConnectionClosed) || errors.Is(refusal, nats.ErrMaxPayload) {
				return cause(ctx, refusal)
			}
			out = w.Step(protocol.Unanswered{})
		default:
			landed, err := p.resolve(ctx, refusal, p.judgeOf(w))
			switch {
			case landed:
				out = protocol.Landed{Seq: p.seq}
				continue
			case t.ends(ctx, err):
				return cause(ctx, err)
			case err != nil:
				out = w.Step(protocol.Unseen{})
			default:
				out = w.Step(protocol.Absent{})
			}
			if err := t.wait(ctx, refusal); err != nil {
				return err
			}
		}
	}
}

// look reads what is behind base, and moves base over what is no append. landed: the
// append in flight is there. No error: nothing that matters is. ErrFenced: an append of
// another, who can only be there with a take-over.
func (p *Pen) look(ctx context.Context, judge judge) (landed bool, err error) {
	for {
		a, ok, err := p.j.get(ctx, p.base+1)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return false, p.checkEnd(ctx)
		case err != nil:
			return false, err
		}
		if landed, err := p.step(a.Seq, a, ok, judge); landed || err != nil {
			return landed, err
		}
	}
}

// A judge says of an append behind base whether it is the one in flight. No error and
// false: it does not matter.
type judge func(Append) (landed bool, err error)

// judgeOf judges for who holds the pen, and has w in flight.
func (p *Pen) judgeOf(w *protocol.Write) judge {
	return func(a Append) (landed bool, err error) {
		switch w.Step(protocol.Behind{Seq: a.Seq, By: a.by(), Number: a.Number}).(type) {
		case protocol.Landed:
			return true, nil
		default:
			return false, fencedBy(a)
		}
	}
}

// step moves base to the message behind it, which is an append if ok.
func (p *Pen) step(seq uint64, a Append, ok bool, judge judge) (landed bool, err error) {
	if seq != p.base+1 {
		return false, fmt.Errorf("%w: after %d comes %d", ErrGap, p.base, seq)
	}
	if ok {
		if landed, err = judge(a); err != nil {
			return false, err
		}
	}
	p.base = seq
	if landed {
		p.seq = seq
	}
	return landed, nil
}

// checkEnd returns an error when the journal is not the one that this pen wrote.
func (p *Pen) checkEnd(ctx context.Context) error {
	state, err := p.j.State(ctx)
	switch {
	case err != nil:
		return err
	case !state.Created.Equal(p.created):
		return &ChangedError{p.j.name, "it was deleted and made anew"}
	}
	return p.j.holds(state, p.base+1, p.base)
}
