package command

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Dropped are the fields of the record was that the record is, which takes its place, leaves
// out, nested ones with their paths: a put answers with them, because its user may have meant to
// change another field alone. None when a record cannot be encoded.
func Dropped(was, is any) []string {
	before, err := wire.ValueOf(wire.JSON, was)
	if err != nil {
		return nil
	}
	now, err := wire.ValueOf(wire.JSON, is)
	if err != nil {
		return nil
	}
	return droppedIn("", before, now)
}

// DroppedOfPlan are those of the definition of a plan, without the fields that are of the request and
// not of the plan.
func DroppedOfPlan(was, is any) []string {
	return slices.DeleteFunc(Dropped(was, is), func(field string) bool { return field == "paused" || field == "on_conflict" })
}

func droppedIn(within string, was, is wire.Value) (fields []string) {
	for name, value := range was.Map() {
		now := is.Field(name)
		switch {
		case now.IsZero():
			fields = append(fields, within+name)
		case value.Kind() == wire.KindMap && now.Kind() == wire.KindMap:
			fields = append(fields, droppedIn(within+name+".", value, now)...)
		case value.Kind() == wire.KindList && now.Kind() == wire.KindList:
			fields = append(fields, droppedOfList(within+name, value, now)...)
		}
	}
	return fields
}

// droppedOfList are the members that maps in a list lost, as the headers of a message, and the first of
// the maps that a shorter list lacks.
func droppedOfList(name string, was, is wire.Value) (fields []string) {
	now := is.Elements()
	for i, value := range was.List() {
		switch at := fmt.Sprintf("%s[%d]", name, i); {
		case value.Kind() != wire.KindMap:
		case i >= len(now):
			return append(fields, at)
		case now[i].Kind() == wire.KindMap:
			fields = append(fields, droppedIn(at+".", value, now[i])...)
		}
	}
	return fields
}
