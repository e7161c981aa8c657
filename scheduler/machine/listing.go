package machine

import (
	"math"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// listSlice bounds one look at the table to about a millisecond, because an execution may
	// have to wait that long for it. It counts bytes that are read; to find a plan, and to begin
	// to read its definition, costs as much as a number of bytes each.
	listSlice = 320 << 10
	listVisit = 128
	listRead  = 256
	// listBytes bounds the bytes of one answer.
	listBytes = 256 << 10
	// listFrame is about the size of a view beside its definition.
	listFrame = 512
)

// A listing is a list under way.
type listing struct {
	*turn
	ask    command.ListPlans
	from   event.Asker
	filter *view.Filter

	dues *view.Dues // occurrences, in place of the plans; nil: the plans are asked for

	out   command.PlanSlice
	cost  int
	size  int              // bytes of the plans that it has found
	reads int              // definitions that are read, of the plans behind out.Last
	place command.DuePlace // of the plan that is looked at, in the order of due times
	jump  *schema.PlanName // where the next plan that may have one of the IDs lies
}

// listPlans answers with the matching ones of the next plans behind the cursor. The caller asks
// again until the page is full. A definition that is not in memory ends the answer, and those
// behind it are read for the next request; where it is the first one, the list is carried out
// once it has been read.
func listPlans(t *turn, c command.ListPlans, from event.Asker) {
	l := listing{
		turn: t, ask: c, from: from, filter: view.NewFilter(&c, t.Now),
		out: command.PlanSlice{Last: c.After},
	}
	if c.Span.Until != 0 {
		l.dues = view.NewDues(c.Span)
	}
	switch l.place = c.Due; {
	case c.Tasks && !t.Book.Plans.Have(c.Filter.Status):
		// A task counts, so that no status of none is searched for, among a million others.
	case l.isSample():
		l.bySample()
	case c.Filter.Order == schema.OrderDue && !c.Due.Rest:
		l.byDue()
	default:
		l.byName()
	}
	if l.dues != nil {
		l.out.Groups = l.dues.Groups
	}
	if l.reads == 0 || len(l.out.Plans) > 0 {
		t.Batch.Answer(from, l.out, nil)
	}
}

// byName looks at the plans behind the cursor in the order of their names.
func (l *listing) byName() {
	l.out.Due = l.place
	at := first(l.ask)
	for l.jump = &at; l.jump != nil; {
		at, l.jump = *l.jump, nil
		l.Sorted.Ascend(&state.Plan{Name: at}, l.visit)
	}
}

// dueSlice is how many plans one look takes off the order of due times.
const dueSlice = 1024

// byDue looks at the plans behind the cursor in the order of their due times, and leaves those
// that are not due to the next request.
func (l *listing) byDue() {
	l.out.Due, l.out.More = l.place, true
	next := l.DueTimes.After(placed(l.ask.Due), dueSlice)
	for _, d := range next {
		if l.isFull() {
			return
		}
		p := l.Handles.Of(d.H)
		l.Partition.At(p)
		l.place = command.DuePlace{At: int64(d.At), Handle: int64(d.H)}
		l.cost += listVisit
		l.look(p)
	}
	if len(next) < dueSlice && l.reads == 0 {
		l.out.Due, l.out.Last = command.DuePlace{Rest: true}, schema.PlanName{}
	}
}

// placed returns a place as the table has it.
func placed(at command.DuePlace) waiting.Due {
	if at.Handle < 0 {
		return waiting.Due{At: unit.Moment(at.At - 1), H: math.MaxUint32}
	}
	return waiting.Due{At: unit.Moment(at.At), H: unit.Handle(min(at.Handle, math.MaxUint32))}
}

// isFull reports that the answer takes no more plans.
func (l *listing) isFull() bool {
	if l.cost >= listSlice || !l.ask.Count && len(l.out.Plans)+l.reads == l.ask.Limit || l.size > listBytes {
		l.out.More = true
		return true
	}
	return false
}

// visit adds p to the answer if it matches; false: the table ends, or the answer is full.
func (l *listing) visit(p *state.Plan) bool {
	if p.Name == l.ask.After {
		return true
	}
	l.Partition.At(p)
	if past(p, &l.ask.Filter) || l.isFull() {
		return false
	}
	l.cost += listVisit
	if l.jump = l.leap(p); l.jump != nil {
		l.seen(p)
		return false
	}
	if l.ask.Due.Rest && l.DueTimes.At(p.Handle) != 0 {
		l.seen(p) // it was shown as due
		return true
	}
	l.look(p)
	return true
}

// look adds p to the answer if it matches.
func (l *listing) look(p *state.Plan) {
	if l.filter.Reads {
		l.cost += listRead + len(p.Raw)
	}
	switch {
	case p.IsGone() || !l.filter.Matches(p) || !l.waits(p):
	case l.ask.Count:
		l.out.Count++
	case l.dues != nil:
		l.count(p)
	case (l.reads > 0 || p.Evicted && p != l.Missing) && l.ask.Filter.Fields != schema.FieldsBrief:
		l.read(p)
	default:
		l.show(p)
	}
	l.seen(p)
}

// seen notes that the next request need not come to p again.
func (l *listing) seen(p *state.Plan) {
	if l.reads == 0 {
		l.out.Looked++
		l.out.Last, l.out.Due = p.Name, l.place
	}
}

// waits reports that p waits for a cause that the list asks for.
func (l *listing) waits(p *state.Plan) bool {
	want := l.ask.Filter.Waits
	if len(want) == 0 {
		return true
	}
	w := admission.WaitsOf(l.Partition, p, l.Now)
	return w != nil && slices.Contains(want, string(w.For))
}

func (l *listing) show(p *state.Plan) {
	l.size += len(p.Raw) + listFrame
	shown := view.Plan(p, l.Now)
	shown.State.Waits = admission.WaitsOf(l.Partition, p, l.Now)
	shown.Due = l.place
	if most := int(l.ask.Filter.Runs); most > 0 {
		shown.Runs = view.Runs(p, most)
	}
	if l.ask.Tasks {
		shown.Trace = l.m.trace(p)
	}
	if l.ask.Records {
		shown.Record = p.BackupRecord()
		l.size += len(shown.Record.Raw())
		l.cost += listRead + len(shown.Record.Raw())
	}
	l.out.Plans = append(l.out.Plans, shown)
}

// listCount is the cost of the occurrences of one plan, beside that of finding it.
const listCount = 512

// count adds the occurrences of p in the span that was asked for.
func (l *listing) count(p *state.Plan) {
	l.out.Count++
	size := l.dues.Add(p, l.Now)
	l.size += size
	if l.cost += size; size > 0 || l.ask.Span.Each {
		l.cost += listCount
	}
}

// read has p's definition read.
func (l *listing) read(p *state.Plan) {
	l.Subject.Reads = false
	if l.reads++; l.reads == 1 && len(l.out.Plans) == 0 {
		l.FetchFor(p, event.Ask{From: l.from, What: l.ask})
	} else {
		l.MakeResident(p)
	}
	l.size += int(p.SharedSize)
	l.out.More = true
}

// leap returns where the search goes on when p's id is not one of those asked for, or its station
// has no tasks and they are asked for: at the first id of its station, or of the next one; nil: p is
// looked at.
func (l *listing) leap(p *state.Plan) *schema.PlanName {
	at, ids := p.Name, l.ask.IDs
	switch {
	case l.ask.Tasks && !p.Station.IsTaskType(),
		ids.To != "" && at.PlanID >= ids.To:
		// The least name of a station behind this one, because names hold no zero byte.
		return &schema.PlanName{Station: at.Station + "\x00", PlanID: ids.From}
	case at.PlanID < ids.From:
		return &schema.PlanName{Station: at.Station, PlanID: ids.From}
	default:
		return nil
	}
}

// first is where a list begins, which is behind the cursor, and not before its station.
func first(c command.ListPlans) schema.PlanName {
	at := c.After
	if s := c.Filter.Station; s != "" {
		s, _ = view.CutWildcard(s)
		if at.Station < s {
			at = schema.PlanName{Station: s}
		}
	}
	if least := view.NewPrefix(c.Filter.Prefix).First(); isBefore(at, least) {
		at = least
	}
	return at
}

// isBefore reports that a comes before b in lists.
func isBefore(a, b schema.PlanName) bool {
	return a.Station < b.Station || a.Station == b.Station && a.PlanID < b.PlanID
}

// past reports that p, and all plans behind it, lie beyond the requested station and prefix. A
// wildcard includes the stations that begin with it and a dot; the byte after the dot bounds them.
func past(p *state.Plan, f *schema.ListPlans) bool {
	if f.Prefix != "" {
		if prefix := view.NewPrefix(f.Prefix); !prefix.Has(p.Name) && !isBefore(p.Name, prefix.First()) {
			return true
		}
	}
	station := f.Station
	if station == "" {
		return false
	}
	prefix, wild := view.CutWildcard(station)
	if !wild {
		return p.Name.Station > prefix
	}
	return p.Name.Station >= prefix+string('.'+1)
}
