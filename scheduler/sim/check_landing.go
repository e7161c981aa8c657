package sim

import (
	"maps"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// rows are those of one append.
type rows struct {
	definitions map[schema.PlanName][][]byte
	states      map[schema.PlanName]record
	raw         map[schema.PlanName][]byte
	results     []resultID
	items       []itemID
}

// landed enters an append into the books, in the order of the journal.
func (c *checker) landed(a landed, effects []machine.Effect) {
	if a.epoch < c.epoch {
		c.w.fail("an append of epoch %d lands behind one of epoch %d, or though that leads", a.epoch, c.epoch)
	}
	c.epoch = a.epoch
	if a.takeover {
		return
	}
	r := c.read(a.body)
	c.seq = a.seq
	c.ending = endings(effects)
	for name := range c.ending {
		if l := c.current[name]; l != nil {
			l.ending = true
		}
	}
	c.claims, c.starts = claimsOf(effects), map[string]bool{}
	c.locksEnd = endsOfLocks(effects)
	c.granting = pushes(effects)
	c.triggered = triggered(effects)
	c.callbacks.owed, c.landing, c.ends = nil, r, resultsIn(effects)
	published, kept := 0, 0
	for i, e := range effects {
		switch e := e.(type) {
		case machine.Tell:
			c.tell(e.Notice, r, effects[i:])
		case machine.Publish:
			c.result(e)
			if e.Row > 0 {
				published++
			}
		case machine.Dispatch:
			c.times.durable(e.Execution)
			c.dispatched(e.Execution)
		case machine.Answer:
			c.granted(e)
		case machine.Keep:
			kept++
			c.kept(e, r.items)
		case machine.Hand:
			c.claimed(e)
		case machine.Handout:
			for _, x := range e.Executions {
				c.times.durable(x)
			}
			c.work(e)
		}
	}
	c.callbacks.paid(effects)
	if kept != len(r.items) {
		c.w.fail("%d items are kept, %d are recorded", kept, len(r.items))
	}
	c.items.rows = append(c.items.rows, r.items...)
	if published != len(r.results) {
		c.w.fail("%d results are published, %d are recorded", published, len(r.results))
	}
	c.results.rows = append(c.results.rows, r.results...)
	c.w.report.Results += published
	for _, name := range slices.SortedFunc(maps.Keys(r.states), compareNames) {
		c.state(name, r.states[name], r.raw[name])
	}
	c.stations.limits(c.starts, c.underWay())
	for _, e := range effects {
		switch e := e.(type) {
		case machine.Dispatch:
			c.decidedOn(e.Execution)
		case machine.Handout:
			for _, x := range e.Executions {
				c.decidedOn(x)
			}
		}
	}
}

// lastWord names a result of an append.
type lastWord struct {
	name schema.PlanName
	n    int64
}

func resultsIn(effects []machine.Effect) map[lastWord]bool {
	out := map[lastWord]bool{}
	for _, e := range effects {
		if e, ok := e.(machine.Publish); ok {
			out[lastWord{e.Name, e.N}] = true
		}
	}
	return out
}

func compareNames(a, b schema.PlanName) int { return strings.Compare(a.String(), b.String()) }

// read decodes the rows of an append.
func (c *checker) read(body []byte) rows {
	r := rows{
		definitions: map[schema.PlanName][][]byte{}, states: map[schema.PlanName]record{}, raw: map[schema.PlanName][]byte{},
	}
	var result []byte
	clear(c.stations.changed)
	err := machine.Rows(body, func(row machine.Row) error {
		switch row.Kind {
		case machine.RowDefinition:
			if c.isSaidAgain(row, r.definitions[row.Name]) {
				break
			}
			r.definitions[row.Name] = append(r.definitions[row.Name], row.Value)
		case machine.RowState:
			v, err := wire.Scan(row.Value, wire.Limits{})
			if err != nil {
				return err
			}
			var st record
			if err := wire.DecodeLoose(v, &st); err != nil {
				return err
			}
			r.states[row.Name], r.raw[row.Name] = st, row.Value
		case machine.RowResult:
			result = row.Value
			r.results = append(r.results, resultID{row.Name, row.N, string(row.Value)})
		case machine.RowItem:
			item, err := machine.ParseItem(row.Value, result)
			if err != nil {
				return err
			}
			r.items = append(r.items, itemID{row.Name, item.Incarnation, row.N, textOf(item), len(item.Value)})
		case machine.RowStation:
			c.stations.put(row.Name.Station, row.Value)
		}
		return nil
	})
	if err != nil {
		c.w.fail("an append cannot be read: %v", err)
	}
	return r
}

// isSaidAgain reports that a row says of a plan which is gone that it was said with keep;
// before are the definitions of that name which its append has had so far.
func (c *checker) isSaidAgain(row machine.Row, before [][]byte) bool {
	gone := c.current[row.Name] == nil
	if len(before) > 0 {
		gone = len(before[len(before)-1]) == 0
	}
	if len(row.Value) > 0 || !gone {
		return false
	}
	if row.N == 0 || !c.saidAgain[row.Name] {
		c.w.fail("%s is taken away twice", row.Name)
	}
	return true
}

// of returns the life that an incarnation is.
func (c *checker) of(name schema.PlanName, incarnation uint64) *life {
	l := c.current[name]
	switch {
	case l == nil:
		c.w.fail("%s: something happens to a plan that is not there", name)
	case l.incarnation == 0:
		if c.lives[incarnation] != nil {
			c.w.fail("%s: incarnation %d was given before", name, incarnation)
		}
		l.incarnation = incarnation
		c.lives[incarnation] = l
	case l.incarnation != incarnation:
		c.w.fail("%s is of incarnation %d, not %d", name, l.incarnation, incarnation)
	}
	return l
}
