package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

func TestPushesOfOneQueueAreHandedOverTogether(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station, later := c.station(), time.Now().Add(time.Hour).Truncate(time.Second)
		work := c.worker(station)
		push := func(item any, more body) body {
			return c.req("plans.push", name(station, "a").with(body{"item": item}).with(more))
		}
		plan := body{"plan": body{"command": "c"}, "plan_time": c.moment(later)}
		match(t, "the first push", push(body{"x": 1}, plan), body{"state": "queued", "length": 1, "plan_id": "a", "station": station, "plan_time": later})
		match(t, "the second", push("two", plan.with(body{"plan_time": c.moment(later.Add(time.Hour))})), body{"length": 2, "plan_time": later})
		due := time.Now().Add(300 * time.Millisecond)
		match(t, "the third", push(3, plan.with(body{"plan_time": c.moment(due), "retime": "always"})), body{"length": 3})
		x := work.take()
		if early := time.Until(due); early > 0 {
			t.Errorf("handed over %v before its time", early)
		}
		items, _ := x.body["items"].([]any)
		if len(items) != 3 || items[1] != "two" {
			t.Fatalf("items are %v", x.body["items"])
		}
		// Items that arrive during a delivery are delivered next, and after an error the
		// same items come again, under the same key.
		match(t, "a push meanwhile", push(4, body{}), body{"length": 4, "state": "executing"})
		match(t, "the ok", x.request(body{"state": "ok"}), body{"accepted": true})
		x = work.take()
		if items, _ = x.body["items"].([]any); len(items) != 1 {
			t.Errorf("the next delivery has %v", items)
		}
		x.request(body{"state": "error", "delay": 0.05})
		again := work.take()
		match(t, "the repeated delivery", again.body, body{"key": x.text("key"), "attempt": 2})
		again.request(body{"state": "ok"})
		c.refused("plans.get", name(station, "a"))
		match(t, "a push without a plan", c.refused("plans.push", name(station, "a").with(body{"item": 1})), body{"code": "not_found"})
	})
}

func TestTasksOfAQueueAreClaimedCompletedAndReleased(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		key := c.station() + "/käse"
		for i := range 3 {
			match(t, "push", c.req("queues.push", body{"key": key, "task": body{"n": i}, "data": body{"last": i}}), body{"key": key, "length": i + 1})
		}
		get := body{"key": key, "number": 2, "timeout": 20, "random": "r1"}
		got := c.req("queues.get", get)
		match(t, "get", got, body{"key": key, "length": 3})
		if tasks := got.list("tasks"); len(tasks) != 2 || tasks[0].int("n") != 0 || tasks[1].int("n") != 1 || got.obj("data").int("last") != 2 {
			t.Errorf("got %v", got)
		}
		if again := c.req("queues.get", get); len(again.list("tasks")) != 2 {
			t.Errorf("the same random again got %v", again)
		}
		match(t, "another random", c.refused("queues.get", get.with(body{"random": "r2"})), body{"code": "conflict"})
		match(t, "another completes", c.refused("queues.complete", body{"key": key, "number": 2, "random": "r2"}), body{"code": "conflict"})
		match(t, "complete", c.req("queues.complete", body{"key": key, "number": 1, "random": "r1"}), body{"key": key, "length": 2})
		match(t, "without the lock", c.refused("queues.release", body{"key": key, "random": "r1"}), body{"code": "conflict"})
		c.req("queues.get", get.with(body{"random": "r2"}))
		match(t, "release", c.req("queues.release", body{"key": key, "random": "r2", "ontime": 1}), body{"key": key})
		if peeked := c.req("queues.peek", body{"key": key, "number": 9}); len(peeked.list("tasks")) != 2 {
			t.Errorf("peeked %v", peeked)
		}
		match(t, "delete", c.req("queues.delete", body{"key": key}), body{"key": key, "deleted": 2})
		empty := c.req("queues.get", get)
		if tasks, ok := empty["tasks"].([]any); !ok || len(tasks) != 0 || len(empty.obj("data")) != 0 {
			t.Errorf("an empty queue gives %v", empty)
		}
		match(t, "and no lock", c.refused("queues.complete", body{"key": key, "random": "r1"}), body{"code": "conflict"})
	})
}

func TestWorkersOfAStationAreNotifiedOfAQueue(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station, key := c.station(), c.station()
	work := c.worker(station)
	c.req("queues.push", body{"key": key, "task": 1, "station": station})
	c.req("queues.push", body{"key": key, "task": 2, "station": station})
	x := work.take()
	match(t, "the execution", x.body, body{"command": "queue", "items": absent})
	match(t, "its message", x.list("messages")[0], body{"key": key})
	c.req("queues.get", body{"key": key, "number": 1, "timeout": 9, "random": "r"})
	c.req("queues.complete", body{"key": key, "number": 1, "random": "r"})
	x.request(body{"state": "ok"})
	x = work.take() // the remaining items, at once
	match(t, "the message then", x.list("messages")[0], body{"key": key, "length": 1})
	match(t, "another station", c.refused("queues.push", body{"key": key, "task": 3, "station": station + "x"}), body{"code": "conflict"})
	c.req("queues.delete", body{"key": key})
}

func TestLargeItemsAreReadBackInOrder(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	const station, items = "large", 40
	pad := strings.Repeat("x", 60<<10)
	plan := body{"command": "c"}
	for i := range items {
		c.req("plans.push", name(station, "a").with(body{
			"item": body{"n": i, "pad": pad}, "plan": plan, "plan_time": c.moment(time.Now().Add(time.Hour)),
		}))
	}
	match(t, "too large", c.refused("plans.push", name(station, "a").with(body{"item": strings.Repeat("x", 300<<10)})), body{"code": "too_large"})
	s.kill9()
	s.restart(t)
	c.flush()
	work := c.worker(station)
	c.req("plans.trigger", name(station, "a"))
	for next := int64(0); next < items; {
		x := work.take()
		for _, item := range x.list("items") {
			if item.int("n") != next || item.text("pad") != pad {
				t.Fatalf("item %d came as %d", next, item.int("n"))
			}
			next++
		}
		match(t, "ok", x.request(body{"state": "ok"}), body{"accepted": true})
	}
	c.refused("plans.get", name(station, "a"))
}

// A queueLedger records the acknowledged pushes of queues, and their deliveries.
type queueLedger struct {
	mu    sync.Mutex
	acked map[string][]int64 // by queue, in the order of pushes
	first map[string][]int64 // by queue, the order in which items were first delivered
	seen  map[string]map[int64]bool
	done  map[string]map[int64]completion // for good
	keys  map[string][]int64              // the items that a key delivered
	wrong []string
}

// A completion is the execution that completed an item.
type completion struct{ key, exec string }

// deliver returns the execution that has completed these items already. There can be one,
// because an execution that exceeded its timeout was dispatched again before its worker
// sent ok after all.
func (b *queueLedger) deliver(x *execution) (by string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, key := x.text("plan_id"), x.text("key")
	var got []int64
	for _, item := range x.list("items") {
		n := item.int("n")
		got = append(got, n)
		if !b.seen[q][n] {
			b.seen[q][n] = true
			b.first[q] = append(b.first[q], n)
		}
		if with, ok := b.done[q][n]; ok && with.key == key {
			by = with.exec
		} else if ok {
			b.wrong = append(b.wrong, fmt.Sprintf("%s: item %d was completed with %s and came again with %s", q, n, with.key, key))
		}
	}
	if before, ok := b.keys[key]; ok && !slices.Equal(before, got) {
		b.wrong = append(b.wrong, fmt.Sprintf("%s handed over %v, then %v", key, before, got))
	}
	b.keys[key] = got
	return by
}

func (b *queueLedger) twice(x *execution, by string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, fmt.Sprintf("%s: what %s completed, %s completed again", x.text("plan_id"), by, x.text("exec")))
}

func (b *queueLedger) complete(x *execution) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, item := range x.list("items") {
		b.done[x.text("plan_id")][item.int("n")] = completion{x.text("key"), x.text("exec")}
	}
}

// work answers a worker's executions, in request form, each third one with an error.
func (b *queueLedger) work(c *client, station string) {
	count := 0
	c.serve(station, func(x *execution) any {
		by := b.deliver(x)
		state := "ok"
		if count++; count%3 == 0 {
			state = "error"
		}
		raw, err := x.enc.encode(body{"state": state, "delay": 0.01})
		if err != nil {
			return nil
		}
		ack, err := c.nc.Request(x.msg.Reply, raw, time.Second)
		if err != nil {
			return nil
		}
		v, err := speaks(ack.Data).decode(ack.Data)
		answer, isMap := v.(map[string]any)
		switch {
		case err != nil || !isMap || answer["accepted"] != true:
		case by != "" && by != x.text("exec"):
			b.twice(x, by)
		case state == "ok":
			b.complete(x)
		}
		return nil
	})
}

// push fills a queue until the server is gone; from is the number of the first item.
func (b *queueLedger) push(c *client, station, q string, from int64) (next int64) {
	pad := strings.Repeat("x", 8<<10)
	for n := from; ; n++ {
		item := body{"n": n}
		if n%20 == 0 {
			item["pad"] = pad
		}
		raw, err := c.enc.encode(name(station, q).with(body{
			"item": item, "plan": body{"command": "c", "exec_timeout": 2, "batch": 7, "retry": body{"strategy": "fixed_period", "interval": 0.05}},
		}))
		if err != nil {
			return n + 1
		}
		msg, err := c.nc.Request("plans.push", raw, patience)
		if err != nil {
			return n + 1 // this push may be stored or not
		}
		if msg.Header.Get("Nats-Service-Error") == "" {
			b.mu.Lock()
			b.acked[q] = append(b.acked[q], n)
			b.mu.Unlock()
		}
	}
}

func TestNoAcknowledgedItemIsLostByKill9(t *testing.T) {
	t.Parallel()
	const station, queues = "queues", 6
	s := start(t)
	b := &queueLedger{
		acked: map[string][]int64{}, first: map[string][]int64{}, seen: map[string]map[int64]bool{},
		done: map[string]map[int64]completion{}, keys: map[string][]int64{},
	}
	next := map[string]int64{}
	for i := range queues {
		q := fmt.Sprintf("q%d", i)
		b.seen[q], b.done[q], next[q] = map[int64]bool{}, map[int64]completion{}, 1
	}
	for cycle, results := range []int{150, 10, 250, 1} {
		c := connect(t, s, inJSON)
		watch := connect(t, s, inJSON).results(station)
		b.work(c, station)
		var pushers sync.WaitGroup
		var mu sync.Mutex
		for q, from := range next {
			pushers.Go(func() {
				to := b.push(c, station, q, from)
				mu.Lock()
				next[q] = to
				mu.Unlock()
			})
		}
		for range results {
			watch.msg()
		}
		if cycle == 2 {
			if code := s.terminate(); code != 0 {
				t.Errorf("exit code %d under load", code)
			}
		}
		s.kill9()
		c.nc.Close()
		pushers.Wait()
		s.restart(t)
	}
	c := connect(t, s, inJSON)
	b.work(c, station)
	drained(t, c, station)

	b.mu.Lock()
	defer b.mu.Unlock()
	total := 0
	for q, acked := range b.acked {
		total += len(acked)
		at := 0
		for _, n := range b.first[q] { // acknowledged items come in their order
			if at < len(acked) && n == acked[at] {
				at++
			}
		}
		if at != len(acked) {
			t.Errorf("%s: of %d acknowledged items, %d were delivered in order; item %d was not", q, len(acked), at, acked[at])
		}
		if !slices.IsSorted(b.first[q]) {
			t.Errorf("%s: items were first delivered out of order", q)
		}
	}
	for i, w := range b.wrong {
		if i == 5 {
			break
		}
		t.Error(w)
	}
	if total < 200 {
		t.Errorf("%d items were acknowledged, too few to show anything", total)
	}
	if lost := s.log.grep("items are lost"); len(lost) > 0 {
		t.Errorf("the log has: %s", lost[0])
	}
}

// drained waits until a station has no plan left.
func drained(t *testing.T, c *client, station string) {
	t.Helper()
	results := c.listen("plan.event.closed." + station + ".*")
	for deadline := time.Now().Add(4 * patience); len(c.pages("plans.list", "plans", body{"station": station})) > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("queues are left: %v", c.pages("plans.list", "plans", body{"station": station}))
		}
		if _, err := results.sub.NextMsg(time.Second); err != nil && err != nats.ErrTimeout {
			t.Fatal(err)
		}
	}
}
