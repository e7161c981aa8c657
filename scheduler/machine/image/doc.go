// Package image describes a machine with all that it knows, for tests that compare it with itself at
// an earlier moment, such as before a step that is undone. It is text, because a copy would need a
// copier for each type that a machine reaches.
//
// It reads fields that are not exported, and may serve tests and simulations alone. It knows nothing
// of the types that it describes, except for times, for sorted trees, whose nodes depend on the order
// of insertions, and for the names of fields that are no part of an image.
package image

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
)

// without are the fields that a step changes although it is undone.
var without = map[string]bool{
	// The step itself.
	"machine.Machine.under":       true,
	"partition.Partition.Subject": true,
	"partition.Partition.undo":    true,
	// Room that is used again.
	"partition.Partition.scratch": true,
	"partition.Partition.W":       true,
	// The order of free handles, which is that of handles which were never in use.
	"table.Handles.free": true,
	// Consequences of calendars, computed on first use.
	"exclude.Calendar.years": true,
	"exclude.Set.rules":      true,
	"exclude.Rule.content":   true,
	"exclude.Content.raw":    true,
	"exclude.Content.pieces": true,
	"exclude.Content.last":   true,
	"exclude.Content.near":   true,
	// Counts by time, which are moved with those of all time.
	"tally.Series.rings": true,
	// Facts that stay true: about workers, and which definitions are in use.
	"partition.Partition.Registry": true,
	"table.Definitions.Whole":      true,
	"table.Definition.Neighbours":  true,
	// The asker of a claim, which is no part of a machine.
	"claiming.Claim.From": true,
	// Terms, which are computed again from definition and station where they are missing.
	"state.Station.Usual": true,
}

// Of appends the image of a machine, which m points to, to out and returns it.
func Of(out []byte, m any) []byte {
	d := description{out: out, met: map[met]string{}, fields: map[reflect.Type][]field{}}
	d.value(reflect.ValueOf(m))
	return d.out
}

// Difference returns the first lines that two images do not share, empty if they are equal.
func Difference(was, is []byte) string {
	if bytes.Equal(was, is) {
		return ""
	}
	a, b := strings.Split(string(was), "\n"), strings.Split(string(is), "\n")
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	const shown = 4
	return fmt.Sprintf("was\n\t%s\nis\n\t%s",
		strings.Join(a[same:min(same+shown, len(a))], "\n\t"), strings.Join(b[same:min(same+shown, len(b))], "\n\t"))
}
