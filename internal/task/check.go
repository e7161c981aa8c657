package task

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// maxText bounds names, categories and remarks.
const maxText = 4 << 10

// A checker collects all errors of one request.
type checker struct{ errs schema.Errors }

// fail notes an error of field; one a field is enough.
func (c *checker) fail(field, format string, args ...any) {
	c.add(&schema.Error{Code: schema.CodeInvalidRequest, Field: field, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) add(e *schema.Error) {
	for _, known := range c.errs {
		if known.Field == e.Field || known.Field == "" {
			return
		}
	}
	c.errs = append(c.errs, e)
}

// addAll adds the errors in err, with their fields renamed by rename.
func (c *checker) addAll(err error, rename func(*schema.Error) *schema.Error) {
	var all schema.Errors
	var one *schema.Error
	switch {
	case errors.As(err, &all):
	case errors.As(err, &one):
		all = schema.Errors{one}
	}
	for _, e := range all {
		c.add(rename(e))
	}
}

func (c *checker) text(field, s string) {
	if len(s) > maxText {
		c.add(&schema.Error{
			Code: schema.CodeTooLarge, Field: field, Message: fmt.Sprintf("%s has %d bytes; at most %d are taken", field, len(s), maxText),
		})
	}
}

// name checks the name of a task.
func (c *checker) name(n schema.TaskName) {
	c.typeName(n.Type)
	if n.ID == "" {
		c.fail("id", "id is missing; it names the task within its type")
	} else if err := schema.CheckID(n.ID); err != nil {
		c.fail("id", "id %v", err)
	}
}

func (c *checker) typeName(code string) {
	if code == "" {
		c.fail("type", "type is missing; it is the code of the task's type")
	} else if err := schema.CheckStation(code); err != nil {
		c.fail("type", "type %v", err)
	}
}

// err returns all errors, nil when there are none.
func (c *checker) err() error {
	if len(c.errs) == 0 {
		return nil
	}
	return c.errs
}

// renamed is e with the field's name in this service. Messages begin with the field's name.
func renamed(e *schema.Error, name string) *schema.Error {
	if name == "" {
		return e
	}
	return &schema.Error{Code: e.Code, Field: name, Message: strings.Replace(e.Message, e.Field, name, 1)}
}

// asked turns e, an error of the plan that a request makes, into an error of the request.
func asked(e *schema.Error) *schema.Error {
	if e.Code == schema.CodeInvalidPlan {
		return &schema.Error{Code: schema.CodeInvalidRequest, Field: e.Field, Message: e.Message}
	}
	return e
}

// clip shortens a part of a request, so that it does not fill an error.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
