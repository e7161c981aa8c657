package simulate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// load enters the source, and lets the time pass that lies between its records and the begin.
func (w *world) load(source *Source) error {
	for _, c := range source.Calendars {
		if err := w.putCalendar(c); err != nil {
			return err
		}
	}
	for _, s := range source.Stations {
		if err := w.putStation(s); err != nil {
			return err
		}
	}
	for _, p := range source.Plans {
		w.stationOf(p.Definition.Plan.Station).expect(&p.Definition.Plan)
	}
	for _, p := range source.Changes {
		w.stationOf(p.Definition.Plan.Station).expect(&p.Definition.Plan)
	}
	w.claimAll()
	for _, p := range source.Plans {
		if err := w.create(p); err != nil {
			return err
		}
	}
	return w.err
}

// change carries out the changes of a source.
func (w *world) change(source *Source) error {
	for _, c := range source.CalendarChanges {
		if err := w.putCalendar(c); err != nil {
			return err
		}
	}
	for _, s := range source.StationChanges {
		if err := w.putStation(s); err != nil {
			return err
		}
	}
	w.claimAll()
	for _, p := range source.Changes {
		if err := w.update(p); err != nil {
			return err
		}
	}
	return w.err
}

// putCalendar puts a calendar, for the machine and for notes.
func (w *world) putCalendar(c *schema.Calendar) error {
	put := *c
	put.Revision = 1
	if before := w.calendars.Get(c.CalendarID); before != nil {
		put.Revision += before.Record.Revision
	}
	made, err := exclude.New(&put)
	if err == nil {
		_, err = w.ask(command.PutCalendar{Calendar: &put})
	}
	if err != nil {
		return &InputError{"calendar " + c.CalendarID, err}
	}
	w.calendars.Put(c.CalendarID, made)
	return nil
}

// putStation puts a station without its callback, because no call is made.
func (w *world) putStation(s *schema.Station) error {
	put := *s
	put.Callback = nil
	if _, err := w.ask(command.PutStation{Station: &put}); err != nil {
		return &InputError{"station " + s.Station, err}
	}
	of := w.stationOf(s.Station)
	if of.record = &put; of.kind() == schema.KindVote && !slices.Contains(w.votes, of) {
		w.votes = append(w.votes, of)
	}
	return nil
}

// create creates a plan, or restores it if it has a record.
func (w *world) create(p Plan) error {
	what := "plan " + p.Name().String()
	definition := *p.Definition
	definition.Plan.OnConflict = ""
	if err := w.checkCommand(&definition.Plan); err != nil {
		return &InputError{what, err}
	}
	entered, err := w.enter(p)
	if err != nil {
		return &InputError{what, err}
	}
	var request command.Command = command.CreatePlan{Definition: &definition}
	if !p.Record.IsZero() {
		request = command.RestorePlan{Definition: &definition, Record: p.Record}
	}
	if _, err := w.ask(request); err != nil {
		delete(w.plans, entered.name)
		return &InputError{what, err}
	}
	return nil
}

// checkCommand refuses a plan without a command where its station needs one, as a create does.
func (w *world) checkCommand(p *schema.Plan) error {
	if p.Command != "" || w.stationOf(p.Station).kind() == schema.KindPub {
		return nil
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: "command",
		Message: "command is missing; a plan of a station that is not of kind pub has one",
	}
}

// update replaces the definition of a plan, or creates it.
func (w *world) update(p Plan) error {
	what := "plan " + p.Name().String()
	answer, err := w.ask(command.GetPlan{Name: p.Name()})
	if err != nil { // it does not exist
		return w.create(p)
	}
	view, is := answer.(command.PlanView)
	if !is {
		return fmt.Errorf("simulate: %s: get was answered with %T", what, answer)
	}
	if _, err := w.ask(command.UpdatePlan{
		Definition: p.Definition, Incarnation: view.Incarnation, Revision: view.State.Revision,
	}); err != nil {
		return &InputError{what, err}
	}
	_, err = w.enter(p)
	return err
}

// enter notes a plan, or its new definition.
func (w *world) enter(p Plan) (*plan, error) {
	name, definition := p.Name(), &p.Definition.Plan
	entered := w.plans[name]
	if entered == nil {
		entered = &plan{
			name: name, salt: saltOf(name), station: w.stationOf(name.Station),
			durations: w.chooser.take.durationsOf(name),
			open:      map[int64]*execution{},
			counts:    &PlanCounts{Station: name.Station, PlanID: name.PlanID, States: map[schema.State]int64{}, Skipped: map[schema.Reason]int64{}},
		}
		w.plans[name] = entered
	}
	entered.definition, entered.notes = definition, nil
	spec, accepted := calendar.SpecOf(definition), w.time()
	if !p.Record.IsZero() {
		record, err := state.DecodeRecord(p.Record)
		if err != nil {
			return nil, err
		}
		spec.After, accepted = record.Base, record.Accepted.Time()
	}
	schedule, err := calendar.Compile(spec, accepted)
	if err != nil {
		return nil, err
	}
	entered.schedule = w.calendars.Apply(schedule, definition)
	entered.special = definition.PlanType == schema.TypeMonth || definition.HasCalendars() || w.zones.change(definition.Timezone)
	return entered, w.noteLost(entered, spec, accepted)
}

// inOrder are the plans by name.
func (w *world) inOrder() []*plan {
	all := make([]*plan, 0, len(w.plans))
	for _, p := range w.plans {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *plan) int { return compareNames(a.name, b.name) })
	return all
}

func compareNames(a, b schema.PlanName) int {
	return cmp.Or(cmp.Compare(a.Station, b.Station), cmp.Compare(a.PlanID, b.PlanID))
}
