// Package exclude knows which moments calendars exclude, and where an occurrence goes that is
// excluded.
//
// A [Calendar] is a checked [schema.Calendar], made for looking up days: those of a year are bits,
// computed when the year is first asked for. A [Set] has the calendars of an installation, and a
// [Rule] for each combination of calendars, zone and choices that plans have. A rule cuts time
// into pieces of one treatment each ([calendar.Pieces]), a month at a time and no earlier than
// they are needed, and keeps them until one of its calendars changes.
//
//	calendars   zone of each           zone of the plan
//	days ─────▶ wall clock ──▶ instants ──▶ pieces: free, held, moved by so much
//	windows
//
// It reads no clock, starts nothing and is not safe for concurrent use: a machine has a set of its
// own, and so has who computes a preview.
package exclude
