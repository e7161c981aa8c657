package httpworker

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// handleQueue delivers the items of a merge queue to its service: a JSON array, in their
// order. Any 2xx completes them; else they are delivered again.
func (w *Worker) handleQueue(ctx context.Context, x *worker.Execution) (any, error) {
	req, err := queueRequest(ctx, x)
	if err != nil {
		return nil, complaint(w.record(ctx, x, ForQueue, failed(schema.HTTPRefused, err)))
	}
	own(req.Header, x, callback{})
	o, unsure := w.deliver(ctx, x, ForQueue, req)
	w.record(ctx, x, ForQueue, o)
	switch {
	case o.Class == schema.HTTPOK:
		return o, nil
	case unsure:
		return nil, worker.OutcomeUnknown(complaint(o)) // because the service may have them, and its response was lost
	default:
		return nil, complaint(o)
	}
}

func queueRequest(ctx context.Context, x *worker.Execution) (*http.Request, error) {
	var to schema.QueueTarget
	if err := wire.DecodeLoose(x.Ext, &to); err != nil {
		return nil, fmt.Errorf("the plan's ext names no service: %w", err)
	}
	body := wire.NewWriter(wire.JSON, nil)
	body.BeginList()
	for _, item := range x.Items {
		body.Value(item)
	}
	body.EndList()
	req, err := http.NewRequestWithContext(ctx, to.Method, to.Service, bytes.NewReader(body.Bytes()))
	if err != nil {
		return nil, fmt.Errorf("the queue's service: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "stationmaster")
	return req, nil
}
