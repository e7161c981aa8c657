package schema

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const giveValue = "leave it out, or give it a value"

// RefuseEmpty refuses a request in which one of some fields is an empty text, as an unset variable is,
// because it would mean the default, which was not asked for. The error is [Errors], with that code.
func RefuseEmpty(code Code, v wire.Value, fields ...string) error {
	return refuseEmpty(code, v, giveValue, fields)
}

// RefuseEmptyChange is [RefuseEmpty] of changes to a record, in which null is the default.
func RefuseEmptyChange(code Code, changes wire.Value, fields ...string) error {
	return refuseEmpty(code, changes, giveValue+", or null for its default", fields)
}

func refuseEmpty(code Code, v wire.Value, remedy string, fields []string) error {
	c := checker{code: code}
	for _, name := range fields {
		c.notEmpty(name, v.Field(name), remedy)
	}
	if len(c.errs) > 0 {
		return c.errs
	}
	return nil
}

func (c *checker) notEmpty(name string, v wire.Value, remedy string) {
	if text, is := v.Text(); is && text == "" {
		c.fail(name, "%s is empty, as an unset variable is: %s", name, remedy)
	}
}

// emptyFields refuses a plan that would be another one because of an empty text: without its type, or
// a cron expression, it would run once, at once.
func (c *checker) emptyFields(members []wire.Member, p *Plan) {
	for _, m := range members {
		switch m.Name {
		case "plan_id", "plan_type", "timezone":
			c.notEmpty(m.Name, m.Value, giveValue)
		case "cron":
			if p.PlanType == "" {
				c.notEmpty(m.Name, m.Value, giveValue)
			}
		}
	}
}

// guards are the members of a request that keep it from being carried out, or from what it was not
// meant for.
var guards = []string{"dry_run", "revision", "incarnation", "version"}

// RefuseNullGuards refuses a request, which is any value, with a guard that is null, as an unset
// variable is, because it would be carried out as if there were none.
func RefuseNullGuards(code Code, request wire.Value) error {
	c := checker{code: code}
	for name, v := range request.Map() {
		if v.Kind() == wire.KindNull && slices.Contains(guards, name) {
			c.fail(name, "%s is null, as an unset variable is: %s", name, giveValue)
		}
	}
	if len(c.errs) > 0 {
		return c.errs
	}
	return nil
}
