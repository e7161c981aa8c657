package front

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// importPlans creates many plans at a time. All that are right are asked for before the first
// answer is awaited, so that they share appends.
func (ps plans) importPlans(r *request) error {
	var q schema.Import
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkMany("plans, as create takes them", len(q.Plans), q.OnConflict, schema.Words("on_conflict")); err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		known, err := ps.known(ctx, r, &q)
		if err != nil {
			return nil, err
		}
		outcomes, err := ps.front.askAll(ctx, len(q.Plans), func(i int) (*creation, error) {
			d, err := ps.checked(ctx, r, q.Plans[i], schema.ParseOptions{})
			if err == nil {
				err = ps.admitCall(ctx, d)
			}
			if err != nil {
				return nil, err
			}
			d.Plan.OnConflict = cmp.Or(d.Plan.OnConflict, q.OnConflict)
			again := d.Plan.OnConflict == "" || d.Plan.OnConflict == schema.ConflictError
			if !again && known[ps.front.config.Space.Result(d.Plan.Station, d.Plan.PlanID)] != 0 {
				if ended, err := ps.hasEnded(ctx, d, neverRan); err != nil || ended {
					return nil, cmp.Or(err, errFinished)
				}
			}
			return &creation{d, q.Plans[i], command.CreatePlan{Definition: d, Trace: r.trace}}, nil
		})
		if err != nil {
			return nil, err
		}
		return r.imported(outcomes), nil
	})
}

// checkMany checks a request with n plans, a list of nouns, and its conflict policy for
// those that exist.
func (r *request) checkMany(nouns string, n int, c schema.OnConflict, allowed []string) error {
	switch {
	case r.body.Field("plans").IsZero():
		return r.invalid("plans", "plans is missing; it is a list of %s", nouns)
	case n > maxImport:
		return r.invalid("plans", "plans has %d items; at most %d are taken at a time", n, maxImport)
	case c != "":
		return among(r, allowed, "on_conflict", string(c))
	}
	return nil
}

// An outcome is the result of one plan of an import.
type outcome struct {
	created    bool
	onConflict schema.OnConflict
	ended      bool // it was created, and is gone, because its times had passed
	late       bool // it was created, and runs at once, because its time had passed
	dropped    []string
	idle       []string
	err        error
}

// became notes the answer to c, at now.
func (o *outcome) became(c *creation, created schema.Created, err error, now time.Time) {
	p := &c.definition.Plan
	o.created, o.dropped, o.err = created.Created, created.Dropped, err
	o.idle = p.IdleFields()
	switch {
	case err != nil:
	case created.Created:
		o.ended = created.State == schema.StatusClosed && created.Reason == schema.ReasonSkipped
		o.late = !o.ended && p.NoKeep && !p.PlanTime.IsZero() && p.PlanTime.Before(now)
	case p.OnConflict == schema.ConflictUpdate:
		o.ended = created.State == schema.StatusClosed && created.Reason == schema.ReasonSkipped
	case created.State == schema.StatusClosed && p.OnConflict == schema.ConflictKeep:
		o.err = errFinished // moments ago, because a leader knows that before the result is stored
	}
}

// createdBy is the answer to a command that makes a plan, or to a dry run of one.
func createdBy(answer any) schema.Created {
	if dry, is := answer.(schema.DryRun); is {
		return schema.Created{State: dry.State, Created: dry.Created, Reason: dry.Reason, Dropped: droppedBy(dry)}
	}
	created, _ := answer.(schema.Created)
	return created
}

// droppedBy are the fields of the definition that a dry run would take away.
func droppedBy(dry schema.DryRun) []string {
	was, is := map[string]wire.Value{}, map[string]wire.Value{}
	for _, c := range dry.Changes {
		if !c.Before.IsZero() {
			was[c.Field] = c.Before
		}
		if !c.After.IsZero() {
			is[c.Field] = c.After
		}
	}
	return command.DroppedOfPlan(was, is)
}

// A creation is the command that makes one plan of many, and how it was asked for.
type creation struct {
	definition *schema.Definition
	asked      wire.Value
	command    command.Command
}

// askAll asks for n plans, which prepare makes, and waits for all answers. An error means that
// it did not get them in time.
func (f *Front) askAll(ctx context.Context, n int, prepare func(i int) (*creation, error)) ([]outcome, error) {
	outcomes := make([]outcome, n)
	done := make(chan struct{})
	var left atomic.Int64
	left.Store(int64(n) + 1)
	settle := func() {
		if left.Add(-1) == 0 {
			close(done)
		}
	}
	for i := range n {
		c, err := prepare(i)
		if err != nil {
			outcomes[i].err = err
			settle()
			continue
		}
		outcomes[i].onConflict = c.definition.Plan.OnConflict
		f.passBy(ctx, f.placeOf(c.definition), c.command, func(answer any, err error) {
			outcomes[i].became(c, createdBy(answer), naming(c.definition, c.asked, err), f.config.Now())
			settle()
		})
	}
	settle()
	select {
	case <-done:
		return outcomes, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// imported counts the outcomes.
func (r *request) imported(outcomes []outcome) *schema.Imported {
	out := &schema.Imported{DryRun: r.dry}
	size := 0
	idle := func(i int, o outcome) {
		if len(o.idle) > 0 {
			out.Idle = append(out.Idle, schema.ImportDropped{Index: int64(i), Fields: shortFields(o.idle, &size)})
		}
	}
	for i, o := range outcomes {
		switch {
		case errors.Is(o.err, errFinished):
			out.Kept++
			out.Finished = append(out.Finished, int64(i))
		case o.err != nil:
			out.Errors = append(out.Errors, schema.ImportError{Index: int64(i), Error: r.shortError(o.err, &size)})
		case o.created:
			out.Created++
			idle(i, o)
			if o.ended {
				out.Ended = append(out.Ended, int64(i))
			} else if o.late {
				out.Late = append(out.Late, int64(i))
			}
		case o.onConflict == schema.ConflictUpdate:
			out.Updated++
			idle(i, o)
			if o.ended {
				out.Ended = append(out.Ended, int64(i))
			}
			if len(o.dropped) > 0 {
				out.Dropped = append(out.Dropped, schema.ImportDropped{Index: int64(i), Fields: shortFields(o.dropped, &size)})
			}
		default:
			out.Kept++
		}
	}
	return out
}

// shortError shortens err to the error of one plan of many; size is the total so far. The
// answer must fit into a message and still name each plan.
func (r *request) shortError(err error, size *int) *schema.Error {
	e := r.userErrors(err)[0]
	if *size += len(e.Message) + len(e.Field); *size > maxImportErrors {
		e.Message = "as wrong as those before it, too many to say how; send it by itself"
	}
	return e
}

// shortFields are fields of a plan, or none where the answer has no room for them.
func shortFields(fields []string, size *int) []string {
	for _, f := range fields {
		*size += len(f)
	}
	if *size > maxImportErrors {
		return []string{}
	}
	return fields
}

// maxImportErrors bounds the errors and fields in the answer of an import, in bytes. Some control
// characters take six in JSON.
const maxImportErrors = 64 << 10
