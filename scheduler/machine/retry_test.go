package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// TestDecideRetry is the table of all consequences of an execution that ended badly.
func TestDecideRetry(t *testing.T) {
	for _, c := range []struct {
		ok, manual bool
		want       transition.RetryDecision
	}{
		{true, false, transition.Retry}, {true, true, transition.Retry}, {false, false, transition.GiveUp}, {false, true, transition.AskPerson},
	} {
		if got := transition.DecideRetry(c.ok, c.manual); got != c.want {
			t.Errorf("allowed %t, manual %t: %d, want %d", c.ok, c.manual, got, c.want)
		}
	}
}

// TestRetries leads an occurrence from one failure to the next, and checks the delays of its
// retries, and its result once the retries are used up.
func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		ends   string // of the executions, one by one
		want   string
	}{
		"default":     {``, "error error error", "1s 2s 4s"},
		"none":        {`"retry":{"strategy":"none"}`, "error", "failure(retries)"},
		"fixed":       {`"retry":{"strategy":"fixed_period","interval":5,"jitter":0}`, "error error error", "5s 5s 5s"},
		"last repeat": {`"retry":{"strategy":"sequence","sequence":[1,10],"jitter":0}`, "error error error", "1s 10s 10s"},
		"at once":     {`"retry":{"strategy":"sequence","sequence":[0],"jitter":0}`, "error", "1µs"},
		"exponential": {`"retry":{"strategy":"exponential","interval":2,"max_interval":7,"jitter":0}`, "error error error", "2s 4s 7s"},
		"used up":     {`"retry":{"max_error_count":2,"jitter":0}`, "error error error", "1s 2s failure(retries)"},
		"no retry":    {`"retry":{"max_error_count":0}`, "error", "failure(retries)"},
		"a person":    {`"retry":{"max_error_count":1,"need_manual":true,"jitter":0}`, "error error", "1s error→pending(retries)"},
		"asked for":   {`"retry":{"jitter":0}`, "error+7 error", "7s 2s"},
		"not beyond":  {`"retry":{"max_error_count":0}`, "error+7", "failure(retries)"},
		"silence":     {`"retry":{"jitter":0},"start_timeout":3`, "silence error", "1s 2s"},
		"hangs":       {`"retry":{"jitter":0},"exec_timeout":3`, "running error", "1s 2s"},
		"unknown":     {`"on_unknown":"skip"`, "silence", "failure(unknown)"},
		"held":        {`"on_unknown":"hold"`, "silence", "timeout→pending(unknown)"},
		"told":        {`"on_unknown":"hold","retry":{"jitter":0}`, "error", "1s"}, // that is no doubt
		"failure":     {``, "failure", "failure→plan_error(worker)"},
		"no state":    {``, "maybe", "failure→plan_error(unknown_state)"},
		"nobody":      {`"retry":{"max_error_count":0}`, "nobody nobody error", "1s 2s failure(retries)"}, // is no error
	} {
		t.Run(name, func(t *testing.T) {
			x := newBench(t)
			if c.policy != "" {
				c.policy = "," + c.policy
			}
			x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"` + c.policy + `}`)
			var got []string
			for _, end := range strings.Fields(c.ends) {
				got = append(got, x.after(end))
			}
			if !strings.Contains(c.policy, "jitter") {
				got = roughly(got)
			}
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("%s, want %s", text, c.want)
			}
		})
	}
}

// after ends the execution under way and returns the consequence, which is a verdict, or a delay
// after which the execution is dispatched again.
func (x *bench) after(end string) string {
	x.Helper()
	name := schema.PlanName{Station: "s", PlanID: "p"}
	p := x.m.part.Plans[name]
	about := about(x.m, p, p.N)
	word, delay, asked := strings.Cut(end, "+")
	reply := schema.Reply{State: schema.State(word)}
	if asked {
		seconds := schema.Seconds(delay[0] - '0')
		reply.Delay = &seconds
	}
	var effects []event.Effect
	switch word {
	case "nobody":
		x.step(event.NoResponders{About: about})
	case "silence", "running":
		if word == "running" {
			x.step(event.ReplyReceived{About: about, Reply: reply})
		}
		x.now = x.m.Wake()
		effects = x.step(event.Tick{})
	default:
		effects = x.step(event.ReplyReceived{About: about, Reply: reply})
	}
	var r schema.Result
	for _, e := range effects {
		if e, ok := e.(event.Publish); ok {
			if err := wire.DecodeLoose(wire.Trust(e.Enc, e.Body), &r); err != nil {
				x.Fatal(err)
			}
		}
	}
	if r.Final {
		return fmt.Sprintf("%s(%s)", r.State, r.Reason)
	}
	if p.Suspension != nil {
		return fmt.Sprintf("%s→%s(%s)", r.State, p.Status(), p.Suspended().Reason)
	}
	since := x.now
	x.now = x.m.Wake()
	if _, ok := x.step(event.Tick{})[0].(event.Dispatch); !ok {
		x.Fatal("it was not dispatched again")
	}
	return x.now.Sub(since).String()
}

// roughly takes the jitter of a fifth, which only ever adds, from delays.
func roughly(delays []string) []string {
	for i, text := range delays {
		if d, err := time.ParseDuration(text); err == nil {
			for exact := time.Second; exact <= d; exact *= 2 {
				if d <= exact*6/5 {
					delays[i] = exact.String()
				}
			}
		}
	}
	return delays
}
