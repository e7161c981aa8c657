package command

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// ClockAllowance is how much later than By a command is still carried out, because the
// requester's clock may be behind.
const ClockAllowance = 2 * time.Second

// A Dated command is one of a requester who waits for its answer until By, or is known.
type Dated struct {
	Command           // the command itself
	By      time.Time // by the requester's clock; zero: for ever
	// Asked is the attribution of the change; zero: unknown.
	Asked schema.Attribution
	// Dry: the answer is a [schema.DryRun], or that of the command; see [AnswersItself]. Nothing
	// else happens.
	Dry bool
}

// Bare is a command without its date, which is zero when it has none.
func Bare(c Command) (Command, time.Time) {
	if d, is := c.(Dated); is {
		return d.Command, d.By
	}
	return c, time.Time{}
}

// Asked is the attribution of a command; zero: unknown.
func Asked(c Command) schema.Attribution {
	d, _ := c.(Dated)
	return d.Asked
}

// IsDry reports that a command is a dry run, which answers with its outcome and has no other
// effect.
func IsDry(c Command) bool {
	d, _ := c.(Dated)
	return d.Dry
}

// AnswersItself reports that the answer to a dry run of c is the one that c would have, because c
// changes no field of a plan that could be compared.
func AnswersItself(c Command) bool {
	bare, _ := Bare(c)
	switch bare.(type) {
	case PutCalendar, DropItems:
		return true
	}
	return false
}

// TooLate returns an error when now is past the moment until which the requester waits;
// zero: it waits for ever.
func TooLate(by, now time.Time) error {
	if by.IsZero() || now.Sub(by) <= ClockAllowance {
		return nil
	}
	return &schema.Error{Code: schema.CodeUnavailable, Message: fmt.Sprintf(
		"the request came %v after its sender had given up, by its header %s, and nothing was done; a sender that still waits has a clock that is behind ours",
		now.Sub(by).Round(time.Millisecond), schema.HeaderAnswerBy)}
}
