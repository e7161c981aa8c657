package partition

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Enter puts p, whose station is known, into the table.
func (m *Partition) Enter(p *state.Plan) {
	m.Save(p)                       // includes the counts of its station
	p.Name.Station = p.Station.Name // one copy of the name for all its plans
	p.Handle = m.Handles.Give(p)
	handle := p.Handle
	m.OnUndo(func() { m.Handles.TakeBack(handle) })
	p.Station.Plans++
	m.setName(p)
	m.CountPlan(p, 1)
	m.Relist(p, nil)
}

// Exit removes p from the maps by name. The rest of its turn goes on as if there were no such
// plan.
func (m *Partition) Exit(p *state.Plan) {
	p.Removed = true
	delete(m.Plans, p.Name)
	m.Sorted.Delete(p)
	m.Checksum.move(p.Name, -1)
	indexed := m.InboxPlans[p.Name.PlanID] == p
	if indexed {
		delete(m.InboxPlans, p.Name.PlanID)
	}
	m.OnUndo(func() {
		m.Plans[p.Name] = p
		m.Sorted.Set(p)
		if indexed {
			m.InboxPlans[p.Name.PlanID] = p
		}
	})
}

// setName adds p to the maps by name.
func (m *Partition) setName(p *state.Plan) {
	m.Plans[p.Name] = p
	m.Sorted.Set(p)
	m.Checksum.move(p.Name, 1)
	m.OnUndo(func() {
		delete(m.Plans, p.Name)
		m.Sorted.Delete(p)
	})
}

// Prepare gives p, which is not in the table yet, its definition and its station.
func (m *Partition) Prepare(p *state.Plan, d *schema.Definition) error {
	if err := p.Define(d, &m.Calendars.Set); err != nil {
		return err
	}
	p.Station = m.Station(p.Name.Station)
	m.Agree(p, &d.Plan)
	if err := p.TooLarge(); err != nil {
		m.DropStation(p.Station)
		return err
	}
	return nil
}

// Readable refuses to overwrite a plan that is stored and cannot be read.
func (m *Partition) Readable(name schema.PlanName) error {
	err := m.Broken[name]
	if err == nil {
		return nil
	}
	return &schema.Error{
		Code: schema.CodeConflict, Field: "plan_id",
		Message: fmt.Sprintf("%s is stored, but cannot be read (%v); it is neither run nor overwritten: use another plan_id, and tell your operator", name, err),
	}
}

// Find returns the plan with a name, nil if there is none. A name without a station is the name
// of a merge queue, known by its id alone.
func (m *Partition) Find(name schema.PlanName) *state.Plan {
	if name.Station == "" {
		return m.InboxPlans[name.PlanID]
	}
	return m.Plans[name]
}

// ActsOn is the moment since when a leader acts on p: occurrences due before it were missed. It
// is a whole millisecond, because the moment at which a plan is accepted is one, and an
// occurrence in the same millisecond was not missed.
func (m *Partition) ActsOn(p *state.Plan) unit.Moment { return max(m.Since/1000*1000, m.Restored[p]) }

// IndexInbox indexes p by its id alone, because requests name merge queues so. A plan that
// delivers callbacks is left out, because its id is another plan's.
func (m *Partition) IndexInbox(p *state.Plan) {
	if _, calls := schema.CalledBack(p.Name.Station); p.Inbox == nil || calls {
		return
	}
	id := p.Name.PlanID
	before, was := m.InboxPlans[id]
	m.InboxPlans[id] = p
	m.OnUndo(func() {
		if delete(m.InboxPlans, id); was {
			m.InboxPlans[id] = before
		}
	})
}

// RoomFor refuses an item of size bytes for p, which may be nil, if too many items wait.
func (m *Partition) RoomFor(p *state.Plan, size int) error {
	switch {
	case p != nil && p.Inbox != nil && p.Inbox.Length() >= schema.MaxItems:
		return &schema.Error{
			Code:    schema.CodeTooLarge,
			Message: fmt.Sprintf("%d items wait at %s, and no more are taken before some are completed", p.Inbox.Length(), p.Name),
		}
	case m.Config.InboxBytes > 0 && m.InboxBytes+int64(size)+p.ItemOverhead() > m.Config.InboxBytes:
		return &schema.Error{
			Code:    schema.CodeUnavailable,
			Message: "the store of queued items is full; push again when some are completed, or give stream PLAN_QUEUES more bytes",
		}
	}
	return nil
}

// ForgetItems subtracts the items before first from the sizes.
func (m *Partition) ForgetItems(p *state.Plan, first int64) {
	had, bytes := len(p.Inbox.Sizes.List), p.Inbox.Sizes.Bytes
	p.Inbox.Sizes.Trim(first)
	m.InboxBytes -= bytes - p.Inbox.Sizes.Bytes + int64(had-len(p.Inbox.Sizes.List))*p.ItemOverhead()
}

// A Quota bounds the plans of a tenant at a time. It belongs to the installation, and is
// divided among the partitions like the limit of a station, because a leader does not know the
// plans of another partition. Only a leader counts and refuses, because replayed plans were
// accepted under the quota of their time. Plans that deliver callbacks do not count, because
// the scheduler creates them.
type Quota struct {
	Most  int64                   // plans of a tenant in this partition; 0: any number
	Plans map[schema.Tenant]int64 // tenants with plans; nil: plans are not counted
}

// CountPlan adds by, 1 or -1, to the plans of p's tenant.
func (m *Partition) CountPlan(p *state.Plan, by int64) {
	if m.Quota.Plans == nil || p.DeliversCallbacks() {
		return
	}
	t := p.Tenant()
	m.Quota.count(t, by)
	m.OnUndo(func() { m.Quota.count(t, -by) })
}

func (q *Quota) count(t schema.Tenant, by int64) {
	if q.Plans[t] += by; q.Plans[t] == 0 {
		delete(q.Plans, t)
	}
}

// Admits refuses p, a new plan, if the quota of its tenant is used up.
func (m *Partition) Admits(p *state.Plan) error {
	if m.Quota.Plans == nil || p.DeliversCallbacks() {
		return nil
	}
	t := p.Tenant()
	has := m.Quota.Plans[t]
	if has < m.Quota.Most {
		return nil
	}
	m.Counts.OverQuota++
	where := ""
	if m.Config.Partitions > 1 {
		where = fmt.Sprintf(" in one of %d partitions", m.Config.Partitions)
	}
	return &schema.Error{
		Code: schema.CodeQuotaExceeded, TenantID: t.ID,
		Message: fmt.Sprintf("the quota of plans%s is used up, %d of %d, for %s: close or remove some, or have your operator give more (--tenant-plans)",
			where, has, m.Quota.Most, t),
	}
}
