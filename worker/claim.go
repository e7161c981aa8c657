package worker

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// claimLimits are those of an answer, because it has many executions in a list in a map.
var claimLimits = wire.Limits{Depth: executionLimits.Depth + 2, Items: schema.MaxClaim * executionLimits.Items}

// errNoScheduler is the server's answer to a claim without a subscriber.
var errNoScheduler = errors.New("no scheduler answers")

// claimAgainMost bounds the retry_after_ms of a scheduler.
const claimAgainMost = time.Minute

// A claimAnswer is the answer to a claim.
type claimAnswer struct {
	executions wire.Value    // a list
	again      time.Duration // before the next claim, because this one could not wait; 0: none
}

// readClaimed reads the answer to a claim.
func readClaimed(msg *nats.Msg) (a claimAnswer, err error) {
	if len(msg.Data) == 0 {
		return a, errNoScheduler
	}
	body, err := wire.Scan(msg.Data, claimLimits)
	if err != nil {
		return a, fmt.Errorf("read the answer: %w", err)
	}
	if list := body.Field("executions"); list.Kind() == wire.KindList {
		var hint struct {
			RetryAfterMS int64 `json:"retry_after_ms"`
		}
		if wire.Unmarshal(body, &hint) == nil && hint.RetryAfterMS > 0 {
			a.again = time.Duration(min(hint.RetryAfterMS, claimAgainMost.Milliseconds())) * time.Millisecond
		}
		a.executions = list
		return a, nil
	}
	if text, ok := body.Field("error").Field("message").Text(); ok {
		return a, errors.New(text)
	}
	return a, errors.New("read the answer: it has no executions")
}

// claimed takes over the executions of an answer, and returns their number.
func (w *Worker) claimed(list wire.Value) (n int) {
	now := time.Now()
	for _, v := range list.List() {
		n++
		x, err := w.readClaimed(v)
		if err != nil {
			w.log.Debug("claimed execution dropped", "error", err)
			continue
		}
		w.attach(x)
		if !w.table.add(x) {
			w.logOf(x).Debug("claimed execution dropped: it is under way here")
			continue
		}
		w.startHeartbeat(x, now, w.opts.RunningAfter)
		if newest := w.epochs.see(x.name.Partition, x.Epoch); x.Epoch < newest {
			w.giveBack(x) // its leader was deposed, and the new one may have timed it out
		}
		w.enqueue(x)
	}
	return n
}

// readClaimed reads one execution out of the answer to a claim.
func (w *Worker) readClaimed(v wire.Value) (*Execution, error) {
	x := &Execution{isClaimed: true, enc: v.Encoding()}
	_ = wire.DecodeLoose(v, &x.Execution) // a member that is wrong is left out, as in open
	x.reply, _ = v.Field("reply").Text()
	var ok bool
	if x.name, ok = w.space.ParseReply(x.reply); !ok {
		return nil, fmt.Errorf("%w: its reply subject %q is none of a scheduler's", errNotForUs, x.reply)
	}
	if s := w.routes.station(x.name.Station); s == nil || s.pull == nil {
		return nil, fmt.Errorf("%w: its reply subject is of station %q", errNotForUs, x.name.Station)
	}
	if x.PlanID != x.name.PlanID || x.Station != x.name.Station {
		return nil, fmt.Errorf("%w: its reply subject is of %s/%s", errNotForUs, x.name.Station, x.name.PlanID)
	}
	x.N = x.name.N
	return x, nil
}

// giveBack returns an execution that was claimed and has not begun, so that another
// worker gets it at once, and reports false when it has.
func (w *Worker) giveBack(x *Execution) bool {
	if !x.begin() {
		return false
	}
	w.report(x, schema.Reply{State: schema.StateNotWorker})
	return true
}

// madeHeader makes the headers that the message of an execution would have had.
func (x *Execution) madeHeader() nats.Header {
	h := nats.Header{
		schema.HeaderCommand:    {schema.CommandProxy},
		schema.HeaderID:         {x.PlanID},
		schema.HeaderStation:    {x.Station},
		schema.HeaderExec:       {x.Exec},
		schema.HeaderOccurrence: {strconv.FormatInt(x.Occurrence, 10)},
		schema.HeaderAttempt:    {strconv.FormatInt(x.Attempt, 10)},
		schema.HeaderTime:       {x.PlanTime.UTC().Format(time.RFC3339Nano)},
		schema.HeaderKey:        {x.Key},
		schema.HeaderEpoch:      {strconv.FormatInt(x.Epoch, 10)},
	}
	if !x.Deadline.IsZero() {
		h.Set(schema.HeaderDeadline, x.Deadline.UTC().Format(time.RFC3339Nano))
	}
	if x.Caller != "" {
		h.Set(schema.HeaderCaller, schema.HeaderText(x.Caller))
	}
	if x.Description != "" {
		h.Set(schema.HeaderTitle, schema.HeaderText(x.Description))
	}
	return h
}
