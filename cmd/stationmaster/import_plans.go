package main

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// plan enters a plan into the next request, and sends that when it is full.
func (r *restorer) plan(number int64, p schema.PlanCopy) error {
	if _, err := p.Definition(); err != nil {
		r.refuse(number, &r.done.Refused.Plans, err)
		return nil
	}
	r.secrets.ofPlan(p)
	if r.paused {
		var err error
		if p, err = pausedCopy(p); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if p.Inbox != nil {
		return r.inbox(number, p)
	}
	size := len(p.Plan.Raw()) + len(p.Raw) + len(p.Record.Raw())
	if len(r.plans) == importPlans || r.bytes+size > importBytes && r.bytes > 0 {
		if err := r.send(); err != nil {
			return err
		}
	}
	r.plans, r.lines = append(r.plans, p), append(r.lines, number)
	r.bytes += size
	return nil
}

// inbox restores some of the items of a plan's inbox, in a request of their own, because
// further items of the inbox come behind them.
func (r *restorer) inbox(number int64, p schema.PlanCopy) error {
	name, err := nameOfCopy(p)
	if err != nil {
		r.refuse(number, &r.done.Refused.Plans, err)
		return nil
	}
	goes := p.Items != nil && p.Items.Goes
	if goes && name == r.left {
		*r.leftTo += itemsIn(p)
		return nil
	}
	if err := r.send(); err != nil {
		return err
	}
	before := r.done
	r.plans, r.lines = append(r.plans, p), append(r.lines, number)
	if err := r.send(); err != nil {
		return fmt.Errorf("%s may have some of its items now; remove it before you import again: %w", planOfCopy(p), err)
	}
	switch {
	case r.done.Kept.Plans > before.Kept.Plans:
		r.left, r.leftTo = name, &r.done.Kept.Items
	case r.done.Restored.Plans > before.Restored.Plans:
		r.left, r.leftTo = schema.PlanName{}, &r.done.Restored.Items
	default:
		r.left, r.leftTo = name, &r.done.Refused.Items
	}
	*r.leftTo += itemsIn(p)
	if r.left == name {
		return nil
	}
	if goes {
		r.done.Restored.Plans-- // it was counted with the first items
	}
	return nil
}

// send restores the collected plans.
func (r *restorer) send() error {
	if len(r.plans) == 0 {
		return nil
	}
	plans, lines := r.plans, r.lines
	r.plans, r.lines, r.bytes = nil, nil, 0
	answer, err := r.ask(plans)
	if err != nil {
		return fmt.Errorf("lines %d to %d: %w", lines[0], lines[len(lines)-1], err)
	}
	r.done.Restored.Plans += answer.Created
	r.done.Kept.Plans += answer.Kept
	for _, i := range answer.Finished {
		if i >= 0 && i < int64(len(plans)) {
			text := endedText
			if plans[i].Inbox != nil {
				text = handedText
			}
			r.errs.report(r.complain, lines[i], planOfCopy(plans[i])+text)
		}
	}
	for _, e := range answer.Errors {
		if e.Index < 0 || e.Index >= int64(len(lines)) || e.Error == nil {
			return fmt.Errorf("the scheduler complains about plan %d of %d", e.Index, len(lines))
		}
		if r.awaits(plans[e.Index], e.Error) {
			r.done.Restored.Plans++
			continue
		}
		why := error(e.Error)
		if e.Error.Code == schema.CodeAlreadyExists { // a restore does not update it
			why = fmt.Errorf("%s: it exists; --on-conflict keep leaves it as it is", e.Error.Code)
		} else if e.Error.Code == schema.CodeConflict {
			why = fmt.Errorf("%s: %s", e.Error.Code, inCommands(replaceOutside(e.Error.Message, "on_conflict", "--on-conflict")))
		}
		r.refuse(lines[e.Index], &r.done.Refused.Plans, fmt.Errorf("%s: %w", planOfCopy(plans[e.Index]), why))
	}
	return nil
}

// handedText is the report about a queue whose items are not put into it again.
const handedText = " has handed items over here since the backup: its items are left out; queue push puts items in anew"

// ask has the scheduler restore plans, or foresee that.
func (r *restorer) ask(plans []schema.PlanCopy) (*schema.Imported, error) {
	if !r.dry {
		return r.client.Plans().Restore(r.ctx, plans, r.onConflict)
	}
	request := struct {
		schema.Restore
		DryRun bool `json:"dry_run"`
	}{schema.Restore{OnConflict: r.onConflict}, true}
	for _, p := range plans {
		sent, err := p.In(wire.MsgPack)
		if err != nil {
			return nil, err
		}
		request.Plans = append(request.Plans, sent)
	}
	var answer schema.Imported
	err := r.client.Do(r.ctx, "plans", "restore", &request, &answer)
	return &answer, err
}

// planOfCopy names a plan as its definition does, or a merge queue by its key, for people.
func planOfCopy(p schema.PlanCopy) string {
	if p.Inbox != nil && p.Inbox.Key != "" {
		return "queue " + p.Inbox.Key
	}
	name, err := nameOfCopy(p)
	if err != nil {
		return "?"
	}
	return name.Station + "/" + name.PlanID
}

func nameOfCopy(p schema.PlanCopy) (name schema.PlanName, err error) {
	definition, err := p.Definition()
	if err != nil {
		return name, err
	}
	return planNameOf(definition), nil
}
