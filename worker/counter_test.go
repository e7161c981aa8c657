package worker_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A counter is the part of a scripted scheduler that answers claims, on the subjects and with
// the bodies of docs/pull.md, with the executions that a test offers.
type counter struct {
	*scheduler
	noResponders string     // the subject on which the server reports an answer without a subscriber
	came         chan asked // every claim, when it has been answered or waits

	mu      sync.Mutex
	ready   []*dispatch
	waiting []*asked
	seen    []asked                // every claim
	handed  int                    // executions
	sent    map[string][]*dispatch // by the subject on which the server reports no subscriber
	back    int                    // executions that came back
	refuse  int                    // claims that are refused with an error, from now on
	mute    bool                   // claims are kept, and not answered
	delay   time.Duration          // of every answer
}

// asked is a claim that has arrived.
type asked struct {
	WorkerID string            `json:"worker_id"`
	Limit    int               `json:"limit"`
	WaitMS   int64             `json:"wait_ms"`
	TenantID string            `json:"tenant_id"`
	Category string            `json:"category"`
	Caller   string            `json:"caller"`
	Labels   map[string]string `json:"labels"`

	station string
	at      time.Time
	msg     *nats.Msg
	timer   *time.Timer
}

func newCounter(t *testing.T, nc *nats.Conn) *counter {
	t.Helper()
	c := &counter{scheduler: newScheduler(t, nc, ""), sent: map[string][]*dispatch{}, came: make(chan asked, 100_000)}
	claims, err := nc.Subscribe(c.space.Claim("*"), c.claimed)
	if err != nil {
		t.Fatal(err)
	}
	c.noResponders = nc.NewInbox() + "."
	returns, err := nc.Subscribe(c.noResponders+"*", c.returned)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = claims.Unsubscribe()
		_ = returns.Unsubscribe()
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, a := range c.waiting {
			a.timer.Stop()
		}
	})
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *counter) claimed(msg *nats.Msg) {
	a := asked{station: msg.Subject[len("plans.claim."):], at: time.Now(), msg: msg}
	body, err := wire.Scan(msg.Data, wire.Limits{})
	if err == nil {
		err = wire.Decode(body, &a)
	}
	if err != nil || a.Limit < 1 || a.Limit > 100 || a.WaitMS < 0 || a.WaitMS > 60_000 {
		c.t.Errorf("claim %q: %v", msg.Data, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, a)
	if c.delay > 0 {
		time.AfterFunc(c.delay, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.answerClaim(&a)
		})
		return
	}
	c.answerClaim(&a)
	c.came <- a
}

// answerClaim answers a claim now, or when an execution is ready.
func (c *counter) answerClaim(a *asked) {
	msg := a.msg
	switch {
	case c.refuse > 0:
		c.refuse--
		c.respond(msg, map[string]any{"error": map[string]any{"code": "unavailable", "message": "no leader"}})
	case c.mute:
	case !c.serve(a):
		a.timer = time.AfterFunc(time.Duration(a.WaitMS)*time.Millisecond, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if i := slices.Index(c.waiting, a); i >= 0 {
				c.waiting = slices.Delete(c.waiting, i, i+1)
				c.respond(msg, map[string]any{"executions": []any{}})
			}
		})
		c.waiting = append(c.waiting, a)
	}
}

// serve answers a claim with the ready executions, and reports false without any.
func (c *counter) serve(a *asked) bool {
	var got []*dispatch
	c.ready = slices.DeleteFunc(c.ready, func(d *dispatch) bool {
		take := d.exec.Station == a.station && len(got) < a.Limit
		if take {
			got = append(got, d)
		}
		return take
	})
	if len(got) == 0 {
		return false
	}
	executions := make([]map[string]any, len(got))
	for i, d := range got {
		executions[i] = d.claimed(c.t)
	}
	c.handed += len(got)
	body, err := wire.Marshal(wire.Detect(a.msg.Data), map[string]any{"executions": executions})
	if err != nil {
		c.t.Error(err)
	}
	noResponders := c.noResponders + strconv.Itoa(len(c.sent))
	c.sent[noResponders] = got
	if err := c.nc.PublishRequest(a.msg.Reply, noResponders, body); err != nil {
		c.t.Error(err)
	}
	return true
}

// returned puts back executions that found no subscriber.
func (c *counter) returned(msg *nats.Msg) {
	c.mu.Lock()
	got := c.sent[msg.Subject]
	c.back += len(got)
	c.handed -= len(got)
	c.mu.Unlock()
	c.offer(got...)
}

// claimed returns the dispatch as the answer to a claim has it.
func (d *dispatch) claimed(t *testing.T) map[string]any {
	body, err := wire.Marshal(d.enc, d.exec)
	if err != nil {
		t.Error(err)
	}
	members, _ := wire.Trust(d.enc, body).Any().(map[string]any)
	members["reply"] = d.reply
	return members
}

func (c *counter) respond(msg *nats.Msg, answer any) {
	body, err := wire.Marshal(wire.Detect(msg.Data), answer)
	if err == nil {
		err = msg.Respond(body)
	}
	if err != nil && !c.nc.IsClosed() {
		c.t.Error(err)
	}
}

// answer sends an answer without a claim.
func (c *counter) answer(inbox string, answer any) {
	c.t.Helper()
	body, err := wire.Marshal(wire.JSON, answer)
	if err == nil {
		err = c.nc.Publish(inbox, body)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// offer makes executions ready, and answers the claims that wait for them.
func (c *counter) offer(ds ...*dispatch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = append(c.ready, ds...)
	c.waiting = slices.DeleteFunc(c.waiting, func(a *asked) bool {
		served := c.serve(a)
		if served {
			a.timer.Stop()
		}
		return served
	})
}

// offerMany makes so many executions of a station ready.
func (c *counter) offerMany(station string, count int) {
	ds := make([]*dispatch, count)
	for i := range ds {
		ds[i] = c.execution(station)
	}
	c.offer(ds...)
}

// claims returns the claims that have arrived so far.
func (c *counter) claims() []asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}

func (c *counter) set(f func(c *counter)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c)
}

// ended waits for so many final replies, and counts them by state.
func (c *counter) ended(count int) map[schema.State]int {
	c.t.Helper()
	states := map[schema.State]int{}
	for count > 0 {
		if r := c.next(); r.State != schema.StateRunning && r.State != schema.StateWaiting {
			states[r.State]++
			count--
		}
	}
	return states
}
