package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// handedOut returns the executions that a step's claims got, by claim.
func handedOut(effects []event.Effect) map[event.Asker][]*event.Outgoing {
	out := map[event.Asker][]*event.Outgoing{}
	for _, e := range effects {
		if h, ok := e.(event.ClaimGranted); ok {
			out[h.To] = append(out[h.To], h.Executions...)
		}
	}
	return out
}

// TestClaims lets workers claim, answer, ping, die and be put back at random, with leaders that
// come and go, and checks the promises of claims. No worker has two executions of one occurrence,
// nor one after its ok; no occurrence is with more workers than it wants; no worker gets a
// reserved execution of others; and no claim waits for an offer that matches it.
func TestClaims(whole *testing.T) {
	rapid.Check(whole, func(t *rapid.T) {
		c := &claimsCheck{
			T: t, whole: whole, m: New(config), b: batch.New(capacity), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
			waiting: map[string]bool{}, oks: map[string][]string{},
		}
		c.m.Lead(c.now, 1, time.Time{})
		c.step(event.Ask{What: command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindPull, Policy: schema.Policy{
			Retry: &schema.Retry{Strategy: schema.RetryFixed}, PingTimeoutMS: pointer(4000),
		}}}})
		t.Repeat(map[string]func(*rapid.T){
			"create": c.create, "claim": c.claim, "say": c.report, "put back": c.putBack, "time": c.pass, "limit": c.limit,
			"another leader": c.replace, "close": c.close, "": c.check,
		})
	})
}

func pointer(n int64) *int64 { return &n }

type claimsCheck struct {
	*rapid.T
	whole   testing.TB
	m       *Machine
	b       *batch.Batch
	now     time.Time
	n       uint64
	epoch   int64
	plans   int
	waiting map[string]bool
	rows    []event.Row
	oks     map[string][]string // of an occurrence, the workers that were successful
}

func (c *claimsCheck) step(ev event.Event) []event.Effect {
	c.n++
	c.b.Reset(c.n)
	if p := c.m.Step(c.now, ev, c.b); p != Done && c.b.Empty() {
		c.Fatalf("an empty batch has no room for %T: %d", ev, p)
	}
	readReplies(c.m, c.now, c.b)
	effects := slices.Clone(c.b.Effects)
	if err := event.Rows(slices.Clone(c.b.Seal()), func(r event.Row) error { c.rows = append(c.rows, r); return nil }); err != nil {
		c.Fatal(err)
	}
	for to, list := range handedOut(effects) {
		worker := to.(string)
		delete(c.waiting, worker)
		for _, x := range list {
			c.handed(worker, x)
		}
	}
	return effects
}

// handed checks an execution that a worker got.
func (c *claimsCheck) handed(worker string, x *event.Outgoing) {
	p := c.m.part.Plans[x.Name]
	if p == nil || !p.MayClaim(worker) {
		c.Fatalf("%s got %s, which is gone or not for it", worker, x.Name)
	}
	if slices.Contains(c.oks[x.Name.PlanID], worker) {
		c.Fatalf("%s got %s after its ok", worker, x.Name)
	}
}

func (c *claimsCheck) until() {
	for {
		wake := c.m.Wake()
		if wake.IsZero() || wake.After(c.now) {
			return
		}
		c.step(event.Tick{})
	}
}

func (c *claimsCheck) create(t *rapid.T) {
	c.plans++
	c.step(event.Ask{What: command.CreatePlan{Definition: parse(c.whole, fmt.Sprintf(
		`{"plan_id":"p%d","station":"s","command":"c","priority":%d,"worker_count":%d,"worker_ids":[%s]}`, c.plans,
		rapid.IntRange(4, 6).Draw(t, "priority"), rapid.IntRange(1, 3).Draw(t, "workers"),
		rapid.SampledFrom([]string{"", "", `"w1"`, `"w2","w3"`}).Draw(t, "only"),
	))}})
	c.until()
}

func (c *claimsCheck) claim(t *rapid.T) {
	worker := fmt.Sprintf("w%d", rapid.IntRange(1, 4).Draw(t, "worker"))
	wait := time.Duration(rapid.IntRange(0, 3).Draw(t, "wait")) * time.Second
	if c.waiting[worker] {
		return
	}
	c.waiting[worker] = true
	c.step(event.Ask{From: worker, What: command.ClaimWork{
		WorkerID: worker, Stations: []string{"s"}, Limit: rapid.IntRange(1, 3).Draw(t, "limit"), Wait: wait,
	}})
	c.until()
}

// pick draws an execution that is out.
func (c *claimsCheck) pick(t *rapid.T) (*state.Plan, *state.Execution) {
	var plans []*state.Plan
	var all []*state.Execution
	c.m.part.Sorted.Scan(func(p *state.Plan) bool {
		for _, o := range p.Open {
			for _, x := range o.Live {
				plans, all = append(plans, p), append(all, x)
			}
		}
		return true
	})
	if len(all) == 0 {
		return nil, nil
	}
	i := rapid.IntRange(0, len(all)-1).Draw(t, "execution")
	return plans[i], all[i]
}

func (c *claimsCheck) report(t *rapid.T) {
	p, x := c.pick(t)
	if x == nil {
		return
	}
	state := rapid.SampledFrom([]schema.State{schema.StateOK, schema.StateError, schema.StateRunning}).Draw(t, "state")
	if state == schema.StateOK {
		c.oks[p.Name.PlanID] = append(c.oks[p.Name.PlanID], x.Worker)
	}
	c.step(event.ReplyReceived{About: about(c.m, p, x.N), Reply: schema.Reply{State: state}})
	c.until()
}

func (c *claimsCheck) putBack(t *rapid.T) {
	p, x := c.pick(t)
	if x == nil {
		return
	}
	c.step(event.Ask{What: command.ReturnWork{Executions: []command.ClaimedName{{Name: p.Name, N: x.N, Nonce: about(c.m, p, x.N).Nonce}}}})
	c.until()
}

func (c *claimsCheck) close(t *rapid.T) {
	if p, _ := c.pick(t); p != nil {
		c.step(event.Ask{What: command.ClosePlan{Name: p.Name}})
		c.until()
	}
}

func (c *claimsCheck) limit(t *rapid.T) {
	limit := rapid.Int64Range(0, 3).Draw(t, "limit")
	c.step(event.Ask{What: command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindPull, Policy: schema.Policy{
		MaxConcurrency: &limit, Retry: &schema.Retry{Strategy: schema.RetryFixed}, PingTimeoutMS: pointer(4000),
	}}}})
	c.until()
}

func (c *claimsCheck) pass(t *rapid.T) {
	to := c.now.Add(time.Duration(rapid.IntRange(1, 3000).Draw(t, "ms")) * time.Millisecond)
	for wake := c.m.Wake(); !wake.IsZero() && !wake.After(to); wake = c.m.Wake() {
		if wake.After(c.now) {
			c.now = wake
		}
		c.step(event.Tick{})
	}
	c.now = to
}

// replace has another leader take over from the rows; the waiting claims are gone.
func (c *claimsCheck) replace(*rapid.T) {
	c.m = New(config)
	for i, r := range c.rows {
		if err := c.m.Replay(uint64(i+1), r); err != nil {
			c.Fatal(err)
		}
	}
	c.epoch++
	clear(c.waiting)
	c.m.Lead(c.now, 1+c.epoch, c.now.Add(-time.Hour))
	c.until()
}

func (c *claimsCheck) check(*rapid.T) {
	under := int64(0)
	for _, p := range c.m.part.Plans {
		for _, o := range p.Open {
			under += int64(len(o.Live))
			c.occurrence(p, o)
		}
	}
	s := c.m.part.Stations["s"]
	if under != s.UnderWay {
		c.Fatalf("%d are under way, and %d are counted", under, s.UnderWay)
	}
}

func (c *claimsCheck) occurrence(p *state.Plan, o *state.Occurrence) {
	var at []string
	for _, x := range o.Live {
		at = append(at, x.Worker)
	}
	for _, e := range o.Done() {
		at = append(at, e.Worker)
	}
	if int64(len(at)) > p.Wants() {
		c.Fatalf("%s is with %v, and wants %d", p.Name, at, p.Wants())
	}
	slices.Sort(at)
	if len(slices.Compact(slices.Clone(at))) < len(at) {
		c.Fatalf("%s is twice with one of %v", p.Name, at)
	}
	if o.Offer == nil || !c.m.part.HasRoom(p.Station) {
		return
	}
	for worker := range c.waiting {
		if p.MayClaim(worker) && !p.Keeps(o, worker) {
			c.Fatalf("%s waits, and %s lies there", worker, p.Name)
		}
	}
}

// A requested Tick counts as a visit even if the executions that a claim had no room for are gone
// by then, because its leader would otherwise take it for a full batch, and wait for ever.
func TestASearchThatFindsNothingIsALook(t *testing.T) {
	s := newStory(t)
	s.ask(command.PutStation{Station: &schema.Station{Station: "q", Kind: schema.KindPull}})
	data := wire.Text(wire.JSON, strings.Repeat("d", 8<<10))
	terms, err := wire.ValueOf(wire.JSON, map[string]wire.Value{"d": data})
	if err != nil {
		t.Fatal(err)
	}
	s.ask(command.PushItem{
		Name:       schema.PlanName{PlanID: "a"},
		Definition: parse(t, `{"plan_id":"a","station":"q","command":"c"}`),
		Item:       wire.Text(wire.JSON, "x"), Terms: command.InboxTerms{Data: terms},
	})
	claim := event.Ask{From: "w", What: command.ClaimWork{WorkerID: "w", Limit: 1, Wait: time.Minute}}
	small := batch.New(100)
	small.Reset(s.n + 1)
	s.m.Step(s.now, claim, small)
	if len(small.Effects) != 0 {
		t.Fatalf("there was room for %v", small.Effects)
	}
	s.ask(command.DropItems{PlanID: "a"})
	for wake := s.m.Wake(); !wake.After(s.now); wake = s.m.Wake() {
		if s.n > 1000 {
			t.Fatalf("a Tick at %v was due at %v, and comes to nothing", s.now, wake)
		}
		s.step(event.Tick{})
	}
}

// An execution that went back and is claimed again before its plan is looked at is under way once,
// because otherwise its station would have less room for as long as it lasts.
func TestExecutionClaimedAgainIsUnderWayOnce(t *testing.T) {
	x := newBench(t)
	limit := int64(2)
	x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{
		Station: "s", Kind: schema.KindPull, Policy: schema.Policy{MaxConcurrency: &limit},
	}}})
	x.create(`{"plan_id":"a","station":"s","command":"c","worker_count":3}`)
	x.looks()
	claim := func(worker string) *event.Outgoing {
		t.Helper()
		h, _ := x.last(x.step(event.Ask{From: worker, What: command.ClaimWork{WorkerID: worker, Limit: 1}})).(event.ClaimGranted)
		if len(h.Executions) != 1 {
			t.Fatalf("%s gets %d executions", worker, len(h.Executions))
		}
		return h.Executions[0]
	}
	first := claim("w1")
	x.step(event.Ask{From: "front", What: command.ReturnWork{Executions: []command.ClaimedName{{Name: first.Name, N: first.N, Nonce: aboutOf(first).Nonce}}}})
	claim("w2")
	x.looks()
	claim("w3")
	if x.m.part.Executing != 2 {
		t.Errorf("%d are under way, and counted", x.m.part.Executing)
	}
}
