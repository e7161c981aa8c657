package broker

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// resolve finds out the outcome of an attempt that was refused or not answered. landed: the
// message is in the journal. No error: it is not, and may be sent again.
//
// A foreign message moves the journal's end, and each append expects one end. A refusal
// names the end at that moment, so one round trip reads the messages in between and sends
// the append behind them. A second refusal means that there is a flood.
func (p *Appender) resolve(ctx context.Context, refusal error, judge judge) (landed bool, err error) {
	end := endNamedBy(refusal)
	if end <= p.base {
		return p.look(ctx, judge)
	}
	if end-p.base <= fetchAtOnce {
		if landed, err := p.readTo(ctx, end, judge); landed || err != nil {
			return landed, err
		}
		if err := p.may(ctx); err != nil {
			return false, err
		}
		switch refusal := p.send(ctx); {
		case refusal == nil:
			return true, nil
		case endNamedBy(refusal) <= p.base:
			return false, nil
		}
	}
	return p.contend(ctx, judge)
}

// readTo moves base to end, over messages that are no appends of others.
func (p *Appender) readTo(ctx context.Context, end uint64, judge judge) (landed bool, err error) {
	err = p.j.store.fetch(ctx, p.j.name, p.base+1, end, func(m *stored) error {
		a, ok, err := p.j.decode(m.Data, m.Seq, m.Time)
		if err != nil {
			return err
		}
		if landed, err = p.step(m.Seq, a, ok, judge); landed {
			return errDone
		}
		return err
	})
	if errors.Is(err, errDone) {
		err = nil
	}
	return landed, err
}

// contend publishes the message during a flood. A consumer delivers the journal's messages as
// they come, and each attempt goes behind the newest of them until one meets the end. Polling for
// them would take longer than the next message takes to come. An attempt whose expected end is
// below the messages read so far can no longer land, so at most one ever does, and no unread
// message is passed over: above all not another's take-over.
//
// One attempt is in flight at a time, because a message may have a megabyte.
func (p *Appender) contend(ctx context.Context, judge judge) (landed bool, err error) {
	attempt := ""
	try := func() error {
		if attempt != "" {
			seq, err, answered := p.line.answer(attempt)
			switch {
			case !answered:
				return nil
			case err == nil:
				p.base, p.seq = seq, seq
				return errDone
			}
		}
		if err := p.may(ctx); err != nil {
			return err
		}
		p.expect[0] = strconv.FormatUint(p.base, 10)
		attempt, err = p.line.offer(&p.msg)
		return err
	}
	r := reading{store: p.j.store, stream: p.j.name, from: p.base + 1}
	r.begin = func(ctx context.Context) error {
		attempt = "" // it was in flight when the last consumer was lost
		return p.checkEnd(ctx)
	}
	r.each = func(m message) error {
		a, ok, err := p.j.decode(m.Data(), m.seq, m.at)
		if err != nil {
			return err
		}
		if landed, err := p.step(m.seq, a, ok, judge); err != nil {
			return err
		} else if landed {
			return errDone
		}
		meta, err := m.Metadata()
		if err != nil || meta.NumPending > 0 {
			return err
		}
		return try()
	}
	r.empty = func(context.Context) error {
		attempt = ""
		return try()
	}
	if err := r.run(ctx); err != nil {
		return false, err
	}
	return true, nil
}

// endNamedBy returns the stream's last sequence that a refusal names; 0 when it names none.
func endNamedBy(refusal error) (end uint64) {
	var api *jetstream.APIError
	if errors.As(refusal, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		if _, err := fmt.Sscanf(api.Description, "wrong last sequence: %d", &end); err != nil {
			return 0
		}
	}
	return end
}
