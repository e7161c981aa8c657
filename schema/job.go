package schema

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Job is a command of a station together with the Go type of its arguments. A package
// that publishers and workers share declares it once, so that the compiler refuses
// arguments of another type on either side:
//
//	type ResizeArgs struct {
//		Picture string `json:"picture"`
//		Width   int    `json:"width"`
//	}
//
//	var Resize = schema.Job[ResizeArgs]{Station: "images", Command: "resize"}
//
// The arguments travel as the only message of a plan, encoded by the json tags of T as
// [wire.Marshal] encodes them. T is a struct, as a rule: members can be added to it later,
// because members that a reader does not know are ignored, and absent ones are zero.
type Job[T any] struct {
	Station string // the station of the plan, such as "images"; required
	Command string // the command of the plan, such as "resize"; required
}

// String returns STATION/COMMAND.
func (j Job[T]) String() string { return j.Station + "/" + j.Command }

// Check returns an *[Error] with the field at fault when the station is not a name, or when
// the command is empty.
func (j Job[T]) Check() error {
	if err := CheckStation(j.Station); err != nil {
		return &Error{Code: CodeInvalidPlan, Field: "station", Message: "station " + err.Error()}
	}
	if j.Command == "" {
		return &Error{Code: CodeInvalidPlan, Field: "command", Message: "command is empty"}
	}
	return nil
}

// Encode returns args as the message of a plan. It fails on data without an encoding, such
// as a channel, a number that is not finite, or a text that is not UTF-8.
func (j Job[T]) Encode(enc wire.Encoding, args T) (wire.Value, error) {
	v, err := wire.ValueOf(enc, args)
	if err != nil {
		return wire.Value{}, fmt.Errorf("arguments of %s: %w", j, err)
	}
	if err := checkTexts(args, v); err != nil {
		return wire.Value{}, fmt.Errorf("arguments of %s: %w", j, err)
	}
	return v, nil
}

// checkTexts refuses a message with a text that is not UTF-8, because it would arrive with U+FFFD
// in the place of each invalid byte. The message is searched, because it may have U+FFFD itself.
func checkTexts(message any, encoded wire.Value) error {
	if !bytes.Contains(encoded.Raw(), []byte(string(utf8.RuneError))) {
		return nil
	}
	member, wrong := wire.NotUTF8(message)
	if !wrong {
		return nil
	}
	return badMessages(member, "is not UTF-8, in which texts are sent: use []byte where it is bytes, or convert it")
}

// Decode returns the arguments that an execution's messages hold. The error wraps an
// *[Error] of code invalid_plan for each member that does not fit T, whose Field is the
// member's path, such as messages.width. A retry would fail in the same way.
func (j Job[T]) Decode(messages []wire.Value) (T, error) {
	var args T
	if len(messages) != 1 {
		return args, fmt.Errorf("arguments of %s: %w", j, badMessages("", fmt.Sprintf("takes one message, not %d", len(messages))))
	}
	err := wire.DecodeLoose(messages[0], &args)
	if err == nil {
		return args, nil
	}
	wrong := Errors{}
	if fields, is := errors.AsType[wire.FieldErrors](err); is {
		for _, f := range fields {
			wrong = append(wrong, badMessages(f.Field, f.Reason))
		}
	} else {
		wrong = append(wrong, badMessages("", err.Error()))
	}
	return args, fmt.Errorf("arguments of %s: %w", j, wrong)
}

// badMessages is the error of one member of the arguments, or of them as a whole.
func badMessages(member, reason string) *Error {
	field := "messages"
	if member != "" {
		field += "." + member
	}
	return &Error{Code: CodeInvalidPlan, Field: field, Message: reason}
}
