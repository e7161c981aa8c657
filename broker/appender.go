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

// An Appender is the right to write a journal: one holder, one append at a time. One goroutine
// uses it. It is lost for good when another holder seizes the journal, and after any error
// of Append but ErrTooLarge.
type Appender struct {
	j       *Journal
	line    *line
	holder  string
	epoch   int64
	before  int64 // the highest epoch that the store knew when this appender seized it
	number  uint64
	created time.Time // of the stream that this appender writes

	// May is called before each attempt to send an append, the first and any repetition; an
	// error ends the appender. Nil: no check. It is set before Append.
	May func(ctx context.Context) error
	// Published returns the value of Append.Published for each append. Nil: none is set. It is set
	// before Append.
	Published func() uint64
	// Checksum is the value of Append.Checksum for the next append. Empty: none is set.
	Checksum string

	seq  uint64 // of the last append that is known to be durable
	base uint64 // the end that the next append expects: all up to here was acknowledged or read

	maxBody   int
	buf       []byte
	packing   []byte // buffer for compressed bodies
	msg       nats.Msg
	expect    []string // a mutable header of msg, like published
	published []string
	checksum  []string
	broken    error
}

// bodySlack is the distance that an append keeps from the server's max_payload: the
// headers, and room for the additions of a gateway or leaf node.
const bodySlack = 4 << 10

func (j *Journal) newAppender(holder string) (*Appender, error) {
	if holder == "" || len(holder) > maxHolder {
		return nil, fmt.Errorf("holder %q: must have 1 to %d bytes", holder, maxHolder)
	}
	l, err := newLine(j.store)
	if err != nil {
		return nil, err
	}
	p := &Appender{
		j:         j,
		line:      l,
		holder:    holder,
		expect:    []string{""},
		published: []string{""},
		checksum:  []string{""},
		maxBody:   int(j.store.nc.MaxPayload()) - bodySlack - envelopeSize,
	}
	p.msg.Subject = j.subject
	p.msg.Header = nats.Header{headerStream: {j.name}, headerLastSeq: p.expect}
	return p, nil
}

// Writer is the appender's signature.
func (p *Appender) Writer() protocol.Writer { return protocol.Writer{Holder: p.holder, Epoch: p.epoch} }

// Epoch is this appender's; later appenders have higher ones.
func (p *Appender) Epoch() int64 { return p.epoch }

// Lacks reports that the store knew of no leadership with this epoch when the appender seized
// it. Only a store that went back lacks one, because every leadership appends before it
// publishes anything, and the newest append is never purged. An epoch above the appender's own
// may be that of a successor.
func (p *Appender) Lacks(epoch int64) bool { return epoch > p.before && epoch != p.epoch }

// Seq is the sequence of the last append that this appender knows to be durable: of its
// take-over record at first.
func (p *Appender) Seq() uint64 { return p.seq }

// End reads the newest append of the journal, without its Body. Unlike the other methods it
// may be called while another goroutine appends. The error is a *ChangedError when the
// journal is not the one that this appender wrote.
func (p *Appender) End(ctx context.Context) (Append, error) {
	state, newest, err := p.j.newest(ctx)
	if err == nil && !state.Created.Equal(p.created) {
		err = &ChangedError{p.j.name, "it was deleted and made anew"}
	}
	newest.Body = nil
	return newest, err
}

// MaxBody is the largest size of a body, in bytes.
func (p *Appender) MaxBody() int { return p.maxBody }

// Close releases the appender's subscription. It writes nothing to the journal.
func (p *Appender) Close() { p.line.close() }

// Append returns nil when body is durable, and ErrFenced when it never will be, because
// another holder has the journal. It clears up a refusal or a missing answer itself, for as
// long as that takes, so the caller limits the wait by ctx. After any other error (ctx's
// cause, *ChangedError, ErrGap, ErrNewer, a closed connection) it is unknown whether body
// landed. ErrTooLarge leaves the appender usable.
//
// While the journal is full (discard new) Append waits for a purge.
func (p *Appender) Append(ctx context.Context, body []byte) (seq uint64, err error) {
	if p.broken != nil {
		return 0, p.broken
	}
	if len(body) > p.maxBody {
		return 0, fmt.Errorf("append %d bytes to %s: %w: at most %d", len(body), p.j.name, ErrTooLarge, p.maxBody)
	}
	p.number++
	a := Append{Epoch: p.epoch, Holder: p.holder, Number: p.number, Checksum: p.Checksum, Body: body}
	if p.Published != nil {
		a.Published = p.Published()
	}
	p.write(a)
	if err := p.commit(ctx); err != nil {
		p.broken = fmt.Errorf("append %d to %s: %w", p.number, p.j.name, err)
		return 0, p.broken
	}
	return p.seq, nil
}

// write makes the message of an append.
func (p *Appender) write(a Append) {
	p.buf, p.packing = appendEnvelope(p.buf[:0], p.packing, &a)
	p.msg.Data = p.buf
	delete(p.msg.Header, headerPublished)
	delete(p.msg.Header, headerChecksum)
	if a.Checksum != "" {
		p.checksum[0] = a.Checksum
		p.msg.Header[headerChecksum] = p.checksum
	}
	if a.Published != 0 {
		p.published[0] = strconv.FormatUint(a.Published, 10)
		p.msg.Header[headerPublished] = p.published
	}
}

// may asks May whether an append may be sent now. A refusal ends a reading, too.
func (p *Appender) may(ctx context.Context) error {
	if p.May == nil {
		return nil
	}
	if err := p.May(ctx); err != nil {
		return verdict{err}
	}
	return nil
}

// send publishes the message behind base, once.
func (p *Appender) send(ctx context.Context) error {
	p.expect[0] = strconv.FormatUint(p.base, 10)
	seq, err := p.line.publish(ctx, patience, &p.msg)
	if err != nil {
		return err
	}
	p.base, p.seq = seq, seq
	p.j.sight.saw(p.created, seq)
	return nil
}

// commit sends the message until it is durable or can never be. After a refusal or a
// timeout it reads the messages behind base, because a refusal does not prove another
// writer, and a timeout proves nothing. Sending again is safe, whether or not earlier
// attempts landed, because all of them expect the same end, and only one message can follow
// it.
//
// Package protocol decides the step after each finding. When foreign messages flood the
// journal, reading behind base and sending is one step.
func (p *Appender) commit(ctx context.Context) error {
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

// look reads the messages behind base, and moves base over those that are no appends.
// landed: the append in flight is there. No error: no append is there. ErrFenced: an append
// of another writer, which only a take-over explains.
func (p *Appender) look(ctx context.Context, judge judge) (landed bool, err error) {
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

// A judge decides whether an append behind base is the one in flight. False without an
// error means that it does not matter.
type judge func(Append) (landed bool, err error)

// judgeOf judges for the holder of the appender, with w in flight.
func (p *Appender) judgeOf(w *protocol.Write) judge {
	return func(a Append) (landed bool, err error) {
		switch w.Step(protocol.Behind{Seq: a.Seq, By: a.by(), Number: a.Number}).(type) {
		case protocol.Landed:
			return true, nil
		default:
			return false, fencedBy(a.by())
		}
	}
}

// step moves base to the message behind it, which is an append if ok.
func (p *Appender) step(seq uint64, a Append, ok bool, judge judge) (landed bool, err error) {
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

// checkEnd returns an error when the journal is not the one that this appender wrote.
func (p *Appender) checkEnd(ctx context.Context) error {
	state, err := p.j.State(ctx)
	switch {
	case err != nil:
		return err
	case !state.Created.Equal(p.created):
		return &ChangedError{p.j.name, "it was deleted and made anew"}
	}
	return p.j.holds(state, p.base+1, p.base)
}
