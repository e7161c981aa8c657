package schema

import (
	_ "embed"
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
		if strings.EqualFold(given, name) || strings.EqualFold(given, place(name)) {
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
	part := place
	if strings.Contains(given, "/") {
		part = strings.Clone
	}
	var parts []string
	whole := make(map[string]string)
	for _, name := range zoneNames() {
		p := part(name)
		if strings.EqualFold(p[:1], given[:1]) && max(len(p)-len(given), len(given)-len(p)) <= slips {
			parts, whole[p] = append(parts, p), name
		}
	}
	return whole[wire.Nearest(given, slices.Values(parts))]
}

// place is the last part of a zone's name, such as Berlin.
func place(zone string) string { return zone[strings.LastIndexByte(zone, '/')+1:] }
