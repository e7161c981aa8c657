package machine

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// inboxStation is the station of the plans that the scripts of inboxes make.
const inboxStation = "q"

// inbox carries out a command about an inbox; false: it is none.
func (s *story) inbox(d *datadriven.TestData) bool {
	id := ""
	if len(d.CmdArgs) > 0 {
		id = d.CmdArgs[0].String()
	}
	switch d.Cmd {
	case "push":
		s.push(id, d)
	case "claim":
		c := command.ClaimItems{PlanID: id, Number: 1}
		seconds := 10
		d.ScanArgs(s.t, "random", &c.Random)
		d.MaybeScanArgs(s.t, "number", &c.Number)
		d.MaybeScanArgs(s.t, "timeout", &seconds)
		c.Timeout = time.Duration(seconds) * time.Second
		s.ask(c)
	case "complete":
		c := command.CompleteItems{PlanID: id, Number: -1}
		d.ScanArgs(s.t, "random", &c.Random)
		d.MaybeScanArgs(s.t, "number", &c.Number)
		s.ask(c)
	case "release":
		c := command.ReleaseItems{PlanID: id}
		at := ""
		d.ScanArgs(s.t, "random", &c.Random)
		if d.MaybeScanArgs(s.t, "at", &at) {
			c.PlanTime = s.clock(at)
		}
		s.ask(c)
	case "look":
		s.ask(command.ListItems{PlanID: id, Number: math.MaxInt64})
	case "drop":
		s.ask(command.DropItems{PlanID: id})
	case "inbox":
		s.ask(command.GetPlan{Name: schema.PlanName{Station: inboxStation, PlanID: id}})
		view, _, _ := strings.Cut(s.out.String()[strings.Index(s.out.String(), `"state":`):], `,"open"`)
		s.out.Reset()
		s.print("%s", strings.TrimSpace(view))
	default:
		return false
	}
	s.until(s.now)
	return true
}

// push pushes the input, a JSON value, with the arguments [at=T] [always] [plan=JSON's
// members without spaces] [tell] [hold] [abandon=SECONDS] [data=JSON] [restored] [bare]: bare makes
// no plan.
func (s *story) push(id string, d *datadriven.TestData) {
	c := command.PushItem{Name: schema.PlanName{PlanID: id}, Item: value(s, d.Input), Retime: schema.RetimeNew}
	at, members, data, abandon := "", "", "", 0
	d.MaybeScanArgs(s.t, "plan", &members)
	if d.MaybeScanArgs(s.t, "at", &at) {
		c.PlanTime = s.clock(at)
	}
	if d.HasArg("always") {
		c.Retime = schema.RetimeAlways
	}
	if d.HasArg("tell") {
		c.Terms.Manner = schema.MannerTell
	}
	if d.HasArg("hold") {
		c.Terms.Manner = schema.MannerHold
	}
	if d.MaybeScanArgs(s.t, "abandon", &abandon) {
		c.Terms.AbandonAfter = schema.Seconds(abandon)
	}
	if d.MaybeScanArgs(s.t, "data", &data) {
		c.Terms.Data = value(s, data)
	}
	c.Exact, c.Restored = d.HasArg("exact"), d.HasArg("restored")
	c.Terms.Key = "key of " + id
	if !d.HasArg("bare") {
		c.Definition = parse(s.t, fmt.Sprintf(
			`{"plan_id":%q,"station":%q,"command":"c"%s%s}`, id, inboxStation, steady(members), members))
	}
	s.ask(c)
}

func value(s *story, text string) wire.Value {
	v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// traceInbox shows an effect about an inbox.
func (s *story) traceInbox(e event.Effect) {
	switch e := e.(type) {
	case event.Keep:
		s.print("%s  keep item %d %s", e.Name, e.N, e.Item.Value)
	case event.Drop:
		if e.Before == event.AllItems {
			s.print("%s  drop all items", e.Name)
			return
		}
		s.print("%s  drop items before %d", e.Name, e.Before)
	case event.ItemsGranted:
		text := fmt.Sprintf("items %d to %d of %d", e.First, e.First+e.Count-1, e.Claimed.Length)
		if !e.Claimed.Data.IsZero() {
			text += " data " + e.Claimed.Data.String()
		}
		s.print("%s ← %s", e.To, text)
	case event.NotCalledBack:
		s.print("%s  nobody is called back about %d: %v", e.Name, e.N, e.Why)
	case event.Abandoned:
		s.print("%s  abandoned with %d items", e.Name, e.Items)
	}
}

// handedOver shows the part of an inbox that goes with an execution.
func handedOver(x *event.Outgoing) string {
	text := ""
	if x.Items > 0 {
		text = fmt.Sprintf(", items %d to %d", x.FirstItem, x.FirstItem+x.Items-1)
	}
	if !x.ItemsNotice.IsZero() {
		text += ", messages " + x.ItemsNotice.String()
	}
	return text
}

// steady takes the chance out of retries, unless the members set something of them.
func steady(members string) string {
	if strings.Contains(members, `"retry"`) {
		return ""
	}
	return `,"retry":{"jitter":0}`
}
