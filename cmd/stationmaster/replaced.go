package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A put of a station, of a task type, of a periodic task or of a secret replaces the whole
// record. A warning names the other fields that the record had, for a user who meant to
// change one field.

// replacing is the record that a put will replace; zero: there is none, or it cannot be
// read. It uses a connection of its own, because a user who may put, but not read, must
// still be able to put.
func (a *asker) replacing(cmd *cobra.Command, group string, name any) (record wire.Value) {
	err := a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
		return c.Do(ctx, group, "get", name, &record)
	})
	if err != nil {
		return wire.Value{}
	}
	return record
}

// meantAnyhow are the fields whose value is the same where a record does not have them.
var meantAnyhow = map[string]string{
	"kind": string(schema.KindAPI), "config.kind": string(schema.KindPull),
	"log": string(schema.PeriodicLogNone), "creator": "0",
}

// without is a record without the fields that a scheduler adds and no put can set.
func without(record wire.Value, fields ...string) wire.Value {
	if record.Kind() != wire.KindMap {
		return record
	}
	kept := membersOf(record)
	for _, field := range fields {
		delete(kept, field)
	}
	v, err := wire.ValueOf(record.Encoding(), kept)
	if err != nil {
		return wire.Value{} // then there is no warning
	}
	return v
}

// warnOfLost warns of fields that a record had and its replacement does not.
func warnOfLost(cmd *cobra.Command, was, is wire.Value) {
	warnOf(cmd, lostFields(cmd, "", was, is))
}

func warnOf(cmd *cobra.Command, lost []string) {
	warnReplaced(cmd, "a put replaces the whole record", lost)
}

// warnReplaced warns of fields that were lost by what happened, if there are some.
func warnReplaced(cmd *cobra.Command, happened string, lost []string) {
	if len(lost) > 0 {
		cmd.PrintErrln("warning: " + happened + ", which had these before: " + strings.Join(lost, ", "))
	}
}

// warnOfDropped warns of fields that a plan loses to another definition in its place.
func warnOfDropped(cmd *cobra.Command, fields []string) {
	warnReplaced(cmd, "the whole plan is replaced", flagsOf(cmd, fields))
}

// warnOfUpdated warns of members that a plan loses to an update of the fields that they are of.
func warnOfUpdated(cmd *cobra.Command, fields []string) {
	warnReplaced(cmd, "an update replaces a field whole", flagsOf(cmd, fields))
}

func flagsOf(cmd *cobra.Command, fields []string) []string {
	flags := make([]string, len(fields))
	for i, field := range fields {
		flags[i] = flagOf(cmd, field)
	}
	return flags
}

// lostFields are the fields that was has and is does not, by their flags where there are
// some; within is the field that both are.
func lostFields(cmd *cobra.Command, within string, was, is wire.Value) (lost []string) {
	for name, value := range was.Map() {
		field, now := within+name, is.Field(name)
		switch {
		case !now.IsZero() && now.Kind() != wire.KindNull:
			lost = append(lost, lostFields(cmd, field+".", value, now)...)
		case value.Kind() == wire.KindMap:
			if value.Len() > 0 {
				lost = append(lost, flagOf(cmd, field))
			}
		default:
			text, isText := value.Text()
			if !isText {
				text = value.String()
			}
			if text != meantAnyhow[field] {
				lost = append(lost, flagOf(cmd, field)+" "+brief(value))
			}
		}
	}
	return lost
}

// flagOf is the flag of a command that sets a field; where none does, the field.
func flagOf(cmd *cobra.Command, field string) string {
	found := field
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && fieldOf(f) == field {
			found = "--" + f.Name
		}
	})
	return found
}
