// Package calendar computes the due times of a plan.
//
// Its input is a [Spec], the fields of a plan about time, and the moment at which the plan was
// accepted. Its output is a [Schedule], a small value that answers two questions: which
// occurrence comes next ([Schedule.Next]) and how many were missed ([Schedule.Passed]). The
// package knows no policy, reads no clock and keeps nothing but a cache of parsed expressions:
// the same arguments give the same answer on every node that has the same time zone data.
//
// # Three kinds of schedule
//
//   - A grid: occurrence k is due k steps after the start, in elapsed time, so
//     arithmetic answers everything. second, minute, hour, day and @every are
//     grids; none and time are grids of one.
//   - As soon as possible: a grid of step 0. The next occurrence is due at the
//     moment for which a caller asks for it.
//   - A rule: a pattern of wall clock readings in a time zone. week, month and
//     cron are rules.
//
// # Wall clocks and clock changes
//
// A rule is matched on a clock without zones (type wall): every day has 86,400 seconds there,
// and a pattern is a handful of bit sets, which are searched by month, day, hour, minute and
// second. The instant of a matching reading in a zone is decided in one place (type rule), in
// one of two ways unless a plan chooses otherwise:
//
//   - A fixed time of day is due at the first instant at which the zone's clock
//     shows it or has passed it. So a reading that a clock change skips is due
//     when the gap ends, all readings within one gap make one occurrence, and a
//     reading that comes twice is due the first time. A day that is skipped
//     whole, as in Samoa in 2011, is due at its end. week and month are always
//     fixed.
//   - An interval follows real time: it is due whenever the zone's clock shows a
//     matching reading. Nothing is added at a gap, and both passes of an overlap
//     count. A cron expression is an interval when its minute or its hour field
//     holds a *, a range or a step.
//
// docs/adr/0001-clock-changes.md gives the reasons. A plan may choose otherwise
// ([schema.ClockChange]) where it names its hours: for week, month, and a cron expression whose
// hour field is a list of plain values, also when its minute field is an interval. An expression
// whose hour field holds a *, a range or a step follows real time under any choice, because that
// loses nothing and repeats nothing.
//
// # Cron expressions
//
// Five fields (minute, hour, day of month, month, day of week), or six with seconds first.
// Each is a comma-separated list of *, a value, a range a-b, and either of them with a step:
// */n, a-b/n, or a/n, which runs from a to the highest value. In any case, months have the
// names JAN to DEC, weekdays SUN to SAT. Weekdays are 0 to 7, where 0 and 7 are both Sunday,
// and only their ranges may wrap (FRI-MON), because people disagree where a week begins;
// elsewhere a range that runs backwards is refused. A step may not exceed the number of values
// in its field.
//
// The day of the month also takes L (the last day), L-n (n days before it), LW (the last
// Monday to Friday) and nW (the Monday to Friday nearest to day n within the month; never in a
// month without a day n). The day of the week also takes d#n (the nth such weekday of the
// month) and dL (the last one).
//
// When both day fields are restricted, a day that either matches will do. A field is
// restricted unless it holds a * or ?. One with a step above 1, such as */2, leaves days out
// and so is restricted. (Vixie cron looks at the first character only, by an accident of its
// parser that has surprised people ever since.)
//
// @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly have their usual
// meaning. @every is followed by a duration in Go's notation of at least a second, in whole
// seconds, and makes a grid of elapsed time.
package calendar
