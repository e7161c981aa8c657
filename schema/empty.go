package schema

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// RefuseEmptyInPlan is [RefuseEmpty] of changes to a plan, which would be another one without these.
func RefuseEmptyInPlan(changes wire.Value) error {
	return RefuseEmpty(CodeInvalidPlan, changes, "plan_id", "plan_type", "cron", "timezone")
}

// RefuseEmpty refuses a request in which one of some fields is an empty text, as an unset variable is,
// because it would mean the default, which was not asked for. The error is [Errors], with that code.
func RefuseEmpty(code Code, v wire.Value, fields ...string) error {
	c := checker{code: code}
	c.refuseEmpty(v, fields...)
	if len(c.errs) > 0 {
		return c.errs
	}
	return nil
}

func (c *checker) refuseEmpty(v wire.Value, fields ...string) {
	for _, name := range fields {
		c.notEmpty(name, v.Field(name))
	}
}

func (c *checker) notEmpty(name string, v wire.Value) {
	if text, is := v.Text(); is && text == "" {
		c.errs = append(c.errs, &Error{
			Code: c.code, Field: name,
			Message: fmt.Sprintf("%s is empty, as an unset variable is: leave it out, or give it a value", name),
		})
	}
}

// emptyFields refuses a plan that would be another one because of an empty text: without its type, or
// a cron expression, it would run once, at once.
func (c *checker) emptyFields(members []wire.Member, p *Plan) {
	for _, m := range members {
		switch m.Name {
		case "plan_id", "plan_type", "timezone":
			c.notEmpty(m.Name, m.Value)
		case "cron":
			if p.PlanType == "" {
				c.notEmpty(m.Name, m.Value)
			}
		}
	}
}
