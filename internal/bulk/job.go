package bulk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A State of a job.
type State string

// States of a job; the last five are ends.
const (
	Collecting State = "collecting"
	Running    State = "running"
	Counted    State = "counted" // a dry run, which does nothing
	Done       State = "done"    // each was asked for
	Stopped    State = "stopped" // by a request, or with its node
	Refused    State = "refused" // another number matched than expected; nothing was done
	Failed     State = "failed"  // the names could not be collected; nothing was done
)

// A Refusal is one plan or task that the verb was not done to.
type Refusal struct {
	Station string        `json:"station,omitempty"` // of a plan
	PlanID  string        `json:"plan_id,omitempty"`
	Type    string        `json:"type,omitempty"` // of a task
	ID      string        `json:"id,omitempty"`
	Error   *schema.Error `json:"error"` // why
}

// Name is the plan's or the task's.
func (r *Refusal) Name() string {
	if r.Type != "" {
		return r.Type + "/" + r.ID
	}
	return r.Station + "/" + r.PlanID
}

// Progress is how far a job is.
type Progress struct {
	State    State     `json:"state"`
	Matched  int64     `json:"matched"`  // names that were collected
	Done     int64     `json:"done"`     // to which the verb was done
	Refused  int64     `json:"refused"`  // to which it was not
	Left     int64     `json:"left"`     // which are still to come, or were left when it ended
	Refusals []Refusal `json:"refusals"` // the first ones
	LeftOut  int64     `json:"left_out"` // refusals beyond those
	// Ending are the plans that were paused and have a last occurrence to come, or whose skips take all
	// that are left.
	Ending int64 `json:"ending,omitempty"`
	// Of those that match: merge queues, the items that wait in them, tasks and HTTP jobs, because a
	// filter that was meant for plans may take in these, too.
	Queues int64         `json:"queues,omitempty"`
	Items  int64         `json:"items,omitempty"`
	Tasks  int64         `json:"tasks,omitempty"`
	Jobs   int64         `json:"http_jobs,omitempty"`
	Began  time.Time     `json:"began"`           // when the order was given
	Ended  time.Time     `json:"ended,omitzero"`  // zero: it goes on
	Error  *schema.Error `json:"error,omitempty"` // why it ended before it was done
}

// A Job is an order on its way.
type Job struct {
	client *client.Client
	pace   *rate.Limiter
	now    func() time.Time
	order  *Order
	names  []schema.PlanName // those still to come, from next on

	mu   sync.Mutex
	next int
	at   Progress
}

// New makes the job of an order that was checked. Pace is shared by all jobs of a node; now
// returns the time.
func New(c *client.Client, pace *rate.Limiter, now func() time.Time, order *Order) *Job {
	return &Job{client: c, pace: pace, now: now, order: order, at: Progress{State: Collecting, Began: now().UTC(), Refusals: []Refusal{}}}
}

// Progress is how far the job is.
func (j *Job) Progress() Progress {
	j.mu.Lock()
	defer j.mu.Unlock()
	p := j.at
	p.Refusals = p.Refusals[:len(p.Refusals):len(p.Refusals)]
	return p
}

// Collect finds out which names match. An error, such as another number than expected, ends the
// job.
func (j *Job) Collect(ctx context.Context) error {
	names, err := j.collect(ctx)
	matched := int64(len(names))
	state := Failed
	switch {
	case ctx.Err() != nil:
		state, err = Stopped, context.Cause(ctx)
	case err == nil && j.order.differs(matched):
		state = Refused
		err = &schema.Error{Code: schema.CodeConflict, Field: "expect", Message: fmt.Sprintf(
			"expect is %d, and %d match, which differs by more than a tenth; nothing was done", *j.order.Expect, matched)}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.at.Matched = matched
	if err != nil {
		j.end(state, err)
		return err
	}
	if j.order.DryRun {
		j.end(Counted, nil)
		return nil
	}
	j.names, j.at.Left, j.at.State = names, matched, Running
	return nil
}

// Names are the first names that were collected, at most so many.
func (j *Job) Names(most int) []schema.PlanName { return j.names[:min(most, len(j.names))] }

// foundKind notes what is behind a plan that is collected.
func (j *Job) foundKind(view *schema.PlanView) {
	command, _ := view.Plan.Field("command").Text()
	j.mu.Lock()
	defer j.mu.Unlock()
	switch in := view.State.Inbox; {
	case in != nil && in.Key != "":
		j.at.Queues++
		j.at.Items += in.Length
	case view.KnownAs != "":
		j.at.Jobs++
	case command == schema.TaskCommand:
		j.at.Tasks++
	}
}

// found notes how many names are collected so far.
func (j *Job) found(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.at.Matched = int64(n)
}

// Run asks for the verb name by name, until all are done or the context ends; requests that are
// under way then are waited for, because it would not be known whether they were carried out.
// Requests have the attribution of the context.
func (j *Job) Run(ctx context.Context) {
	var working sync.WaitGroup
	faults := make([]any, lanes)
	for i := range lanes {
		working.Go(func() {
			defer func() { faults[i] = recover() }()
			j.work(ctx)
		})
	}
	working.Wait()
	for _, fault := range faults {
		if fault != nil {
			panic(fault) // on the caller's goroutine, who contains it
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.at.Left > 0 {
		j.end(Stopped, context.Cause(ctx))
		return
	}
	j.end(Done, nil)
}

// Fail ends a job that cannot go on.
func (j *Job) Fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.end(Failed, err)
}

// end ends the job, and forgets the names.
func (j *Job) end(state State, err error) {
	j.at.State, j.at.Ended, j.names = state, j.now().UTC(), nil
	if err == nil {
		return
	}
	j.at.Error = reported(err)
}

// reported is the error that an asker is shown.
func reported(err error) *schema.Error {
	if one, is := errors.AsType[*schema.Error](err); is {
		return &schema.Error{Code: one.Code, Field: clip(one.Field, 200), Message: clip(one.Message, 500)}
	}
	if all, is := errors.AsType[schema.Errors](err); is && len(all) > 0 {
		return reported(all[0])
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return &schema.Error{Code: schema.CodeUnavailable, Message: clip(err.Error(), 500)}
}

// work is one lane.
func (j *Job) work(ctx context.Context) {
	for {
		name, more := j.take()
		if !more || !j.turn(ctx) {
			return // the name is left
		}
		j.settle(name, j.attempt(ctx, name))
	}
}

// turn waits until one more request may be made; false: the context has ended.
func (j *Job) turn(ctx context.Context) bool {
	now := j.now()
	return ctx.Err() == nil && pause(ctx, j.pace.ReserveN(now, 1).DelayFrom(now))
}

// pause waits; false: the context ended before.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// take takes the next name; false: there is none.
func (j *Job) take() (name schema.PlanName, more bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.next == len(j.names) {
		return name, false
	}
	name = j.names[j.next]
	j.next++
	return name, true
}

// settle counts the outcome for one name.
func (j *Job) settle(name schema.PlanName, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.at.Left--
	if err == nil {
		j.at.Done++
		return
	}
	j.at.Refused++
	if len(j.at.Refusals) == mostRefusals {
		j.at.LeftOut++
		return
	}
	r := Refusal{Station: name.Station, PlanID: name.PlanID, Error: reported(err)}
	if j.order.Verb == RetryTasks {
		r = Refusal{Type: name.Station, ID: name.PlanID, Error: r.Error}
	}
	j.at.Refusals = append(j.at.Refusals, r)
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
