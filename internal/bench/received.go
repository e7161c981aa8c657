package bench

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A resultObserver receives all results, on a connection of its own. Each result of a plan must
// arrive once, in order.
type resultObserver struct {
	*tally
	nc *nats.Conn
}

// observe subscribes to the results of so many plans.
func observe(ctx context.Context, s *site, plans int) (*resultObserver, error) {
	nc, err := s.connect(ctx, "observer")
	if err != nil {
		return nil, err
	}
	h := &resultObserver{tally: newTally(plans), nc: nc}
	return h, listen(nc, schema.Space{}.AllResults(), func(m *nats.Msg) {
		n, err := resultNumber(m.Data)
		if err != nil {
			h.fail(err)
			return
		}
		h.note(lastToken(m.Subject), n)
	})
}

// listen calls f for each message of a subject, without a limit of pending messages.
func listen(nc *nats.Conn, subject string, f nats.MsgHandler) error {
	sub, err := nc.Subscribe(subject, f)
	if err != nil {
		return fmt.Errorf("listen to %s: %w", subject, err)
	}
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return fmt.Errorf("listen to %s: %w", subject, err)
	}
	if err := nc.Flush(); err != nil {
		return fmt.Errorf("listen to %s: %w", subject, err)
	}
	return nil
}

// finish waits until all results sent so far have arrived, and fails unless they are those of
// the worker's executions.
func (h *resultObserver) finish(ctx context.Context, did *tally) error {
	if err := drain(ctx, h.nc); err != nil {
		return err
	}
	if err := h.failed(); err != nil {
		return fmt.Errorf("results that were received: %w", err)
	}
	if received, done := h.done.Load(), did.done.Load(); received != done {
		return fmt.Errorf("%d executions ended, and %d results were received", done, received)
	}
	return nil
}

// resultNumber returns the number of the execution in a result in JSON. It is cut out, because
// decoding the whole result would cost an observer on the same processors more than the rest.
func resultNumber(body []byte) (int64, error) { return numberOf(body, resultN) }

var resultN = []byte(`"n":`)

// numberOf returns the number behind a key.
func numberOf(body, key []byte) (int64, error) {
	_, rest, ok := bytes.Cut(body, key)
	end := bytes.IndexAny(rest, ",}")
	if !ok || end < 0 {
		return 0, fmt.Errorf("a result without a number: %.100q", body)
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(rest[:end])), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the number of a result: %w", err)
	}
	return n, nil
}

// lastToken returns the last token of a subject.
func lastToken(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }
