package machine

import (
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// act does the next thing of a sequence.
func (s *sequence) act() {
	switch n := s.of(65); {
	case n < 12:
		s.create()
	case n < 16:
		s.update()
	case n < 20:
		if st := s.station(); st != nil {
			s.ask(command.PutStation{Station: st})
		}
	case n < 21:
		s.ask(command.DeleteStation{Station: pick(s.choices, placesOfSequences...), TaskType: s.once(2)})
	case n < 28:
		s.ask(s.claim())
	case n < 29:
		s.claimed()
	case n < 38:
		s.sendReply()
	case n < 42:
		s.readReplies()
	case n < 47:
		s.pass(pick(s.choices, time.Millisecond, time.Second, time.Second, 3*time.Second, 31*time.Second, 2*time.Minute, 25*time.Hour))
	case n < 49:
		s.now = s.now.Add(pick(s.choices, -2*time.Second, time.Second, time.Minute, time.Hour, 25*time.Hour, 400*24*time.Hour))
	case n < 55:
		s.manage()
	case n < 58:
		s.queue()
	case n < 59:
		s.look()
	case n < 60:
		s.restore()
	case n < 62:
		s.step(event.Flush{Max: pick(s.choices, 2, 1000), Force: s.once(2)})
		s.read()
	case n < 63:
		s.read()
		s.rest()
		s.compare()
	case n < 64:
		s.lead(pick(s.choices, s.replayed, s.fromBucket)())
	default:
		s.m.Hold(!s.m.Held())
	}
}

func (s *sequence) create() {
	name := s.name()
	if d := s.definition(name); d != nil {
		s.ask(command.CreatePlan{Definition: d, Trace: pick(s.choices, "", "00-trace-01"), Task: name.Station == "job" && s.once(2)})
	}
}

// update replaces a plan's definition, made for its present one or an earlier one.
func (s *sequence) update() {
	name := s.name()
	if d := s.definition(name); d != nil {
		c := command.UpdatePlan{Definition: d, Incarnation: 1, Revision: 1}
		if p := s.m.part.Plans[name]; p != nil {
			c.Incarnation, c.Revision = p.Incarnation, p.Revision
		}
		s.ask(c)
	}
}

// claimed ends the wait of a claim, or gives back work that a worker may have claimed.
func (s *sequence) claimed() {
	if s.once(2) {
		s.ask(command.StopClaim{ID: pick(s.choices, "c1", "c2", "")})
		return
	}
	var c command.ReturnWork
	for range s.of(4) {
		about := s.about()
		c.Executions = append(c.Executions, command.ClaimedName{
			Name: schema.PlanName{Station: about.Station, PlanID: about.PlanID}, N: about.N, Nonce: about.Nonce,
		})
	}
	s.ask(c)
}

// sendReply has a worker reply to an execution, or to a task in a request.
func (s *sequence) sendReply() {
	about := s.about()
	reply, reason := s.reply()
	if about.Station == "job" && s.once(2) {
		s.ask(command.ReportTask{About: about, Reply: reply})
		return
	}
	ev := event.ReplyReceived{About: about, Reply: reply, Reason: reason, Captured: s.once(8)}
	if s.once(2) {
		ev.From = "worker"
	}
	s.step(ev)
}

// readReplies gives the machine the outcome of a message, or the presence of a worker.
func (s *sequence) readReplies() {
	switch s.of(4) {
	case 0:
		s.step(event.NoResponders{About: s.about()})
	case 1:
		if len(s.sent) > 0 {
			x := s.sent[s.of(len(s.sent))]
			s.step(event.Dispatched{Name: x.Name, Incarnation: x.Incarnation, N: x.N})
		}
	default:
		w := schema.Worker{WorkerID: pick(s.choices, workersOfSequences...)}
		fields := map[string]any{"worker_id": w.WorkerID, "stations": pick(s.choices, []any{}, []any{"s", "s"}, []any{"pool", "votes", "votes"}, []any{"s.>", "s.deep", "news"})}
		if err := wire.DecodeLoose(s.value(fields), &w); err != nil {
			s.fail("%v", err)
		}
		s.step(event.WorkerSeen{Worker: w, Gone: s.once(4)})
	}
}

// manage changes plans as users do, existing ones or earlier ones.
func (s *sequence) manage() {
	name := s.name()
	n := int64(s.of(6))
	if p := s.m.part.Plans[name]; p != nil && s.once(2) {
		n = p.N
	}
	s.ask(pick[command.Command](s.choices,
		command.PausePlan{Name: name}, command.ResumePlan{Name: name}, command.ResetPlan{Name: name}, command.ResetPlan{Name: name},
		command.TriggerPlan{Name: name}, command.TriggerPlan{Name: name}, command.TriggerPlan{Name: name},
		command.SkipPlan{Name: name, Count: pick(s.choices, 0, 1, -1, int64(state.MaxSkips))},
		command.CancelRun{Name: name, N: n}, command.ClosePlan{Name: name}, command.RemovePlan{Name: name},
		command.RemovePlan{Name: name, Revision: uint64(s.of(3))},
		command.EndTask{Name: name, Processed: s.once(2), Remark: pick(s.choices, "", "done")},
	))
}

// queue does something to a plan with an inbox.
func (s *sequence) queue() {
	name := s.name()
	switch s.of(8) {
	case 0, 1, 2:
		s.push(name)
	case 3:
		s.ask(command.ClaimItems{PlanID: name.PlanID, Number: int64(pick(s.choices, 1, 2, schema.MaxItems)), Timeout: pick(s.choices, time.Millisecond, time.Minute), Random: pick(s.choices, "r1", "r2")})
	case 4:
		s.ask(command.CompleteItems{PlanID: name.PlanID, Number: int64(pick(s.choices, -1, 0, 1, schema.MaxItems)), Random: pick(s.choices, "r1", "r2")})
	case 5:
		s.ask(command.ReleaseItems{PlanID: name.PlanID, Random: pick(s.choices, "r1", "r2"), PlanTime: pick(s.choices, time.Time{}, s.now.Add(time.Minute))})
	case 6:
		s.ask(command.ListItems{PlanID: name.PlanID, Number: int64(pick(s.choices, 0, 1, 1000)), From: int64(pick(s.choices, 0, 1, math.MaxInt64))})
	case 7:
		s.ask(command.DropItems{PlanID: name.PlanID})
	}
}

func (s *sequence) push(name schema.PlanName) {
	c := command.PushItem{
		Name: name, PlanTime: pick(s.choices, time.Time{}, s.now, s.now.Add(time.Second), s.now.Add(-time.Hour)),
		Retime: pick(s.choices, schema.RetimeNew, schema.RetimeAlways),
		Item:   s.value(pick[any](s.choices, "x", 1, nil, map[string]any{}, []any{1, 1})),
		Terms: command.InboxTerms{
			Key: "k", Manner: pick(s.choices, schema.MannerDeliver, schema.MannerTell, schema.MannerHold),
			AbandonAfter: pick[schema.Seconds](s.choices, 0, 0, 0.001, 30),
			Data:         pick(s.choices, wire.Value{}, s.value(map[string]any{"k": "v"})),
		},
	}
	if !s.once(4) {
		fields := map[string]any{"station": name.Station, "plan_id": name.PlanID, "command": "c", "plan_type": "none"}
		for range s.of(3) {
			s.policy(fields)
		}
		for range s.of(3) {
			s.rarely(fields)
		}
		delete(fields, "messages")
		if c.Definition = s.parsed(fields); c.Definition == nil {
			return
		}
		if s.once(2) { // a merge queue
			c.Name.Station, c.Exact = "", s.once(2)
		}
	}
	s.ask(c)
}

// look sends requests that change nothing.
func (s *sequence) look() {
	name := s.name()
	var q schema.ListPlans
	status := pick(s.choices, []any{}, []any{"queued", "queued"}, []any{"executing", "retrying", "closed"})
	if err := wire.Decode(s.value(map[string]any{"status": status, "station": pick(s.choices, "", "s.>", "pool")}), &q); err != nil {
		s.fail("%v", err)
	}
	s.ask(pick[command.Command](s.choices,
		command.GetPlan{Name: name}, command.OpenRuns{Name: name}, command.ListOpen{}, command.GetTask{Name: name}, s.explain(name),
		command.ListPlans{Filter: q, Limit: pick(s.choices, 1, 1000), Records: s.once(2)},
		command.GetStation{Station: name.Station}, command.ListStations{Limit: 2}, command.ListStations{Limit: 2, Used: true}, command.ReadCounters{}, command.ReadCounters{Step: 60, Points: 60}, command.ListWorkers{Limit: 2, Station: name.Station}, command.GetWorker{WorkerID: "w1"},
	))
}

// explain asks about an occurrence, an execution, a moment, or the next occurrence.
func (s *sequence) explain(name schema.PlanName) command.ExplainPlan {
	return pick(s.choices,
		command.ExplainPlan{Name: name},
		command.ExplainPlan{Name: name, Occurrence: pick(s.choices, int64(1), 2, 5, 1<<53)},
		command.ExplainPlan{Name: name, N: pick(s.choices, int64(1), 2, 3, 1<<40)},
		command.ExplainPlan{Name: name, At: s.now.Add(pick(s.choices, 0, -time.Minute, time.Second, 400*24*time.Hour, -400*24*time.Hour))},
	)
}

// restore brings back one of the plans of a backup, or makes one.
func (s *sequence) restore() {
	if len(s.copies) == 0 || s.once(2) {
		s.export()
		return
	}
	c := s.copies[s.of(len(s.copies))]
	d := *c.Definition
	d.Plan.OnConflict = pick(s.choices, schema.ConflictError, schema.ConflictKeep)
	s.beyond = true
	s.ask(command.RestorePlan{Definition: &d, Record: c.Record})
}
