package schema

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// zoneList are the names of zones in Go's own time zone data, which has no list of them.
//
//go:embed zones.txt
var zoneList string

var zoneNames = sync.OnceValue(func() []string { return strings.Fields(zoneList) })

// Zones are the IANA names of the time zones that plans take, in order.
func Zones() []string { return slices.Clone(zoneNames()) }

// zoneMeant is the zone that was probably meant by a name that is none: the same in
// another case, its place alone, or one with a slip of the finger in either.
func zoneMeant(given string) string {
	given = strings.ReplaceAll(given, " ", "_")
	for _, name := range zoneNames() {
		if strings.EqualFold(given, name) || strings.EqualFold(given, path.Base(name)) {
			return name
		}
	}
	return zoneNear(given)
}

// zoneNear is the zone that differs from given in few letters. It compares those of about its
// length that begin with its letter, because a sender of many such names must not cost much. A
// short name is not compared, because it is an abbreviation such as CEST.
func zoneNear(given string) string {
	const shortest, slips = 5, 2
	if len(given) < shortest {
		return ""
	}
	whole := strings.Contains(given, "/")
	var parts []string
	zoneOf := make(map[string]string)
	for _, name := range zoneNames() {
		p := name
		if !whole {
			p = path.Base(name)
		}
		if strings.EqualFold(p[:1], given[:1]) && max(len(p)-len(given), len(given)-len(p)) <= slips {
			parts, zoneOf[p] = append(parts, p), name
		}
	}
	return zoneOf[wire.Nearest(given, slices.Values(parts))]
}
