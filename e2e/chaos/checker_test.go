//go:build linux

package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// tolerance bounds the error in the order of two clock readings on this machine.
const tolerance = 5 * time.Millisecond

// A verdict is the checker's findings.
type verdict struct {
	Violations []string
	Plans      int
	Executions int
	Results    int
	Received   int            // results that were broadcast to the observer
	Due        int            // occurrences, as far as their number is known,
	Settled    int            // and how many of them were executed or skipped
	Lost       int            // occurrences or plans that should exist
	Twice      map[string]int // occurrences that were executed again, by the reason
	Skipped    map[string]int // by reason
	Ghosts     int            // executions of an older epoch behind the first of a newer
	Unheard    int            // results that are stored and were not broadcast to the observer
	Late       []time.Duration
	Outcomes   map[string]int // requests
	Doubts     map[string]int // requests with an unknown outcome, by the answer
}

// A checker compares a history and the final state of the store with the program's
// promises. It shares no code with the program.
type checker struct {
	*history
	stored []*result
	left   map[string]bool // plans that exist in the end

	v       verdict
	results map[string][]*result // by plan, in the stream's order
	byPlan  map[string][]*run
	changed map[string][]*asked // the requests about a plan
}

func check(h *history, stored []*result, left map[string]bool) *verdict {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &checker{
		history: h, stored: stored, left: left,
		results: map[string][]*result{}, byPlan: map[string][]*run{}, changed: map[string][]*asked{},
		v: verdict{Twice: map[string]int{}, Skipped: map[string]int{}, Outcomes: map[string]int{}, Doubts: map[string]int{}, Plans: len(h.plans)},
	}
	for _, r := range stored {
		c.results[r.Plan] = append(c.results[r.Plan], r)
	}
	for _, r := range h.runs {
		c.byPlan[r.Plan] = append(c.byPlan[r.Plan], r)
	}
	c.v.Executions, c.v.Results, c.v.Received = len(h.runs), len(stored), len(h.received)
	for _, a := range h.asked {
		c.changed[a.Plan] = append(c.changed[a.Plan], a)
		c.v.Outcomes[a.Verb+" "+string(a.Outcome)]++
		if a.Outcome == unknown {
			c.v.Doubts[a.Code]++
		}
		if a.Outcome == refused && a.Code != "conflict" && a.Code != "not_found" {
			c.wrong("%s of %s was refused: %s", a.Verb, a.Plan, a.Code)
		}
	}
	for id, p := range h.plans {
		c.plan(id, p)
	}
	for id := range c.results {
		if h.plans[id] == nil {
			c.wrong("%s: results of a plan that was never created", id)
		}
	}
	c.epochs()
	c.broadcasts()
	slices.Sort(c.v.Violations)
	slices.Sort(c.v.Late)
	return &c.v
}

func (c *checker) wrong(format string, args ...any) {
	c.v.Violations = append(c.v.Violations, fmt.Sprintf(format, args...))
}

// lost is a violation that is counted.
func (c *checker) lost(format string, args ...any) {
	c.v.Lost++
	c.wrong("lost: "+format, args...)
}

// plan checks one plan.
func (c *checker) plan(id string, p *planned) {
	results, runs := c.results[id], c.byPlan[id]
	there := p.created == done || len(results) > 0 || len(runs) > 0
	if !there {
		if p.created != done && c.left[id] {
			there = true
		} else {
			return // it was not created, and no answer claimed that it was
		}
	}
	if c.left[id] {
		c.wrong("%s is still there, though its end has come: created %s, %d results", id, p.created, len(results))
		return
	}
	c.numbers(id, p, results)
	c.occurrences(id, p, results)
	c.executions(id, p, results, runs)
	if p.Changes {
		c.changes(id, runs)
	}
}

// ended returns the last request to close or remove a plan that may have been carried out, if
// there is one.
func (c *checker) ended(id string) (verb string, sent time.Time) {
	for _, a := range c.changed[id] {
		if (a.Verb == "close" || a.Verb == "remove") && a.Outcome != absent {
			if sent.IsZero() {
				verb, sent = a.Verb, a.Sent
			}
			if a.Verb == "remove" {
				verb = "remove"
			}
		}
	}
	return verb, sent
}

// putBack reports whether a pause may have put an execution back, which no worker has received. Its
// occurrence has another number later.
func (c *checker) putBack(id string, n int64) bool {
	return slices.ContainsFunc(c.changed[id], func(a *asked) bool { return a.Verb == "pause" && a.Outcome != absent && a.Outcome != refused }) &&
		!slices.ContainsFunc(c.byPlan[id], func(r *run) bool { return r.N == n })
}

// numbers checks that each n has one result, and a late ok one of its own, that none is missing but
// of an execution that was put back, and that the counts in them add up.
func (c *checker) numbers(id string, p *planned, results []*result) {
	byN := slices.Clone(results)
	slices.SortStableFunc(byN, func(a, b *result) int { return cmp.Compare(a.N, b.N) })
	covered, last := int64(0), int64(0)
	for i, r := range byN {
		switch {
		case r.N == last:
			c.wrong("%s: two results of n=%d: %s and %s", id, r.N, byN[i-1].State, r.State)
		default:
			for n := last + 1; n < r.N; n++ {
				if verb, _ := c.ended(id); verb != "remove" && !c.putBack(id, n) {
					c.lost("%s: no result of n=%d; that of n=%d was stored at %v", id, n, r.N, r.stored)
				}
			}
		}
		last = r.N
		if r.Final && r.K > 0 {
			covered += max(r.Count, 1)
		}
	}
	most, before := int64(0), int64(0)
	for _, r := range results {
		// Executions of such a plan do not overlap; only an ok after its timeout is late.
		if p.NoKeep && r.N < before && r.State != "ok" {
			c.wrong("%s: the result of n=%d is stored behind that of n=%d", id, r.N, before)
		}
		before = max(before, r.N)
		most = max(most, r.RealRepeat+r.Skipped)
	}
	if most != covered {
		c.wrong("%s: real_repet and skip_num add up to %d, and %d occurrences are settled", id, most, covered)
	}
}

// cameAgain reports whether occurrences may be due so much earlier than their numbers
// imply, because a clock went back, so that due times that were in the future by it came
// again, under new numbers.
func (c *checker) cameAgain(earlier, every time.Duration) bool {
	most := time.Duration(0)
	for _, s := range c.skews {
		most += s.ahead.Abs() + every
	}
	return earlier > 0 && earlier%every == 0 && earlier <= most
}

// occurrences checks that each one that was due is settled once, at its own time.
func (c *checker) occurrences(id string, p *planned, results []*result) {
	settled := map[int64]*result{}
	last := int64(0)
	for _, r := range results {
		if r.K == 0 {
			continue // a trigger
		}
		if want := p.Start.Add(time.Duration(r.K) * p.Every); !p.Start.IsZero() && p.Every > 0 && !r.PlanTime.Equal(want) && !c.cameAgain(want.Sub(r.PlanTime), p.Every) {
			c.wrong("%s: occurrence %d is due at %v, want %v", id, r.K, r.PlanTime, want)
		}
		if !r.Final {
			continue
		}
		for k := r.first(); k <= r.K; k++ {
			if s := settled[k]; s != nil {
				c.wrong("%s: occurrence %d is settled twice: n=%d %s, n=%d %s", id, k, s.N, s.State, r.N, r.State)
			}
			settled[k] = r
			last = max(last, k)
		}
		if r.State == "skipped" {
			c.v.Skipped[r.Reason] += int(max(r.Count, 1))
			if p.NoKeep && !p.Changes {
				c.lost("%s: occurrence %d is skipped (%s), though its plan keeps all", id, r.K, r.Reason)
			}
		}
	}
	verb, sent := c.ended(id)
	want := p.Repeat
	switch {
	case verb == "remove":
		return
	case want < 0:
		want = last
		if sent.IsZero() {
			c.wrong("%s is gone, without a request", id)
		} else if p.Every > 0 {
			want = max(last, int64(c.earliest(sent).Sub(p.Start)/p.Every)-outstanding)
		}
	}
	for k := int64(1); k <= want; k++ {
		c.v.Due++
		if settled[k] == nil {
			c.lost("%s: occurrence %d of %d was neither executed nor skipped", id, k, want)
			continue
		}
		c.v.Settled++
	}
	if p.Repeat > 0 && last > p.Repeat {
		c.wrong("%s: %d occurrences, want %d", id, last, p.Repeat)
	}
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// outstanding is the number of occurrences of a plan that may be open when it is closed.
const outstanding = 60

// executions checks that none is early, none comes twice without a reason, and no result comes
// without one.
func (c *checker) executions(id string, p *planned, results []*result, runs []*run) {
	byN := map[int64]*result{}
	for _, r := range results {
		if byN[r.N] == nil {
			byN[r.N] = r
		}
	}
	seen, okOf := map[int64]*run{}, map[int64]bool{}
	byK := map[int64][]*run{}
	verb, _ := c.ended(id)
	for _, x := range runs {
		if early := x.PlanTime.Sub(c.latest(x.At)); early > tolerance && !x.Trigger {
			c.wrong("%s: occurrence %d was executed %v before its time", id, x.K, early)
		}
		if was := seen[x.N]; was != nil && (was.Epoch >= x.Epoch || c.latest(x.At).Before(was.until().Add(-tolerance))) {
			// A new leader may send it once more after its timeout, because the leader that
			// decided it may have ended before.
			c.wrong("%s: execution n=%d was dispatched twice, at %s and %s, in partition %d, epochs %d and %d", id, x.N, clock(was.At), clock(x.At), x.Partition, was.Epoch, x.Epoch)
		}
		seen[x.N] = x
		byK[x.K] = append(byK[x.K], x)
		okOf[x.K] = okOf[x.K] || x.Replied == "ok"
		if x.Acked && x.Counted && byN[x.N] == nil && verb != "remove" {
			c.lost("%s: the %s of n=%d was taken, and has no result", id, x.Replied, x.N)
		}
		if x.Attempt == 1 && !x.Trigger && p.Every > 0 && !p.NoKeep && !c.behind(x.PlanTime, x.At) && !x.At.Before(x.PlanTime.Add(-tolerance)) {
			c.v.Late = append(c.v.Late, x.At.Sub(x.PlanTime))
		}
		r := byN[x.N]
		if r != nil && r.State == "timeout" && x.Replied != "" && c.arrives(x.RepliedAt).Before(x.until().Add(-time.Second)) && !c.behind(x.At, x.RepliedAt) && !c.lossy(x.At, x.RepliedAt) && !c.deposed(x) {
			c.lost("%s: n=%d (partition %d, epoch %d, at %s, until %s) said %s at %s, in time, and counts as timed out (%s) at %s",
				id, x.N, x.Partition, x.Epoch, clock(x.At), clock(x.until()), x.Replied, clock(x.RepliedAt), r.Reason, clock(r.EndTime))
		}
	}
	oks := map[int64]int{}
	for _, r := range results {
		if r.State == "ok" {
			oks[r.K]++
			if !okOf[r.K] {
				c.wrong("%s: n=%d counts as ok, and no worker replied so", id, r.N)
			}
		}
	}
	for k, xs := range byK {
		if oks[k] > 1 && k > 0 {
			c.wrong("%s: occurrence %d has %d results that are ok", id, k, oks[k])
		}
		if k > 0 {
			c.again(id, k, xs, byN)
		}
	}
}

// until is the moment until which the worker must have replied.
func (x *run) until() time.Time {
	if x.StartBy.IsZero() || !x.StartBy.Before(x.Deadline) {
		return x.Deadline
	}
	return x.StartBy
}

// again checks that an occurrence is executed again only when the execution before has ended
// without an ok, and, if the leader received no reply to it, its deadline was over.
func (c *checker) again(id string, k int64, xs []*run, byN map[int64]*result) {
	slices.SortFunc(xs, func(a, b *run) int { return cmp.Compare(a.N, b.N) })
	for i, x := range xs[1:] {
		before := xs[i]
		r := byN[before.N]
		switch {
		case r == nil:
			c.wrong("%s: occurrence %d was executed as n=%d and n=%d, and the first has no result", id, k, before.N, x.N)
			continue
		case r.State == "error":
			if before.Replied != "error" {
				c.wrong("%s: n=%d counts as an error (%s), and no worker replied so", id, before.N, r.Reason)
			}
		case r.State == "timeout":
			over := before.Deadline
			if r.Reason == "start" {
				over = before.until()
			}
			// An execution without a subscriber was published again, and its deadlines ran
			// from there. Nothing is appended for that, so a later leader knows the first
			// deadlines.
			if x.Epoch > before.Epoch && !r.ExecTime.IsZero() {
				over = over.Add(-max(0, before.At.Sub(r.ExecTime)))
			}
			// A deadline that was extended while the leader's clock was behind passes when
			// that clock is right again.
			if c.latest(x.At).Before(over.Add(-tolerance)) && !c.behind(before.At, x.At) {
				c.wrong("%s: occurrence %d was executed again (n=%d) %v before the deadline of n=%d was over", id, k, x.N, over.Sub(x.At), before.N)
			}
		default:
			c.wrong("%s: occurrence %d was executed again (n=%d) after n=%d ended %s", id, k, x.N, before.N, r.State)
			continue
		}
		c.v.Twice[r.State+" "+r.Reason]++
	}
}

// lossy reports whether a worker's reply, or a message to it, may have been lost in NATS.
func (c *checker) lossy(from, to time.Time) bool {
	from, to = from.Add(-2*time.Second), to.Add(2*time.Second)
	for _, s := range c.cuts {
		if s.meets(from, to) {
			return true
		}
	}
	for _, f := range c.faults {
		if f.Store && (span{f.At, f.Over}).meets(from, to) {
			return true
		}
	}
	return false
}

// changes checks that an acknowledged change holds for everything that falls due behind it.
func (c *checker) changes(id string, runs []*run) {
	type stretch struct {
		span
		verb string
		rev  int64
	}
	var held []stretch
	var all []*asked
	for _, a := range c.changed[id] {
		if a.Outcome != absent && a.Outcome != refused {
			all = append(all, a)
		}
	}
	// A request without an answer may be carried out later, at any time when the node that
	// has it goes on.
	mayCome := func(before []*asked, verb string) bool {
		return slices.ContainsFunc(before, func(a *asked) bool { return a.Verb == verb && a.Outcome == unknown })
	}
	for i, a := range all {
		if a.Outcome != done || a.Verb == "pause" && mayCome(all[:i], "resume") || a.Verb == "update" && mayCome(all[:i], "update") {
			continue
		}
		end := time.Now().Add(time.Hour)
		for _, later := range all[i+1:] {
			// A later request that may have been carried out ends the certainty.
			if a.Verb == "pause" && later.Verb == "resume" {
				end = later.Sent
				break
			}
		}
		held = append(held, stretch{span{a.At, end}, a.Verb, a.Rev})
	}
	for _, x := range runs {
		for _, s := range held {
			if x.PlanTime.Before(c.latest(s.from).Add(tolerance)) || x.PlanTime.After(c.earliest(s.to)) {
				continue // by some node's clock it was due before or after the stretch
			}
			switch s.verb {
			case "update":
				if x.Rev < s.rev {
					c.wrong("%s: due at %v, executed as revision %d, and %d was acknowledged at %v", id, x.PlanTime, x.Rev, s.rev, s.from)
				}
			case "pause":
				// A leader whose clock went back repeats due times, those of a past pause
				// among them.
				again := x.At.After(s.to) && c.behind(s.from, x.At)
				if !x.Trigger && !again {
					c.wrong("%s: due at %v, executed, and paused since %v", id, x.PlanTime, s.from)
				}
			case "close", "remove":
				c.wrong("%s: due at %v, executed, and %sd since %v", id, x.PlanTime, s.verb, s.from)
			}
		}
	}
}

// epochs checks that a deposed leader sends executions only for a short time.
func (c *checker) epochs() {
	for _, x := range c.runs {
		if c.deposed(x) {
			c.v.Ghosts++
		}
	}
}

// deposed reports that x came behind the first execution of a newer leader. Its deadline, which
// counts from when it left, is not known to that leader, because a stopped process may send an
// execution that it had decided when it goes on.
func (c *checker) deposed(x *run) bool {
	for epoch, first := range c.resumed[x.Partition] {
		if x.Epoch < epoch && x.At.After(first) {
			return true
		}
	}
	return false
}

// broadcasts checks that every broadcast result is stored, and every stored one was broadcast by
// then, except while the observer was disconnected.
func (c *checker) broadcasts() {
	byName := map[resultName]*result{}
	for _, r := range c.stored {
		name := resultName{r.Plan, r.N, r.State}
		byName[name] = r
		if c.received[name] == nil {
			c.v.Unheard++
			if !c.lossy(r.EndTime, r.stored) {
				c.wrong("%s: the result of n=%d ended at %s and is stored since %s, and was not broadcast", r.Plan, r.N, clock(r.EndTime), clock(r.stored))
			}
		}
	}
	for name, b := range c.received {
		switch r := byName[name]; {
		case !b.same:
			c.wrong("%s: different results of n=%d were broadcast", name.plan, name.n)
		case r == nil:
			c.wrong("%s: the result of n=%d was broadcast, and is not stored", name.plan, name.n)
		case r.body != b.body:
			c.wrong("%s: the result of n=%d was broadcast as %s, and is stored as %s", name.plan, name.n, b.body, r.body)
		}
	}
}
