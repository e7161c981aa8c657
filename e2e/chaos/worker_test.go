//go:build linux

package chaos

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// stations are those that workers serve.
const (
	stationPlain = "plain" // ok at once
	stationSlow  = "slow"  // running, then ok after some tenths of a second
	stationFlaky = "flaky" // errors now and then, and silence
)

// workers are those of all stations, each on a connection of its own.
type workers struct {
	in   *installation
	hist *history
	seed uint64

	mu      sync.Mutex
	members []*member
	made    int
	busy    sync.WaitGroup
}

// A member is one worker.
type member struct {
	workers *workers
	id      string
	nc      *nats.Conn
	links   []*proxy      // its proxies to the nats-servers
	still   sync.RWMutex  // locked while it is frozen
	dead    chan struct{} // closed when it was killed

	seeing sync.Mutex   // the executions of its stations come side by side
	seen   map[int]seen // by partition
	taken  int
}

// A seen is the highest epoch that a worker has seen of a partition, and the one before.
type seen struct {
	Partition int   `json:"partition"`
	Epoch     int64 `json:"epoch"`
	Before    int64 `json:"before"`
}

// announceEvery is the number of executions between two announcements of a worker's epochs.
const announceEvery = 20

// announce publishes the epochs that this worker has seen, at each new epoch and now and then,
// so that they reach new leaders, and those that do not know that they are deposed.
func (m *member) announce(partition int, epoch int64) {
	m.seeing.Lock()
	defer m.seeing.Unlock()
	m.taken++
	known := m.seen[partition]
	newer := epoch > known.Epoch
	if newer {
		m.seen[partition] = seen{partition, epoch, known.Epoch}
	}
	if newer || m.taken%announceEvery == 0 {
		body, _ := json.Marshal(map[string]any{"epochs": slices.Collect(maps.Values(m.seen))}) // of numbers
		_ = m.nc.Publish("worker.here."+m.id+"."+stationPlain, body)
	}
}

func (c *workers) hire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	m := &member{workers: c, id: "w" + strconv.Itoa(c.made), dead: make(chan struct{}), seen: map[int]seen{}}
	var ways []string
	m.links, ways = newProxies(c.in.t, c.in.addresses)
	m.nc = c.in.connectBy(m.id, ways)
	noteCuts(m.nc, c.hist)
	for _, station := range []string{stationPlain, stationSlow, stationFlaky} {
		sub, err := m.nc.QueueSubscribe("station."+station, station, m.take)
		if err != nil {
			c.in.t.Error(err)
			return
		}
		_ = sub.SetPendingLimits(-1, -1) // it is a subscription of ours, just made
	}
	_ = m.nc.FlushTimeout(5 * time.Second) // the scheduler sends again an execution that comes before the subscription
	c.members = append(c.members, m)
}

// noteCuts records the times when a connection is down.
func noteCuts(nc *nats.Conn, h *history) {
	var mu sync.Mutex
	var since time.Time
	nc.SetDisconnectErrHandler(func(*nats.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		since = time.Now()
	})
	nc.SetReconnectHandler(func(*nats.Conn) {
		mu.Lock()
		defer mu.Unlock()
		// Messages that were sent shortly before went into a dead connection.
		h.cut(span{since.Add(-5 * time.Second), time.Now().Add(time.Second)})
	})
}

// noteStalls records the times when this process did not run, because a reply that a
// worker recorded as sent just before was still on its way then.
func noteStalls(t *testing.T, h *history) {
	const every = 100 * time.Millisecond
	var watching sync.WaitGroup
	watching.Go(func() {
		for before := time.Now(); rest(t.Context(), every); {
			now := time.Now()
			if now.Sub(before) > every+transit/2 {
				h.cut(span{before.Add(-every), now.Add(transit)})
			}
			before = now
		}
	})
	t.Cleanup(watching.Wait)
}

// one is a random worker.
func (c *workers) one(chance *rand.Rand) *member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members[chance.IntN(len(c.members))]
}

// fire kills the oldest worker, even during an execution, and hires another.
func (c *workers) fire() string {
	c.mu.Lock()
	m := c.members[0]
	c.members = c.members[1:]
	c.mu.Unlock()
	close(m.dead)
	m.nc.Close()
	c.hire()
	return m.id
}

// take is called with each execution.
func (m *member) take(msg *nats.Msg) {
	m.await()
	at := time.Now()
	var x struct {
		Plan     string    `json:"plan_id"`
		Station  string    `json:"station"`
		K        int64     `json:"occurrence"`
		Attempt  int64     `json:"attempt"`
		Exec     string    `json:"exec"`
		PlanTime time.Time `json:"plan_time"`
		Deadline time.Time `json:"deadline"`
		Epoch    int64     `json:"epoch"`
		Messages []int64   `json:"messages"`
	}
	if err := json.Unmarshal(msg.Data, &x); err != nil {
		m.workers.in.t.Errorf("%s: %q: %v", msg.Subject, msg.Data, err)
		return
	}
	r := &run{
		Plan: x.Plan, Station: x.Station, K: x.K, Attempt: x.Attempt, Epoch: x.Epoch,
		PlanTime: x.PlanTime, Deadline: x.Deadline, At: at, Trigger: msg.Header.Get("Plan-Trigger") != "",
	}
	n, _, _ := strings.Cut(x.Exec, "-")
	r.N, _ = strconv.ParseInt(n, 10, 64)
	r.StartBy, _ = time.Parse(time.RFC3339Nano, msg.Header.Get("Plan-Start-By"))
	if tokens := strings.Split(msg.Reply, "."); len(tokens) > 2 {
		r.Partition, _ = strconv.Atoi(tokens[2]) // plan.reply.<partition>.…
	}
	m.announce(r.Partition, r.Epoch)
	if len(x.Messages) > 0 {
		r.Rev = x.Messages[0]
		if !slices.Equal(x.Messages, messages(r.Rev)) {
			m.workers.in.t.Errorf("%s: execution %s has %d messages, which are not those of one revision", x.Plan, x.Exec, len(x.Messages))
		}
	}
	m.workers.hist.start(r)
	m.workers.busy.Go(func() { m.work(msg, r) })
}

// work behaves as the station does. The execution decides the behaviour, so that a run can
// be repeated with its seed.
func (m *member) work(msg *nats.Msg, r *run) {
	mood := uint64(r.N)
	for _, b := range []byte(r.Plan) {
		mood = mood*131 + uint64(b)
	}
	chance := rand.New(rand.NewPCG(m.workers.seed, mood))
	insists := chance.IntN(2) == 0
	dice := chance.IntN(100)
	switch {
	case r.Station == stationSlow:
		m.await()
		m.reply(msg, map[string]any{"state": "running", "worker_id": m.id})
		if dice < 10 {
			m.prolong(msg, r)
		}
		if !m.spend(time.Duration(100+chance.IntN(600)) * time.Millisecond) {
			m.workers.hist.edit(func() { r.Died = true })
			return
		}
	case r.Station == stationFlaky && dice < 15:
		m.answer(msg, r, "error", insists)
		return
	case r.Station == stationFlaky && dice < 19:
		return // no reply
	}
	m.answer(msg, r, "ok", insists)
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// await blocks while a worker is frozen.
func (m *member) await() {
	m.still.RLock()
	defer m.still.RUnlock()
}

// spend is the work; false when the worker was killed at it.
func (m *member) spend(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-m.dead:
		return false
	}
}

func (m *member) reply(msg *nats.Msg, reply map[string]any) {
	body, _ := json.Marshal(reply) // of text and numbers
	_ = m.nc.Publish(msg.Reply, body)
}

// prolong asks for two more seconds. Only an acknowledgement shows that the leader has
// received it, because a nats-server that is killed loses messages that it has not passed
// on.
func (m *member) prolong(msg *nats.Msg, r *run) {
	from := time.Now()
	body, _ := json.Marshal(map[string]any{"state": "waiting", "extend": 2, "worker_id": m.id}) // of text and numbers
	answer, err := m.nc.Request(msg.Reply, body, time.Second)
	if err != nil {
		return
	}
	if _, accepted := acknowledged(answer.Data); accepted {
		m.workers.hist.edit(func() { r.Deadline = laterOf(r.Deadline, from.Add(2*time.Second)) })
	}
}

// acknowledged returns whether a reply was acknowledged, and whether it had an effect.
func acknowledged(answer []byte) (acked, accepted bool) {
	var a struct {
		Ack      bool `json:"ack"`
		Accepted bool `json:"accepted"`
	}
	err := json.Unmarshal(answer, &a)
	return err == nil && a.Ack, err == nil && a.Accepted
}

// answer sends the last reply once, as a plain NATS service does, or repeats it until it is
// acknowledged, as a library does.
func (m *member) answer(msg *nats.Msg, r *run, state string, insists bool) {
	select {
	case <-m.dead:
		m.workers.hist.edit(func() { r.Died = true })
		return
	default:
	}
	m.await()
	reply := map[string]any{"state": state, "worker_id": m.id}
	m.workers.hist.edit(func() { r.Replied, r.RepliedAt = state, time.Now() })
	if !insists {
		m.reply(msg, reply)
		return
	}
	body, _ := json.Marshal(reply) // of text
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); {
		answer, err := m.nc.Request(msg.Reply, body, time.Second)
		if err == nil {
			if acked, accepted := acknowledged(answer.Data); acked {
				m.workers.hist.edit(func() { r.Acked, r.Counted = true, accepted })
				return
			}
		}
		if !m.spend(100 * time.Millisecond) {
			return
		}
		m.await()
	}
}

// killWorker kills a worker. Replies that its client has not passed on yet are lost.
func (n *nemesis) killWorker(_ context.Context, f *fault) {
	f.At = time.Now()
	f.Target = n.workers.fire()
	n.hist.cut(span{f.At.Add(-time.Second), time.Now()})
}

// freezeWorker freezes a worker while NATS goes on to send it executions.
func (n *nemesis) freezeWorker(ctx context.Context, f *fault) {
	m := n.workers.one(n.chance)
	f.At, f.Target = time.Now(), m.id
	m.still.Lock()
	rest(ctx, time.Duration(500+n.chance.IntN(6000))*time.Millisecond)
	m.still.Unlock()
}

// cutWorker ends the connections of a worker, or lets no byte of them pass for a while.
func (n *nemesis) cutWorker(ctx context.Context, f *fault) {
	m := n.workers.one(n.chance)
	f.At, f.Target = time.Now(), m.id
	w := weather{refuse: true}
	if n.chance.IntN(2) == 0 {
		w = weather{holdUp: n.chance.IntN(2) == 0, holdDown: true}
	}
	suffer(ctx, m.links, w, time.Duration(100+n.chance.IntN(5000))*time.Millisecond)
	n.hist.cut(span{f.At.Add(-time.Second), time.Now().Add(time.Second)})
}
