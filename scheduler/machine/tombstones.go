package machine

import (
	"fmt"
	"strconv"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// closedBefore answers a create whose plan has closed by itself a short while ago, if c is the
// request that made it, repeated with keep. One without keep that may be older than such a
// repetition is refused, because it would run the plan a second time.
func (t *turn) closedBefore(c command.CreatePlan, name schema.PlanName) (answer schema.Created, done bool, err error) {
	keeps := c.Definition.Plan.OnConflict == schema.ConflictKeep
	was := t.Tombstones.Find(name, c.Definition.Raw, t.Now)
	switch {
	case was != nil && keeps:
		t.keepClosed(was)
	case was != nil && was.Kept && !t.asksAfter(was.At):
		return schema.Created{}, false, &schema.Error{
			Code: schema.CodeAlreadyExists, Field: "plan_id",
			Message: fmt.Sprintf("%s was created with on_conflict keep, ran, and closed at %v; this request may be older, and is not carried out for two minutes since: "+
				"say until when you wait, in the header %s, or use another plan_id", name, was.At.Time().Format(time.RFC3339), schema.HeaderAnswerBy),
		}
	case keeps && c.Task && t.Tombstones.Named(name, t.Now):
	default:
		return schema.Created{}, false, nil
	}
	return schema.Created{PlanID: name.PlanID, Station: name.Station, State: schema.StatusClosed}, true, nil
}

// asksAfter reports that the request came after a moment, and not late, out of a buffer, because
// its asker waits for longer than that, and an asker gives a request up before repeating it.
func (t *turn) asksAfter(at unit.Moment) bool { return t.by > at.After(command.ClockAllowance) }

// keepClosed notes that a plan which has closed was created again with keep.
func (t *turn) keepClosed(was *table.Tombstone) {
	if was.Kept {
		return
	}
	t.OnKeep(func() {
		was.Kept = true
		t.Tombstones.Unwrite(was.Tombstone, t.Batch.Number)
	})
	for range 2 { // a follower that has the tombstone from the bucket takes one for the row that removed the plan
		t.Batch.AppendRow(event.RowDefinition, was.Name, int64(was.At), nil)
	}
}

// keep notes that p was created again with keep, by a publisher that has this definition of it.
func (t *turn) keep(p *state.Plan, raw []byte) {
	if !p.Kept && !p.Closing && t.SameDefinition(p, raw) {
		p.Kept = true
		t.Touch(p)
	}
}

// replayClosed takes over a row of tombstones. A row that cannot be read is removed by a leader.
func (m *Machine) replayClosed(r event.Row) error {
	closed, err := state.ParseTombstones(r.Value)
	m.part.Tombstones.Load(uint64(r.N), closed)
	if err != nil {
		return fmt.Errorf("replay plans that closed: %w", err)
	}
	return nil
}

// rewriteClosed has all tombstones written again, and the row of a number removed, because another
// writer has overwritten it in the bucket.
func (t *turn) rewriteClosed(number string) {
	if n, err := strconv.ParseUint(number, 10, 64); err == nil {
		t.Tombstones.Rewrite(n, t.Batch.Number)
	}
}

const (
	// tombstonesOfRow bounds the tombstones of a row of the bucket, so that it is a message of some
	// ten kilobytes.
	tombstonesOfRow = 500
	// rowRoom is how many rows a plan may take in a Write.
	rowRoom = 2
)

// bury hands out the tombstones that the bucket lacks, and the removal of rows that are not needed
// any more. They have rows of their own, of many, because most plans that close were never in the
// bucket, and a row for each would cost more than the plans. They come before the row of their
// plan is removed, because a follower has the hash of its definition from one of the two. It
// returns the bytes; more: some are left.
//
// A standby that takes over does not know the rows written since it read the bucket, which
// stay there until a later leader has read them.
func (t *turn) bury(out *event.Write, most int) (size int, more bool) {
	for _, number := range t.Tombstones.Expired(t.Now, most-rowRoom) {
		out.Rows = append(out.Rows, event.BucketRow{Key: storage.ClosedKey(number)})
	}
	for {
		if left, _ := t.Tombstones.Unwritten(); left == 0 {
			return size, false
		}
		if len(out.Rows)+rowRoom > most || size > flushBytes {
			return size, true
		}
		t.Incarnation++ // a number that no leader gives again
		row := event.BucketRow{
			Key:   storage.ClosedKey(t.Incarnation),
			Value: state.TombstoneRow(t.Tombstones.Write(t.Incarnation, tombstonesOfRow, t.Now)),
		}
		out.Rows = append(out.Rows, row)
		size += len(row.Value)
	}
}
