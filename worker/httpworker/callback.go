package httpworker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// handleCallback delivers the result of an occurrence, which is the only item of the execution.
// Any 2xx confirms it; else the scheduler delivers the same item again.
func (w *Worker) handleCallback(ctx context.Context, x *worker.Execution) (any, error) {
	req, err := w.callbackRequest(ctx, x)
	if err != nil {
		return nil, complaint(w.record(ctx, x, ForCallback, failed(schema.HTTPRefused, err)))
	}
	o, _ := w.deliver(ctx, x, ForCallback, req)
	w.record(ctx, x, ForCallback, o)
	if o.Class != schema.HTTPOK {
		return nil, complaint(o)
	}
	return o, nil
}

func (w *Worker) callbackRequest(ctx context.Context, x *worker.Execution) (*http.Request, error) {
	if len(x.Items) != 1 {
		return nil, fmt.Errorf("the execution has %d results; a callback has one", len(x.Items))
	}
	var result schema.Result
	if err := wire.DecodeLoose(x.Items[0], &result); err != nil {
		return nil, fmt.Errorf("the result cannot be read: %w", err)
	}
	to, target, err := addressee(x, result.State)
	if err != nil {
		return nil, err
	}
	body := callbackBody(&result)
	req, err := http.NewRequestWithContext(ctx, string(target.Method), target.URL, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the callback's address is none that can be called")
	}
	key := result.Key + "/" + strconv.FormatInt(result.N, 10)
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "stationmaster")
	h.Set("Idempotency-Key", key)
	h.Set("X-Attempt", strconv.FormatInt(x.Attempt, 10))
	if trace := x.Headers().Get(schema.HeaderTraceparent); trace != "" {
		h.Set("Traceparent", schema.HeaderText(trace))
	}
	if to.Signed() {
		if err := w.sign(ctx, req, x.Station, to.Security.AK, key, body); err != nil {
			return nil, err
		}
	}
	return req, nil
}

// addressee returns the callback, and its target, for an end in state s: the station's present
// one, or, if the station has none any more, the one at the end of the occurrence.
func addressee(x *worker.Execution, s schema.State) (*schema.Callback, schema.CallbackTarget, error) {
	records := []wire.Value{x.Ext}
	if len(x.Messages) > 0 {
		records = []wire.Value{x.Messages[0], x.Ext}
	}
	for _, v := range records {
		to := new(schema.Callback)
		if wire.DecodeLoose(v, to) != nil {
			continue
		}
		if target := to.Target(s); target != nil {
			chosen := *target
			if chosen.Method == "" {
				chosen.Method = http.MethodPost
			}
			return to, chosen, nil
		}
	}
	return nil, schema.CallbackTarget{}, fmt.Errorf("the station names no address to call back about %s", s)
}

// isTask reports that the message of a command's plans is a task, of either sort.
func isTask(command string) bool {
	return command == schema.TaskCommand || command == schema.PeriodicCommand
}

// callbackBody is the body of a callback, in JSON. A task, which is the message of its plan, has
// its own id and ext there; any other plan has the plan's.
func callbackBody(r *schema.Result) []byte {
	id, ext := wire.Text(wire.JSON, r.PlanID), r.Ext
	if len(r.Messages) > 0 && isTask(r.Command) {
		ext = r.Messages[0].Field("ext")
		if own := r.Messages[0].Field("id"); !own.IsZero() {
			id = own
		}
	}
	b := wire.NewWriter(wire.JSON, nil)
	b.BeginMap()
	if r.State == schema.StateOK {
		member(b, "ext", ext)
		member(b, "result", r.Content)
	} else {
		member(b, "task_id", id)
		b.Key("error_info")
		b.Text(r.ErrorInfo())
		member(b, "ext", ext)
	}
	b.EndMap()
	return b.Bytes()
}

// member writes v, or null, because receivers rely on the names.
func member(b *wire.Writer, name wire.Name, v wire.Value) {
	b.Key(name)
	if v.IsZero() {
		b.Null()
		return
	}
	b.Value(v)
}

// sign adds the headers of a signed callback. Their form is frozen, because receivers verify
// them as docs/callbacks.md describes. The nonce is made from the key, so that all repeats of
// this callback, and no other, have it; the time is that of this attempt.
func (w *Worker) sign(ctx context.Context, req *http.Request, station, ak, key string, body []byte) error {
	of, _ := schema.CalledBack(station)
	if w.secret == nil {
		return errors.New("this worker has no secrets, and the callback is to be signed")
	}
	sk, err := w.secret(ctx, of)
	if err != nil {
		return fmt.Errorf("the callback is to be signed: %w", err)
	}
	if sk == "" { // because anyone can make a signature under it
		return fmt.Errorf("the callback is to be signed: the secret of station %s is empty; put the task type again with its sk", of)
	}
	sum := sha256.Sum256([]byte("stationmaster callback\n" + key))
	s := signature{
		method: req.Method, uri: req.URL.RequestURI(),
		time: strconv.FormatInt(time.Now().Unix(), 10), nonce: hex.EncodeToString(sum[:16]), body: body,
	}
	req.Header.Set("X-Stationmaster-Key", ak)
	req.Header.Set("X-Stationmaster-Time", s.time)
	req.Header.Set("X-Stationmaster-Nonce", s.nonce)
	req.Header.Set("X-Stationmaster-Signature", s.of(sk))
	return nil
}
