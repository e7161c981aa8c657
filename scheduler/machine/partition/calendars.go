package partition

import (
	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Calendars are those of the installation, which every partition has, and the partition's plans
// that name them.
type Calendars struct {
	Set  exclude.Set
	Rows map[string]*state.Calendar
	// Plans are in the order of lists, so that some at a time can be gone through.
	Plans map[*exclude.Rule]*btree.BTreeG[*state.Plan]
}

// Relist notes that p has the rule of its schedule, and had another before; nil: none.
func (m *Partition) Relist(p *state.Plan, before *exclude.Rule) {
	if after := p.Rule(); after != before {
		m.OnKeep(func() {
			m.Calendars.remove(p, before)
			m.Calendars.add(p, after)
		})
	}
}

func (c *Calendars) add(p *state.Plan, r *exclude.Rule) {
	if r == nil || p.Removed {
		return
	}
	if c.Plans[r] == nil {
		c.Plans[r] = btree.NewBTreeGOptions(state.ByName, btree.Options{NoLocks: true, Degree: 16})
	}
	c.Plans[r].Set(p)
}

func (c *Calendars) remove(p *state.Plan, r *exclude.Rule) {
	plans := c.Plans[r]
	if r == nil || plans == nil {
		return
	}
	if found, ok := plans.Get(p); ok && found == p {
		plans.Delete(p)
	}
	if plans.Len() == 0 {
		delete(c.Plans, r)
		c.Set.Drop(r)
	}
}

// Forget notes that p is gone.
func (c *Calendars) Forget(p *state.Plan) { c.remove(p, p.Rule()) }

// Using returns how many plans name a calendar, and the first most of them by name.
func (c *Calendars) Using(id string, most int) (count int, names []schema.PlanName) {
	found := btree.NewBTreeGOptions(state.ByName, btree.Options{NoLocks: true})
	for r, plans := range c.Plans {
		if !r.Names(id) {
			continue
		}
		count += plans.Len()
		left := most
		plans.Scan(func(p *state.Plan) bool {
			left--
			if left >= 0 {
				found.Set(p)
			}
			return left > 0
		})
	}
	found.Scan(func(p *state.Plan) bool {
		names = append(names, p.Name)
		return len(names) < most
	})
	return count, names
}

// UnwriteCalendar notes that the row of c is newer than the bucket's since a batch.
func (m *Partition) UnwriteCalendar(c *state.Calendar, batch uint64) {
	if c.Dirty == nil {
		c.Dirty = &state.DirtyRow{First: batch, C: c}
		m.Dirty.Push(c.Dirty)
	}
}

// DropCalendar forgets the row of a calendar that is gone, once the bucket knows.
func (m *Partition) DropCalendar(c *state.Calendar) {
	if c.Record == nil && c.Dirty == nil {
		delete(m.Calendars.Rows, c.ID)
	}
}
