//go:build linux

package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// askWithin bounds a request. It is longer than a leader's requests wait, and shorter than a
// person does.
const askWithin = 6 * time.Second

// A publisher keeps a number of plans under way, and creates a new one for each that has
// ended. The answers go into the history.
type publisher struct {
	in     *installation
	hist   *history
	prefix string
	nc     []*nats.Conn
	slots  sync.WaitGroup
}

// kinds are the plans that publishers create, one slot of each in turn.
var kinds = []func(p *planned, chance *rand.Rand) body{
	func(p *planned, chance *rand.Rand) body { return grid(p, chance, false) },
	func(p *planned, chance *rand.Rand) body { return grid(p, chance, true) },
	func(p *planned, chance *rand.Rand) body {
		p.Cron, p.Every, p.Repeat = true, time.Second, repeats(chance)
		return body{"plan_type": "cron", "cron": "* * * * * *", "plan_repet": p.Repeat}
	},
	func(p *planned, _ *rand.Rand) body {
		p.Repeat = 1
		return body{"plan_type": "none"}
	},
	func(p *planned, chance *rand.Rand) body {
		p.Repeat, p.NoKeep = 1, true
		p.Start = time.Now().Add(time.Duration(500+chance.IntN(3000)) * time.Millisecond)
		return body{"plan_type": "time", "plan_time": p.Start, "no_keep": true}
	},
	func(p *planned, chance *rand.Rand) body {
		p.Repeat, p.Station, p.NoKeep = 2*repeats(chance), stationSlow, true
		return body{"plan_type": "second", "plan_value": 0, "plan_repet": p.Repeat}
	},
	func(p *planned, chance *rand.Rand) body {
		p.Station = stationFlaky
		return grid(p, chance, true)
	},
	func(p *planned, chance *rand.Rand) body {
		p.Changes = true
		b := grid(p, chance, false)
		p.Repeat = -1
		return b.with(body{"plan_repet": -1, "messages": messages(1)})
	},
}

// messages repeat a revision so often that the definition is too large for memory, and each
// new leader has to read it back.
func messages(rev int64) []int64 { return slices.Repeat([]int64{rev}, 4000) }

type body map[string]any

func (b body) with(more body) body {
	for k, v := range more {
		b[k] = v
	}
	return b
}

// repeats is the number of occurrences of a plan, which is small when there is little time.
func repeats(chance *rand.Rand) int64 {
	if *length == 0 {
		return 3 + chance.Int64N(5)
	}
	return 5 + chance.Int64N(20)
}

// grid is a plan of each second that begins anywhere in one, so that at every moment some
// plan is nearly due.
func grid(p *planned, chance *rand.Rand, noKeep bool) body {
	p.Every, p.Repeat, p.NoKeep = time.Second, repeats(chance), noKeep
	p.Start = time.Now().Add(time.Duration(chance.IntN(1000)) * time.Millisecond).Truncate(time.Millisecond)
	return body{"plan_type": "second", "plan_value": 1, "plan_repet": p.Repeat, "plan_time": p.Start, "no_keep": noKeep}
}

// publish keeps count plans under way until ctx ends.
func publish(ctx context.Context, in *installation, h *history, count int, seed uint64) *publisher {
	p := &publisher{in: in, hist: h, prefix: fmt.Sprintf("p%x", seed&0xffff)}
	for i := range 4 {
		p.nc = append(p.nc, in.connect(fmt.Sprint("publisher ", i)))
	}
	for slot := range count {
		p.slots.Go(func() {
			chance := rand.New(rand.NewPCG(seed, uint64(slot)))
			for i := 0; ctx.Err() == nil; i++ {
				p.one(ctx, slot, i, chance)
			}
		})
	}
	return p
}

// one is the life of one plan, as its publisher sees it.
func (p *publisher) one(ctx context.Context, slot, i int, chance *rand.Rand) {
	plan := &planned{
		ID: fmt.Sprintf("%s-%d-%d", p.prefix, slot, i), Station: stationPlain, Command: "c", over: make(chan struct{}),
	}
	definition := kinds[slot%len(kinds)](plan, chance)
	a := p.create(slot, plan, definition)
	if a.Outcome != done {
		rest(ctx, time.Second) // it may exist or not; the checker decides
		return
	}
	if plan.Changes {
		p.change(ctx, slot, plan, chance)
		return
	}
	select {
	case <-plan.over:
	case <-ctx.Done():
	case <-time.After(2 * time.Minute): // its end was not received; the checker decides
	}
}

// create creates a plan, and records whether it was created.
func (p *publisher) create(slot int, plan *planned, definition body) *asked {
	p.hist.plan(plan)
	definition.with(body{
		"plan_id": plan.ID, "station": plan.Station, "command": plan.Command, "exec_timeout": 8, "start_timeout": 3,
		"retry": body{"strategy": "fixed_period", "interval": 0.3, "jitter": 0},
	})
	a := p.ask(slot, "create", plan, definition, 1)
	p.hist.edit(func() { plan.created = a.Outcome })
	return a
}

// untilNotMade creates plans that run once, one after the other, until one is not created,
// and returns that request.
func (p *publisher) untilNotMade() *asked {
	for i, until := 0, time.Now().Add(patience); ; i++ {
		plan := &planned{
			ID: fmt.Sprintf("%s-once-%d", p.prefix, i), Station: stationPlain, Command: "c", Repeat: 1, over: make(chan struct{}),
		}
		if a := p.create(0, plan, body{"plan_type": "none"}); a.Outcome != done || time.Now().After(until) {
			return a
		}
	}
}

// change updates, pauses and ends a plan.
func (p *publisher) change(ctx context.Context, slot int, plan *planned, chance *rand.Rand) {
	name := body{"station": plan.Station, "plan_id": plan.ID}
	rev := int64(1)
	for range 4 + chance.IntN(8) {
		if !rest(ctx, time.Duration(300+chance.IntN(1200))*time.Millisecond) {
			break
		}
		switch verb := []string{"update", "update", "pause", "resume", "trigger"}[chance.IntN(5)]; verb {
		case "update":
			rev++
			p.ask(slot, verb, plan, body{"messages": messages(rev)}.with(name), rev)
		default:
			p.ask(slot, verb, plan, name, 0)
		}
	}
	verb := []string{"close", "remove"}[chance.IntN(2)]
	for ctx.Err() == nil {
		if a := p.ask(slot, verb, plan, name, 0); a.Outcome == done || a.Code == "not_found" {
			return
		}
		rest(ctx, 200*time.Millisecond)
	}
}

// rest is a pause; false when ctx ended it.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// ask sends a request and records its answer.
func (p *publisher) ask(slot int, verb string, plan *planned, b body, rev int64) *asked {
	raw, err := json.Marshal(b)
	if err != nil {
		p.in.t.Error(err)
	}
	a := &asked{Verb: verb, Plan: plan.ID, Rev: rev, Sent: time.Now()}
	msg, err := p.nc[slot%len(p.nc)].Request("plans."+verb, raw, askWithin)
	a.At = time.Now()
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		a.Outcome, a.Code = absent, "no responders"
	case err != nil:
		a.Outcome, a.Code = unknown, err.Error()
	case msg.Header.Get("Nats-Service-Error") == "":
		a.Outcome = done
	default:
		var answer struct {
			Error struct {
				Code    string `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		}
		_ = json.Unmarshal(msg.Data, &answer) // an answer that cannot be read has no code
		a.Outcome, a.Code = refused, answer.Error.Code
		if a.Code == "unavailable" {
			a.Outcome, a.Code = unknown, "unavailable: "+answer.Error.Message
		}
	}
	p.hist.ask(a)
	return a
}

// doze subscribes to all broadcasts and reads none of them, on every nats-server, until ctx
// ends, because a reader that is far too slow must not hold up other clients.
func doze(ctx context.Context, in *installation) {
	for _, address := range in.addresses {
		in.dozing.Go(func() {
			for ctx.Err() == nil {
				if conn, err := net.Dial("tcp", address); err == nil {
					_, err := conn.Write([]byte("CONNECT {\"verbose\":false}\r\nSUB plan.result.> 1\r\nSUB plan.event.> 2\r\n"))
					for err == nil && rest(ctx, time.Second) {
						_, err = conn.Write([]byte("PING\r\n")) // it fails when the server has closed the connection
					}
					_ = conn.Close()
				}
				rest(ctx, time.Second)
			}
		})
	}
}

// observe records every result that is broadcast.
func observe(in *installation, h *history) {
	noteStalls(in.t, h)
	nc := in.connect("observer")
	noteCuts(nc, h)
	sub, err := nc.Subscribe("plan.result.>", func(m *nats.Msg) {
		at := time.Now()
		r := &result{body: string(m.Data)}
		if err := json.Unmarshal(m.Data, r); err != nil {
			in.t.Errorf("%s: %q: %v", m.Subject, m.Data, err)
			return
		}
		h.receive(r, at)
	})
	if err != nil {
		in.t.Fatal(err)
	}
	_ = sub.SetPendingLimits(-1, -1) // it cannot fail on a subscription just made
}
