package sim

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// viewsOf asks a machine for all its plans, at a moment.
func viewsOf(w *world, m *machine.Machine, now time.Time) map[schema.PlanName]command.PlanView {
	all := map[schema.PlanName]command.PlanView{}
	var slice command.PlanSlice
	for more := true; more; more = slice.More {
		slice = askMachine(w, m, now, command.ListPlans{Limit: 1, After: slice.Last}).(command.PlanSlice)
		for _, view := range slice.Plans {
			station, _ := view.Plan.Field("station").Text()
			id, _ := view.Plan.Field("plan_id").Text()
			all[schema.PlanName{Station: station, PlanID: id}] = view
		}
	}
	return all
}

// askMachine sends a machine a read-only command.
func askMachine(w *world, m *machine.Machine, now time.Time, what command.Command) any {
	var ev event.Event = event.Ask{From: w, What: what}
	for range 3 {
		b := batch.New(capacity)
		b.Reset(0)
		w.mishaps.spared = true
		m.Step(now, ev, b)
		w.mishaps.spared = false
		switch e := b.Effects[0].(type) {
		case event.Answer:
			return e.Body
		case event.Fetch:
			raw := w.disk.bucket[storage.PlanKey(e.Name.Station, e.Name.PlanID)]
			if !e.Want.Of(raw) {
				w.fail("%s is evicted, and the bucket does not have it", e.Name)
			}
			ev = event.Fetched{Fetch: e, Raw: raw}
		}
	}
	w.fail("%T is not answered, though all was read for it", what)
	return nil
}

// missing fails: the bucket has every definition that left memory.
func (b *planModel) missing(e event.Missing) {
	if b.current[e.Name] != nil {
		b.w.fail("%s: its definition is reported lost", e.Name)
	}
}

// mayFindGap checks that only a deposed leader finds the journal purged before it has read it.
func mayFindGap(l *leader, next uint64) {
	if d := l.w.disk; d.newest().epoch <= l.epoch {
		l.w.fail("epoch %d is to replay from append %d on, and the journal begins at %d", l.epoch, next, d.first)
	}
}

// loaded checks a leader's loaded plans against the models: no plan is lost or old, and no removed
// plan is back.
func (c *checker) loaded(l *leader) {
	c.epoch = max(c.epoch, l.epoch) // from now on no earlier leader writes
	if c.w.disk.last != l.seq {
		return // it was deposed while it loaded, and will notice
	}
	views := viewsOf(c.w, l.m, l.n.clock())
	for _, name := range slices.SortedFunc(maps.Keys(views), compareNames) {
		if c.plans.current[name] == nil {
			c.w.fail("epoch %d loads %s, which is gone", l.epoch, name)
		}
	}
	for _, name := range c.plans.names() {
		book := c.plans.current[name]
		view, there := views[name]
		switch {
		case book.record.Closing && !there:
			continue // it is not shown
		case !there:
			c.w.fail("epoch %d does not load %s (%s)", l.epoch, name, l.complaint)
		}
		st := view.State
		if st.N != book.record.N || st.Revision != book.record.Revision || st.RealRepet != book.real || st.SkipNum != book.skips {
			c.w.fail("epoch %d loads %s at n %d, revision %d, %d run, %d skipped; it is at n %d, revision %d, %d, %d", l.epoch, name,
				st.N, st.Revision, st.RealRepet, st.SkipNum, book.record.N, book.record.Revision, book.real, book.skips)
		}
	}
	c.stations.loaded(l)
	c.calendars.loaded(l)
	c.plans.loadedInboxes(l, views)
}

// wentOn checks that no other leader has led in place of one that goes on.
func (c *checker) wentOn(l *leader) {
	if l.ledBy > l.epoch {
		c.w.fail("epoch %d goes on, and epoch %d has led", l.epoch, l.ledBy)
	}
}

// compare checks, when a leader is idle, that the durable rows make a machine equal to its own, and
// that rows are read as they were written.
func (c *checker) compare(l *leader) {
	if l.over || !l.leads || l.n.frozen || l.batch == nil || !l.batch.Empty() || l.flying != nil || len(l.durable) > 0 || l.seq != c.w.disk.last {
		return
	}
	again := replay(c.w)
	c.plans.rewritten(again)
	again.Lead(l.n.clock(), l.epoch+1, l.n.clock()) // because it looks ahead by calendars that come later in the journal than their plans
	live, replayed := viewsOf(c.w, l.m, l.n.clock()), viewsOf(c.w, again, l.n.clock())
	for _, name := range c.plans.names() {
		if is, want := c.show(name, replayed[name]), c.show(name, live[name]); is != want {
			c.w.fail("%s was replayed as\n%s\nand is\n%s", name, is, want)
		}
		if in := c.plans.current[name].inbox; in != nil {
			in.shown(live[name])
		}
	}
	c.rests(l, again)
	c.explains(l)
	c.plans.keepsTime(l, live)
	c.calendars.shows(l, live)
}

// show is a view without the members that a successor determines anew: when an execution that
// reached no worker was last published, and the time of one without.
func (c *checker) show(name schema.PlanName, view command.PlanView) string {
	st := view.State
	st.Waits = nil // a successor learns its waits anew
	for i := range st.Open {
		for j := range st.Open[i].Executions {
			x := &st.Open[i].Executions[j]
			if c.plans.current[name].taken[x.N] != nil {
				x.PingExpireTime = time.Time{} // a successor begins that wait anew
				if c.plans.current[name].deadline[x.N].IsZero() {
					x.Deadline = time.Time{} // pings stood in for it, and do no longer
					if st.Inbox != nil {
						st.PlanTime = time.Time{} // that deadline
					}
				}
			}
			if c.sends.again(execID{c.plans.current[name].incarnation, x.N}) {
				x.Deadline = time.Time{}
				if st.Inbox != nil {
					st.PlanTime = time.Time{} // that deadline
				}
			}
		}
	}
	if v := c.plans.current[name].plan.PlanValue; v != nil && *v == 0 {
		st.PlanTime = time.Time{}
	}
	text, err := wire.Marshal(wire.JSON, st) // which includes the values that it points to
	if err != nil {
		c.w.fail("%s: write how it stands: %v", name, err)
	}
	return fmt.Sprintf("%s %s", view.Plan, text)
}

// replay makes a machine of the durable rows.
func replay(w *world) *machine.Machine {
	d, m := w.disk, w.newMachine(nil)
	for _, key := range slices.Sorted(maps.Keys(d.bucket)) {
		_ = m.ReplayBucket(key, d.bucket[key]) // an error that still matters at the end is reported there
	}
	for _, i := range d.items {
		m.ReplayItem(i.name, i.incarnation, i.n, i.size)
	}
	for seq := max(d.table.fence.upTo.Seq, 1); seq <= d.last; seq++ {
		a, ok := d.at(seq)
		if !ok {
			w.fail("append %d is gone, and the checkpoint is %v", seq, d.table.fence.upTo)
		}
		body := bytes.Clone(a.body)
		if err := event.Rows(body, func(r event.Row) error {
			if r.Kind != event.RowResult {
				_ = m.Replay(seq, r)
			}
			return nil
		}); err != nil {
			w.fail("append %d: %v", seq, err)
		}
		clear(body) // the machine keeps none of it
	}
	return m
}

// rewritten checks that the rows for the bucket equal those of the journal.
func (b *planModel) rewritten(m *machine.Machine) {
	batch := batch.New(capacity)
	batch.Reset(1)
	m.Step(b.w.now, event.Flush{Max: 1000, Force: true}, batch)
	for _, row := range batch.Effects[0].(event.Write).Rows {
		kind, station, id, ok := storage.ParseKey(row.Key)
		l := b.current[schema.PlanName{Station: station, PlanID: id}]
		if !ok || kind != storage.KeyState || len(row.Value) == 0 {
			continue
		}
		if l == nil {
			b.w.fail("%s is to be written, and is gone", row.Key)
		}
		if want := wire.Trust(wire.MsgPack, l.raw).AppendTo(nil, wire.Detect(row.Value)); !bytes.Equal(want, row.Value) {
			b.w.fail("%s is to be written as %s, and is %s", row.Key, row.Value, want)
		}
	}
}

// over reports that no plan is left, and no message of any is on its way.
func (c *checker) over() bool {
	if len(c.plans.current) > 0 || c.results.missing() > 0 || c.items.missing() > 0 {
		return false
	}
	for key := range c.w.disk.bucket {
		if !stays(key) {
			return false
		}
	}
	return true
}

// stays reports that a key of the bucket may be there when no plan is left.
func stays(key string) bool {
	return strings.HasPrefix(key, "station.") || strings.HasPrefix(key, "calendar.") || strings.HasPrefix(key, "closed.")
}

// unfinished lists the remaining work.
func (c *checker) unfinished() string {
	var left []string
	for _, name := range c.plans.names() {
		l := c.plans.current[name]
		left = append(left, fmt.Sprintf("%s %s", name, wire.Trust(wire.MsgPack, l.raw)))
	}
	for _, key := range slices.Sorted(maps.Keys(c.w.disk.bucket)) {
		if !stays(key) {
			left = append(left, key)
		}
	}
	return fmt.Sprintf("%d results and %d items are not stored; %s", c.results.missing(), c.items.missing(), strings.Join(left, "; "))
}
