package sim

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// landing is an append as it lands: its rows, and the sum of its effects, with which each single
// effect is compared.
type landing struct {
	seq       uint64
	rows      rows
	ending    map[schema.PlanName]bool // plans that a user's command ends
	ends      map[lastWord]bool        // executions that have a result in it
	claims    map[schema.PlanName]bool // inboxes that are claimed in it
	starts    map[string]bool          // stations at which an execution begins in it
	granting  []*request               // pushes whose items are still to come
	triggered map[schema.PlanName]bool // inboxes whose delivery a user has triggered
	locksEnd  map[string][]*request    // granted commands about locks that have not ended yet
}

// rows are those of one append.
type rows struct {
	definitions map[schema.PlanName][][]byte
	states      map[schema.PlanName]record
	raw         map[schema.PlanName][]byte
	results     []resultID
	items       []itemID
}

func newLanding(seq uint64, r rows, effects []event.Effect) *landing {
	granted := grants(effects)
	return &landing{
		seq: seq, rows: r, ending: endings(granted), ends: resultsIn(effects), claims: claimsOf(effects),
		starts: map[string]bool{}, granting: pushes(granted), triggered: triggered(effects), locksEnd: endsOfLocks(granted),
	}
}

// landed enters an append into the models, in the order of the journal.
func (c *checker) landed(a landed, effects []event.Effect) {
	if a.epoch < c.epoch {
		c.w.fail("an append of epoch %d lands behind one of epoch %d, or though that leads", a.epoch, c.epoch)
	}
	c.epoch = a.epoch
	if a.takeover {
		return
	}
	c.landing = newLanding(a.seq, c.read(a.seq, a.body), effects)
	c.callbacks.owed = nil
	c.plans.askedToEnd(c.landing.ending)
	for i, e := range effects {
		c.enter(e, effects[i:])
	}
	c.callbacks.paid(effects)
	r := c.landing.rows
	r.complete(c.w, effects)
	c.items.rows = append(c.items.rows, r.items...)
	c.results.rows = append(c.results.rows, r.results...)
	c.w.report.Results += len(r.results)
	for _, name := range slices.SortedFunc(maps.Keys(r.states), compareNames) {
		c.state(name, r.states[name], r.raw[name])
	}
	c.stations.limits(c.landing.starts, c.plans.underWay())
	for _, e := range effects {
		for _, x := range executionsOf(e) {
			c.decidedOn(x)
		}
	}
}

// enter enters an effect of the append that lands; rest are the effects from it on.
func (c *checker) enter(e event.Effect, rest []event.Effect) {
	for _, x := range executionsOf(e) {
		c.times.durable(x)
	}
	switch e := e.(type) {
	case event.Notify:
		c.followNotice(e.Notice, rest)
	case event.Publish:
		c.result(e)
	case event.Dispatch:
		c.dispatched(e.Execution)
	case event.Answer:
		c.granted(e)
	case event.Keep:
		c.kept(e)
	case event.ItemsGranted:
		c.claims.claimed(c.plans.of(e.Name, e.Incarnation), e)
	case event.ClaimGranted:
		c.work(e)
	}
}

// executionsOf are the executions that an effect decides.
func executionsOf(e event.Effect) []*event.Outgoing {
	switch e := e.(type) {
	case event.Dispatch:
		return []*event.Outgoing{e.Execution}
	case event.ClaimGranted:
		return e.Executions
	}
	return nil
}

// complete checks that there is a row for each result that is to be stored and each item.
func (r rows) complete(w *world, effects []event.Effect) {
	published, kept := 0, 0
	for _, e := range effects {
		switch e := e.(type) {
		case event.Publish:
			if e.Row > 0 {
				published++
			}
		case event.Keep:
			kept++
		}
	}
	if kept != len(r.items) {
		w.fail("%d items are kept, %d are recorded", kept, len(r.items))
	}
	if published != len(r.results) {
		w.fail("%d results are published, %d are recorded", published, len(r.results))
	}
}

// read decodes the rows of an append.
func (c *checker) read(seq uint64, body []byte) rows {
	r := rows{
		definitions: map[schema.PlanName][][]byte{}, states: map[schema.PlanName]record{}, raw: map[schema.PlanName][]byte{},
	}
	var result []byte
	clear(c.stations.changed)
	err := event.Rows(body, func(row event.Row) error {
		switch row.Kind {
		case event.RowDefinition:
			if c.plans.isRepeated(row, r.definitions[row.Name]) {
				break
			}
			r.definitions[row.Name] = append(r.definitions[row.Name], row.Value)
		case event.RowState:
			v, err := wire.Scan(row.Value, wire.Limits{})
			if err != nil {
				return err
			}
			var st record
			if err := wire.DecodeLoose(v, &st); err != nil {
				return err
			}
			r.states[row.Name], r.raw[row.Name] = st, row.Value
		case event.RowResult:
			result = row.Value
			r.results = append(r.results, resultID{row.Name, row.N, string(row.Value)})
		case event.RowItem:
			item, err := event.ParseItem(row.Value, result)
			if err != nil {
				return err
			}
			r.items = append(r.items, itemID{row.Name, item.Incarnation, row.N, textOf(item), len(item.Value)})
		case event.RowStation:
			c.stations.put(row.Name.Station, row.Value)
		case event.RowCalendar:
			c.calendars.put(seq, row.Name.PlanID, row.Value)
		}
		return nil
	})
	if err != nil {
		c.w.fail("an append cannot be read: %v", err)
	}
	return r
}

// lastWord names a result of an append.
type lastWord struct {
	name schema.PlanName
	n    int64
}

func resultsIn(effects []event.Effect) map[lastWord]bool {
	out := map[lastWord]bool{}
	for _, e := range effects {
		if e, ok := e.(event.Publish); ok {
			out[lastWord{e.Name, e.N}] = true
		}
	}
	return out
}

// claimsOf returns the inboxes with a claim in an append.
func claimsOf(effects []event.Effect) map[schema.PlanName]bool {
	out := map[schema.PlanName]bool{}
	for _, e := range effects {
		if hand, ok := e.(event.ItemsGranted); ok {
			if _, claims := hand.To.(*request).what.(command.ClaimItems); claims {
				out[hand.Name] = true
			}
		}
	}
	return out
}

// triggered returns which plans are triggered in an append.
func triggered(effects []event.Effect) map[schema.PlanName]bool {
	out := map[schema.PlanName]bool{}
	for _, e := range effects {
		if answer, ok := e.(event.Answer); ok && answer.Err == nil {
			if t, ok := answer.Body.(schema.Triggered); ok {
				out[schema.PlanName{Station: t.Station, PlanID: t.PlanID}] = true
			}
		}
	}
	return out
}

// grants returns the requests granted in an append, in order.
func grants(effects []event.Effect) (granted []*request) {
	for _, e := range effects {
		if answer, ok := e.(event.Answer); ok && answer.Err == nil {
			if r, ok := answer.To.(*request); ok {
				granted = append(granted, r)
			}
		}
	}
	return granted
}

// endings returns the plans that an append ends because of a user's command.
func endings(granted []*request) map[schema.PlanName]bool {
	out := map[schema.PlanName]bool{}
	for _, r := range granted {
		switch what := r.what.(type) {
		case command.ClosePlan:
			out[what.Name] = true
		case command.RemovePlan:
			out[what.Name] = true
		case command.EndTask:
			out[what.Name] = true
		case command.DropItems:
			for _, s := range stationNames {
				out[schema.PlanName{Station: s, PlanID: what.PlanID}] = true
			}
		}
	}
	return out
}

// endsOfLocks returns the granted requests of an append about locks, by queue and in order.
func endsOfLocks(granted []*request) map[string][]*request {
	out := map[string][]*request{}
	for _, r := range granted {
		switch what := r.what.(type) {
		case command.CompleteItems:
			out[what.PlanID] = append(out[what.PlanID], r)
		case command.ReleaseItems:
			out[what.PlanID] = append(out[what.PlanID], r)
		}
	}
	return out
}

// pushes returns those that are granted in an append, in order.
func pushes(granted []*request) (out []*request) {
	for _, r := range granted {
		if _, push := r.what.(command.PushItem); push {
			out = append(out, r)
		}
	}
	return out
}

func compareNames(a, b schema.PlanName) int { return strings.Compare(a.String(), b.String()) }

// nextPush takes out the next of the pushes whose items are still to come; nil: there is none.
func (a *landing) nextPush() *request {
	if len(a.granting) == 0 {
		return nil
	}
	r := a.granting[0]
	a.granting = a.granting[1:]
	return r
}

// redefines reports that the append has a definition of a plan, so that its other effects on that
// plan may belong to this definition or to the one before.
func (a *landing) redefines(l *life) bool { return l.updated == a.seq }

// nextDefinition takes out the next row of a plan's definition, announced by a notice.
func (a *landing) nextDefinition(w *world, name schema.PlanName, kind schema.NoticeKind) []byte {
	rows := a.rows.definitions[name]
	if len(rows) == 0 {
		w.fail("%s is %s, and no row has that", name, kind)
	}
	a.rows.definitions[name] = rows[1:]
	return rows[0]
}

// definition reads the definition of a plan that is created, or updated.
func (a *landing) definition(w *world, name schema.PlanName, kind schema.NoticeKind) (raw []byte, d *schema.Definition) {
	raw = bytes.Clone(a.nextDefinition(w, name, kind))
	d, err := schema.LoadDefinition(raw)
	if err != nil {
		w.fail("%s: %v", name, err)
	}
	return raw, d
}
