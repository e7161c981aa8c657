package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/explain"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// TestScript plays scripts: each file of testdata/script drives a machine, and the
// whole trace of its decisions is the expected output. Renew them with -rewrite,
// and read the difference before you keep it.
//
//	create            a plan as JSON; "at" sets the clock first; [by=T]
//	at T              time passes until T, with every look that is due
//	stall T           the process sleeps until T, and looks only then
//	clock T           the clock is set to T
//	reply P N STATE   a worker's reply; more as JSON in the input
//	nobody P N        NATS reports no responders
//	confirmed P N     a stream took the execution, and confirms it
//	hold, unhold      results are behind; they are stored
//	seen W STATION…   worker W puts its record, with the stations that it serves
//	gone W            worker W takes its record away
//	workers STATION   the workers of the station, or with * of any
//	sent P N          an execution of a pub station left
//	close, remove, get P
//	update P          another definition as JSON; [revision=R]
//	waiting [CAUSE…]  the plans that wait for one of these, and for what
//	pause, resume, trigger, reset, runs P
//	pause P drop      and what waits is skipped
//	skip P COUNT
//	cancel P N
//	station           a record as JSON
//	calendar          likewise; its revision is that which it gets
//	forget C          calendar C is deleted
//	calendars         with the number of plans that name each
//	restart T         the rows are replayed into a new machine, which leads from T
//	export            the records of all plans, which are kept for restore
//	elsewhere T       another installation, which has nothing, from T
//	restore           the exported plans, or one copy as JSON; [keep]
//	quota N           the rows are replayed into a new machine, whose tenants may have N plans
//	flush             the rows that are quiet
//	… asks=BY why=(…)  who asks, and why, of any command of a user
//	open P            where its executions stand
//	work, stop, return of pull stations, see story.claims
//	push, claim, complete, release, look, drop, inbox
//	                  of plans with an inbox, see story.inbox
func TestScript(t *testing.T) {
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		s := newStory(t)
		datadriven.RunTest(t, path, s.run)
	})
}

// story is a machine, its clock, and its durable rows.
type story struct {
	t      *testing.T
	m      *Machine
	b      *batch.Batch
	n      uint64
	now    time.Time
	by     time.Time // until when the user waits; zero: unknown
	asked  schema.Attribution
	epoch  int64
	rows   []event.Row
	copies []schema.PlanCopy // the exported plans
	quota  int64             // plans of a tenant
	kept   map[schema.PlanName][]explain.Kept
	out    strings.Builder
	// answered is the last answer.
	answered event.Answer
	// instead, where it is not nil, steps the machine in the place of step; false: it does not.
	instead func(event.Event) bool
}

func newStory(t *testing.T) *story {
	s := &story{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), epoch: 1, b: batch.New(1 << 20)}
	s.lead()
	return s
}

func (s *story) lead() {
	s.m = New(partition.Config{
		Key:      [16]byte{1},
		Defaults: schema.Defaults{ExecTimeout: 60 * time.Second, StartTimeout: 30 * time.Second},

		TenantPlans: s.quota,
	})
	for i, r := range s.rows {
		if err := s.m.Replay(uint64(i+1), r); err != nil {
			s.t.Fatal(err)
		}
	}
	s.m.Lead(s.now, s.epoch, s.now.Add(-time.Hour))
}

func (s *story) run(t *testing.T, d *datadriven.TestData) string {
	s.t = t
	s.out.Reset()
	s.takeAsked(d)
	switch d.Cmd {
	case "create":
		s.createBy(d)
	case "at":
		s.until(s.clock(d.CmdArgs[0].String()))
	case "stall", "clock":
		s.now = s.clock(d.CmdArgs[0].String())
		s.until(s.now)
	case "reply":
		s.reply(d)
	case "nobody":
		s.step(event.NoResponders{About: s.about(d)})
	case "confirmed":
		s.step(event.ReplyReceived{About: s.about(d), Reply: schema.Reply{Stream: "AUDIT"}})
		fmt.Fprintf(&s.out, "confirmations: %d\n", s.m.part.Counts.Confirmations)
	case "sent":
		about := s.about(d)
		name := schema.PlanName{Station: about.Station, PlanID: about.PlanID}
		sent := event.Dispatched{Name: name, N: about.N}
		if p := s.m.part.Plans[name]; p != nil {
			sent.Incarnation = p.Incarnation
		}
		s.step(sent)
	case "seen":
		w := schema.Worker{WorkerID: d.CmdArgs[0].String()}
		for _, station := range d.CmdArgs[1:] {
			w.Stations = append(w.Stations, station.String())
		}
		s.step(event.WorkerSeen{Worker: w})
		s.until(s.now)
	case "here", "leaves": // a worker, and the station that it announces itself at
		w := schema.Worker{WorkerID: d.CmdArgs[0].String()}
		s.step(event.StationPresence{Worker: w, Station: d.CmdArgs[1].String(), Gone: d.Cmd == "leaves"})
		s.until(s.now)
	case "gone":
		s.step(event.WorkerSeen{Worker: schema.Worker{WorkerID: d.CmdArgs[0].String()}, Gone: true})
	case "workers":
		s.ask(command.ListWorkers{Station: strings.Trim(d.CmdArgs[0].String(), "*"), Limit: 3})
	case "export":
		s.export()
	case "restore":
		s.restore(d)
	case "elsewhere": // an installation that has nothing
		s.now, s.rows = s.clock(d.CmdArgs[0].String()), nil
		s.epoch++
		s.lead()
	case "close":
		s.ask(command.ClosePlan{Name: s.name(d)})
	case "remove":
		remove := command.RemovePlan{Name: s.name(d)}
		if len(d.CmdArgs) > 1 {
			remove.Revision = uint64(s.number(d))
		}
		s.ask(remove)
	case "update":
		s.update(d)
	case "pause":
		s.ask(command.PausePlan{Name: s.name(d), Drops: d.HasArg("drop")})
	case "resume":
		s.ask(command.ResumePlan{Name: s.name(d)})
	case "trigger":
		s.ask(command.TriggerPlan{Name: s.name(d)})
	case "skip":
		s.ask(command.SkipPlan{Name: s.name(d), Count: s.number(d)})
	case "reset":
		s.ask(command.ResetPlan{Name: s.name(d)})
	case "cancel":
		s.ask(command.CancelRun{Name: s.name(d), N: s.number(d)})
	case "runs":
		s.ask(command.OpenRuns{Name: s.name(d)})
	case "get":
		s.ask(command.GetPlan{Name: s.name(d), InForce: d.HasArg("in_force")})
	case "waiting":
		var filter schema.ListPlans
		for _, cause := range d.CmdArgs {
			filter.Waits = append(filter.Waits, cause.String())
		}
		s.ask(command.ListPlans{Filter: filter, Limit: 100})
	case "why":
		s.why(d)
	case "station":
		s.station(d.Input)
	case "calendar":
		s.calendar(d.Input)
	case "forget":
		s.ask(command.DeleteCalendar{CalendarID: d.CmdArgs[0].String()})
	case "calendars":
		s.ask(command.ListCalendars{Limit: 10})
	case "restart":
		led := s.now
		s.now = s.clock(d.CmdArgs[0].String())
		s.epoch++
		s.lead()
		s.m.LedUntil(led)
		s.until(s.now)
	case "hold":
		s.m.Hold(true)
	case "unhold":
		s.m.Hold(false)
		s.until(s.now)
	case "quota":
		if _, err := fmt.Sscan(d.CmdArgs[0].String(), &s.quota); err != nil {
			t.Fatal(err)
		}
		s.epoch++
		s.lead()
	case "open":
		s.open(s.name(d))
	case "flush":
		s.step(event.Flush{Max: 100})
	default:
		if !s.inbox(d) && !s.claims(d) && !s.tasks(d) {
			t.Fatalf("no command %q", d.Cmd)
		}
	}
	if s.out.Len() == 0 {
		return "nothing\n"
	}
	return s.out.String()
}

// clock reads "12:00:03.5", or with a day before it "+1 12:00:03".
func (s *story) clock(text string) time.Time {
	day, clock, ok := strings.Cut(text, "/")
	if !ok {
		clock, day = text, "2026-03-01"
	}
	at, err := time.Parse("2006-01-02 15:04:05", day+" "+clock)
	if err != nil {
		s.t.Fatal(err)
	}
	return at
}

func (s *story) name(d *datadriven.TestData) schema.PlanName {
	name, err := schema.ParsePlanName(d.CmdArgs[0].String())
	if err != nil {
		s.t.Fatal(err)
	}
	return name
}

func (s *story) number(d *datadriven.TestData) int64 {
	var n int64
	if _, err := fmt.Sscan(d.CmdArgs[1].String(), &n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *story) about(d *datadriven.TestData) schema.ReplyName {
	name := s.name(d)
	about := schema.ReplyName{Station: name.Station, PlanID: name.PlanID, N: s.number(d), Nonce: "0123456789abcdef"}
	if p := s.m.part.Plans[name]; p != nil && !d.HasArg("forged") {
		about.Nonce = string(s.m.part.Nonce(p, about.N).AppendHex(nil))
	}
	return about
}

func (s *story) create(input string) { s.createAs(input, false) }

// createBy creates the plan of the input; with by=T, for a user who waits until then.
func (s *story) createBy(d *datadriven.TestData) {
	by := ""
	if d.MaybeScanArgs(s.t, "by", &by) {
		s.by = s.clock(by)
		defer func() { s.by = time.Time{} }()
	}
	s.create(d.Input)
}

func (s *story) createAs(input string, task bool) {
	v, err := wire.Scan([]byte(input), wire.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		s.print("refused: %v", err)
		return
	}
	s.ask(command.CreatePlan{Definition: d, Task: task})
}

// update replaces a definition as the front does: it was merged with the definition of the
// present revision, unless the script names another.
func (s *story) update(d *datadriven.TestData) {
	c := command.UpdatePlan{Definition: parse(s.t, d.Input)}
	if p := s.m.part.Plans[s.name(d)]; p != nil {
		c.Incarnation, c.Revision = p.Incarnation, p.Revision
	}
	d.MaybeScanArgs(s.t, "revision", &c.Revision)
	d.MaybeScanArgs(s.t, "incarnation", &c.Incarnation)
	s.ask(c)
}

func (s *story) station(input string) {
	v, err := wire.Scan([]byte(input), wire.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	st, err := schema.ParseStation(v)
	if err != nil {
		s.t.Fatal(err)
	}
	s.ask(command.PutStation{Station: st})
}

func (s *story) reply(d *datadriven.TestData) {
	ev := event.ReplyReceived{From: "worker", About: s.about(d), Reply: schema.Reply{State: schema.State(d.CmdArgs[2].String())}}
	if d.Input != "" {
		v, err := wire.Scan([]byte(d.Input), wire.Limits{})
		if err != nil {
			s.t.Fatal(err)
		}
		if err := wire.Decode(v, &ev.Reply); err != nil {
			s.t.Fatal(err)
		}
	}
	s.step(ev)
	s.until(s.now)
}

func (s *story) ask(c command.Command) {
	s.step(event.Ask{From: "user", What: c, By: s.by, Asked: s.asked})
}

// asks is the attribution of a change.
func asks(a schema.Attribution) (text string) {
	if a.By != "" {
		text = " by " + a.By
	}
	if a.Note != "" {
		text += ": " + a.Note
	}
	return text
}

// takeAsked takes asks=BY and why=NOTE off the arguments of a command.
func (s *story) takeAsked(d *datadriven.TestData) {
	s.asked = schema.Attribution{}
	d.CmdArgs = slices.DeleteFunc(d.CmdArgs, func(arg datadriven.CmdArg) bool {
		switch arg.Key {
		case "asks":
			s.asked.By = arg.Vals[0]
		case "why":
			s.asked.Note = strings.Join(arg.Vals, ", ")
		default:
			return false
		}
		return true
	})
}

// until lets time pass, with a Tick whenever the machine asked for one.
func (s *story) until(t time.Time) {
	for {
		wake := s.m.Wake()
		switch {
		case s.m.WentBack(s.now):
		case wake.IsZero() || wake.After(t):
			s.now = t
			return
		case wake.After(s.now):
			s.now = wake
		}
		s.step(event.Tick{})
	}
}

// step is one event, and a batch of its own that becomes durable.
func (s *story) step(ev event.Event) {
	s.n++
	s.b.Reset(s.n)
	if s.instead == nil || !s.instead(ev) {
		if s.m.Step(s.now, ev, s.b) != Done && s.b.Empty() {
			s.t.Fatal("an empty batch has no room")
		}
	}
	readReplies(s.m, s.now, s.b)
	effects := append([]event.Effect(nil), s.b.Effects...)
	body := append([]byte(nil), s.b.Seal()...)
	if err := event.Rows(body, func(r event.Row) error {
		r.Value = append([]byte(nil), r.Value...)
		s.rows = append(s.rows, r)
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range effects {
		s.trace(e)
	}
	s.checkRecords()
}

func (s *story) print(format string, args ...any) {
	fmt.Fprintf(&s.out, "%s ", clock(s.now))
	fmt.Fprintf(&s.out, format, args...)
	s.out.WriteByte('\n')
}

func (s *story) trace(e event.Effect) {
	switch e := e.(type) {
	case event.Answer:
		s.answered = e
		s.print("%s ← %s", e.To, s.body(e))
	case event.Dispatch:
		x := e.Execution
		to := x.Name.Station
		if x.Pub {
			to += " (pub)"
		}
		if x.To != "" {
			to = "worker " + x.To
		}
		due := fmt.Sprintf("due %d", x.Occurrence)
		if x.MadeBy == schema.TriggerCatchUp {
			due += ", late"
		}
		if x.Trigger != 0 {
			due = fmt.Sprintf("triggered as %d", x.Trigger)
		}
		if !x.MovedFrom.IsZero() {
			due += ", moved from " + clock(x.MovedFrom)
		}
		s.print("%s  %s → execution %d.%d to %s, plan_time %s, start by %s, deadline %s%s", x.Name, due, x.N, x.Attempt,
			to, clock(x.PlanTime), clock(x.StartBy), clock(x.Deadline), handedOver(x))
	case event.ClaimGranted:
		s.traceClaimGranted(e)
	case event.Cancel:
		s.print("%s/%s  cancel %d %s", e.Cancel.Station, e.Cancel.PlanID, e.Cancel.N, e.Cancel.Reason)
	case event.Publish:
		if s.print("%s  result %s", e.Name, s.result(e)); e.Row > 0 {
			s.keep(e)
		}
	case event.Notify:
		if e.Notice.Kind != schema.NoticeDispatched {
			s.print("%s/%s  %s %s%s", e.Notice.Station, e.Notice.PlanID, e.Notice.Kind, e.Notice.Reason, asks(e.Notice.Attribution))
		}
	case event.Present:
		s.print("worker %s is at %v", e.Worker.WorkerID, e.Worker.Stations)
	default:
		s.traceInbox(e)
	case event.Write:
		for _, r := range e.Rows {
			s.print("bucket %s = %s", r.Key, r.Value)
		}
		s.print("bucket taken to batch %d of %d, %d left", e.Before, s.n, e.Left)
	}
}

func (s *story) body(a event.Answer) string {
	if a.Err != nil {
		return a.Err.Error()
	}
	switch w := a.Body.(type) {
	case command.TaskReported:
		return reportText(w)
	case command.PlanSlice:
		return waitingText(w)
	}
	text, err := wire.Marshal(wire.JSON, a.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// waitingText are the plans of a list, each with the cause of its wait.
func waitingText(of command.PlanSlice) string {
	var plans []string
	for _, v := range of.Plans {
		name, _ := v.Plan.Field("plan_id").Text()
		if v.State.Waits != nil {
			name += fmt.Sprintf(" (%s, occurrence %d)", v.State.Waits.For, v.State.Waits.Occurrence)
		}
		plans = append(plans, name)
	}
	return "plans: " + strings.Join(plans, ", ")
}

func (s *story) result(e event.Publish) string {
	v, err := wire.Scan(e.Body, wire.Limits{})
	if err != nil {
		s.t.Fatalf("result %s: %v", e.Body, err)
	}
	var r schema.Result
	if err := wire.DecodeLoose(v, &r); err != nil {
		s.t.Fatal(err)
	}
	line := fmt.Sprintf("%d.%d of %d: %s", r.N, r.Attempt, r.Occurrence, r.State)
	if r.Of != 0 {
		line += fmt.Sprintf(", late, of execution %d", r.Of)
	}
	switch r.Trigger {
	case schema.TriggerCatchUp:
		line = fmt.Sprintf("%d.%d of %d, late: %s", r.N, r.Attempt, r.Occurrence, r.State)
	case schema.TriggerManual:
		_, run, _ := strings.Cut(r.Key[len(e.Name.String())+1:], "/")
		line = fmt.Sprintf("%d.%d of %s %s: %s", r.N, r.Attempt, r.Trigger, run, r.State)
	}
	if r.Reason != "" {
		line += " (" + string(r.Reason)
		if r.Cause != "" {
			line += " after a timeout: " + string(r.Cause)
		}
		line += ")"
	}
	if r.Count > 0 {
		line += fmt.Sprintf(" ×%d", r.Count)
	}
	if !r.Content.IsZero() {
		line += " " + r.Content.String()
	}
	if !r.Error.IsZero() {
		line += " error " + r.Error.String()
	}
	if r.LastError != nil {
		line += fmt.Sprintf(" after error %.40q", r.LastError.Info)
	}
	for _, v := range r.Votes {
		line += fmt.Sprintf("; vote %q %s", v.WorkerID, v.State)
		if !v.Content.IsZero() {
			line += " " + v.Content.String()
		}
		if !v.Error.IsZero() {
			line += " error " + v.Error.String()
		}
	}
	if !r.Final {
		line += ", unsettled"
	}
	if r.Late != nil {
		line += " late " + s.body(event.Answer{Body: r.Late})
	}
	if line += asks(r.Attribution); r.Because != nil {
		line += " because " + s.body(event.Answer{Body: r.Because})
	}
	next := "none"
	if p := s.m.part.Plans[e.Name]; p != nil && p.Next.K != 0 {
		next = fmt.Sprintf("%d at %s", p.Next.K, clock(p.Next.At))
	}
	return line + fmt.Sprintf(" → real %d skip %d → next %s", r.RealRepet, r.SkipNum, next)
}

func clock(t time.Time) string {
	switch {
	case t.IsZero():
		return "-"
	case t.Day() != 1:
		return t.UTC().Format("01-02/15:04:05.000")
	default:
		return t.UTC().Format("15:04:05.000")
	}
}
