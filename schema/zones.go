package schema

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// zoneList are the names of zones in Go's own time zone data, which has no list of them.
//
//go:embed zones.txt
var zoneList string

var zoneNames = sync.OnceValue(func() []string { return strings.Fields(zoneList) })

// Zones are the IANA names of the time zones that plans take, in order.
func Zones() []string { return slices.Clone(zoneNames()) }

// zoneMeant is the zone that was probably meant by a name that is none: the same in
// another case, or its place alone. It does not search for near names, because a sender of
// many such names must not cost much.
func zoneMeant(given string) string {
	given = strings.ReplaceAll(given, " ", "_")
	for _, name := range zoneNames() {
		if strings.EqualFold(given, name) || strings.EqualFold(given, name[strings.LastIndexByte(name, '/')+1:]) {
			return name
		}
	}
	return ""
}
