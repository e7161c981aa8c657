package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzRecord restores a plan of each policy with any record, as a stranger may send it. An
// accepted record costs no more than its bound, runs for a while, and can be exported and
// restored once more; a refused one leaves nothing.
func FuzzRecord(f *testing.F) {
	const fresh = `{"revision":1,"accepted":"2026-03-01T11:00:00Z"`
	for i, record := range []string{
		fresh + `}`,
		fresh + `,"occurrence":2,"plan_time":"2026-03-01T11:59:00Z","n":3,"attempt":1,"real_repet":1,"last_state":"ok","open":[{"occurrence":2,"plan_time":"2026-03-01T11:59:00Z","at":"2026-03-01T11:59:00Z","attempt":2,"errors":1,"ended":[2],"executions":[{"n":3,"attempt":2,"state":"running","sent":"2026-03-01T11:59:00Z","worker_id":"w"}]}]}`,
		fresh + `,"halt":"paused","paused_at":"2026-03-01T11:59:00Z","skip_to":-1,"trace":"00-a"}`,
		fresh + `,"n":1,"attempt":1,"halt":"plan_error","reason":"worker","open":[{"trigger":1,"plan_time":"2026-03-01T11:59:00Z","attempt":1,"ended":[-1]}]}`,
		fresh + `,"base":1,"occurrence":3,"plan_time":"2026-03-01T11:59:00Z","skip_num":3,"skip_to":5,"skip_time":"0001-01-01T00:00:00Z"}`,
	} {
		f.Add([]byte(record), uint8(i))
		f.Add(wire.Trust(wire.JSON, []byte(record)).In(wire.MsgPack).Raw(), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, policy uint8) {
		record, err := wire.Scan(body, wire.Limits{Bytes: 64 << 10})
		if err != nil {
			return
		}
		definition := parse(t, `{"plan_id":"p","station":"s","command":"c",`+restorable[int(policy)%len(restorable)]+`}`)
		x := newBench(t)
		answer := x.restore(definition, record)
		if answer.Err != nil {
			if n, _ := x.m.Stats(); n != 0 || x.b.Size() != 0 {
				t.Fatalf("refused (%v), and yet there is something of it", answer.Err)
			}
			return
		}
		for range 100 {
			if wake := x.m.Wake(); wake.IsZero() {
				break
			} else if wake.After(x.now) {
				x.now = wake
			}
			x.step(event.Tick{})
		}
		for _, p := range x.m.part.Plans {
			kept := p.BackupRecord()
			if again := newBenchAt(t, x.now).restore(definition, kept); again.Err != nil {
				t.Fatalf("%s was taken, and after a while cannot be restored: %v: %s", record, again.Err, kept)
			}
		}
	})
}

var restorable = []string{
	`"plan_type":"none"`,
	`"plan_type":"second","plan_value":7,"plan_repet":100,"overlap":"queue","catch_up":"full"`,
	`"plan_type":"minute","plan_value":1,"plan_repet":-1,"on_unknown":"skip","overlap":"parallel"`,
	`"plan_type":"second","plan_value":0,"plan_repet":-1,"on_unknown":"hold"`,
	`"plan_type":"cron","cron":"*/5 * * * *","timezone":"America/New_York","catch_up":"none"`,
}

func newBenchAt(t *testing.T, now time.Time) *bench {
	x := newBench(t)
	x.now = now
	return x
}

// restore restores a plan into x and returns the answer.
func (x *bench) restore(d *schema.Definition, record wire.Value) event.Answer {
	x.Helper()
	for _, e := range x.step(event.Ask{From: "user", What: command.RestorePlan{Definition: d, Record: record}}) {
		if a, ok := e.(event.Answer); ok {
			return a
		}
	}
	x.Fatal("got no answer")
	return event.Answer{}
}

// TestTheLargestRecordIsRestored checks that a plan with as many open occurrences as it
// can have, all of them in flight, comes back within the size that was promised.
func TestTheLargestRecordIsRestored(t *testing.T) {
	for _, onUnknown := range []string{"redo", "skip"} {
		x := newBench(t)
		d := parse(x, `{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":100,"overlap":"parallel",`+
			`"on_unknown":"`+onUnknown+`","messages":["`+strings.Repeat("m", 100<<10)+`"]}`)
		var open []string
		for k := 1; k <= state.MaxOpen; k++ {
			open = append(open, fmt.Sprintf(`{"occurrence":%d,"plan_time":"2026-03-01T11:01:00.123456Z","at":"2026-03-01T11:01:00.123456Z",`+
				`"attempt":1000000000,"errors":1000000000,"ended":[1,2,3,4,5,6,7,8],"executions":[{"n":%d,"attempt":1000000000,"state":"running",`+
				`"sent":"2026-03-01T11:01:00.123456Z","worker_id":"%s"}]}`, k, state.MostCount-k, strings.Repeat("w", schema.MaxName)))
		}
		record, err := wire.Scan([]byte(`{"revision":4503599627370495,"accepted":"2026-03-01T11:00:00.123456Z","occurrence":100,"plan_time":"2026-03-01T12:00:00Z",`+
			`"n":4503599627370495,"open":[`+strings.Join(open, ",")+`]}`), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		a := x.restore(d, record)
		if a.Err != nil {
			t.Fatal(a.Err)
		}
		p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
		x.looks()
		if got, want := p.RealRepet, map[string]int64{"redo": 0, "skip": state.MaxOpen}[onUnknown]; got != want {
			t.Errorf("%s: %d occurrences are settled, not %d", onUnknown, got, want)
		}
		if got, want := len(p.Open), map[string]int{"redo": state.MaxOpen, "skip": 0}[onUnknown]; got != want {
			t.Errorf("%s: %d occurrences are open, not %d", onUnknown, got, want)
		}
	}
}

// checkRecords checks every record by the rules that refuse a wrong backup.
func (s *story) checkRecords() {
	s.t.Helper()
	for _, p := range s.m.part.Plans {
		d, err := schema.LoadDefinition(p.Raw)
		if err != nil {
			s.t.Fatal(err)
		}
		if _, err := state.ReadRecord(p.BackupRecord(), &d.Plan, unit.MomentOf(s.now)); err != nil && !p.Closing {
			s.t.Errorf("%s: %v: %s", clock(s.now), err, p.BackupRecord())
		}
	}
}

// export keeps a copy of each plan, and shows the records.
func (s *story) export() {
	s.copies = nil
	m := s.m
	after := schema.PlanName{}
	for more := true; more; {
		s.n++
		s.b.Reset(s.n)
		m.Step(s.now, event.Ask{From: "user", What: command.ListPlans{Limit: 2, After: after, Records: true}}, s.b)
		slice := s.b.Effects[0].(event.Answer).Body.(command.PlanSlice)
		for _, v := range slice.Plans {
			s.copies = append(s.copies, schema.PlanCopy{Plan: v.Plan, Record: v.Record, Inbox: v.State.Inbox, PlanTime: v.State.PlanTime})
			s.print("%s", v.Record)
		}
		after, more = slice.Last, slice.More
	}
}

// restore brings back the exported plans, queues with one item, or the one copy that the script has.
func (s *story) restore(d *datadriven.TestData) {
	copies := s.copies
	if d.Input != "" {
		v, err := wire.Scan([]byte(d.Input), wire.Limits{})
		if err != nil {
			s.t.Fatal(err)
		}
		copies = make([]schema.PlanCopy, 1)
		if err := wire.Decode(v, &copies[0]); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, c := range copies {
		definition, err := schema.ParsePlan(c.Plan, schema.ParseOptions{NoCommand: true})
		if err != nil {
			s.t.Fatal(err)
		}
		if d.HasArg("keep") {
			definition.Plan.OnConflict = schema.ConflictKeep
		}
		if c.Inbox != nil {
			s.ask(command.PushItem{
				Name: defined(definition), Definition: definition, Item: value(s, `"restored"`), PlanTime: c.PlanTime, Restored: true,
				Terms: command.InboxTerms{Key: c.Inbox.Key, Record: c.Record},
			})
			continue
		}
		s.ask(command.RestorePlan{Definition: definition, Record: c.Record})
	}
}
