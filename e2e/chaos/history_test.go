//go:build linux

package chaos

import (
	"slices"
	"sync"
	"time"
)

// A history is a record of all that users, workers and the observer saw and did, by the one
// clock of this machine. It is safe for concurrent use.
type history struct {
	mu       sync.Mutex
	plans    map[string]*planned
	asked    []*asked
	runs     []*run
	received map[resultName]*broadcast
	faults   []*fault
	skews    []skew
	// resumed is, by partition, each epoch in which an execution was seen, and the time of
	// its first.
	resumed map[int]map[int64]time.Time
	changed chan struct{} // closed when an execution under a new epoch was seen
	cuts    []span        // when a connection of the test was down
}

func newHistory() *history {
	return &history{
		plans: map[string]*planned{}, received: map[resultName]*broadcast{},
		resumed: map[int]map[int64]time.Time{}, changed: make(chan struct{}),
	}
}

// span is a stretch of time.
type span struct{ from, to time.Time }

func (s span) meets(from, to time.Time) bool { return !to.Before(s.from) && !from.After(s.to) }

// A skew is a stretch in which the clock of a node was ahead of the others', or behind.
type skew struct {
	span
	ahead time.Duration
}

// An outcome is the publisher's knowledge about its request.
type outcome string

const (
	done    outcome = "done"
	refused outcome = "refused"
	unknown outcome = "unknown" // no answer, or one of unknown outcome
	absent  outcome = "absent"  // not carried out, because no node was there to receive it
)

// planned is one plan as its publisher created it.
type planned struct {
	ID, Station, Command string
	Start                time.Time     // of a grid; zero: whenever it was accepted
	Every                time.Duration // of a grid; 0: as soon as the last has ended
	Repeat               int64         // -1: until it is closed
	NoKeep               bool
	Cron                 bool
	Changes              bool // its publisher updates, pauses and closes it

	created outcome
	over    chan struct{} // closed when the observer has seen its last result
}

// asked is one request, and its answer.
type asked struct {
	Verb, Plan string
	Rev        int64 // of create and update: the revision in the plan's messages from then on
	Sent, At   time.Time
	Outcome    outcome
	Code       string
}

// run is one execution as a worker received it.
type run struct {
	Plan, Station  string
	N, K, Attempt  int64
	Partition      int
	Epoch          int64
	Rev            int64
	PlanTime       time.Time
	Deadline       time.Time // extended by the worker's replies
	StartBy        time.Time
	Trigger        bool
	At             time.Time // it reached the worker
	Replied        string    // the last reply: ok, error, or none
	RepliedAt      time.Time
	Acked, Counted bool // it was acknowledged; it had an effect
	Died           bool // the worker was killed
}

type resultName struct {
	plan  string
	n     int64
	state string // an execution that timed out may yet be ok
}

// broadcast is a result as the observer received it.
type broadcast struct {
	body string
	at   time.Time
	same bool // every repetition was the same
}

// result is a stored one, or a broadcast one.
type result struct {
	Plan       string    `json:"plan_id"`
	Station    string    `json:"station"`
	K          int64     `json:"occurrence"`
	Attempt    int64     `json:"attempt"`
	N          int64     `json:"n"`
	Key        string    `json:"key"`
	PlanTime   time.Time `json:"plan_time"`
	ExecTime   time.Time `json:"exec_time"`
	EndTime    time.Time `json:"end_time"`
	State      string    `json:"state"`
	Reason     string    `json:"reason"`
	Count      int64     `json:"count"`
	Trigger    string    `json:"trigger"`
	RealRepeat int64     `json:"real_repet"`
	Skipped    int64     `json:"skip_num"`
	Final      bool      `json:"final"`

	body   string
	stored time.Time // when the stream stored it
}

// first is the first occurrence that the result stands for.
func (r *result) first() int64 { return r.K - max(r.Count, 1) + 1 }

func (h *history) plan(p *planned) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.plans[p.ID] = p
}

func (h *history) ask(a *asked) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, a)
}

// start records an execution that reached a worker.
func (h *history) start(r *run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs = append(h.runs, r)
	epochs := h.resumed[r.Partition]
	if epochs == nil {
		epochs = map[int64]time.Time{}
		h.resumed[r.Partition] = epochs
	}
	if _, seen := epochs[r.Epoch]; !seen {
		epochs[r.Epoch] = r.At
		close(h.changed)
		h.changed = make(chan struct{})
	}
}

// edit changes the record of an execution.
func (h *history) edit(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

// epoch is the highest in which partition p was seen to act.
func (h *history) epoch(p int) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	highest := int64(0)
	for e := range h.resumed[p] {
		highest = max(highest, e)
	}
	return highest
}

// after waits until partition p was seen to act under an epoch above e, and returns the
// moment; false when it was not in time.
func (h *history) after(p int, e int64, within time.Duration) (time.Time, bool) {
	deadline := time.After(within)
	for {
		h.mu.Lock()
		changed := h.changed
		var first time.Time
		for epoch, at := range h.resumed[p] {
			if epoch > e && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
		h.mu.Unlock()
		if !first.IsZero() {
			return first, true
		}
		select {
		case <-changed:
		case <-deadline:
			return time.Time{}, false
		}
	}
}

func (h *history) receive(r *result, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := resultName{r.Plan, r.N, r.State}
	if b := h.received[name]; b != nil {
		b.same = b.same && b.body == r.body
	} else {
		h.received[name] = &broadcast{body: r.body, at: at, same: true}
	}
	if p := h.plans[r.Plan]; p != nil && p.Repeat > 0 && r.Final && r.K == p.Repeat {
		select {
		case <-p.over:
		default:
			close(p.over)
		}
	}
}

func (h *history) cut(s span) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cuts = append(h.cuts, s)
}

// actsSince waits until a worker has had an execution of partition p after a moment.
func (h *history) actsSince(p int, since time.Time, patient time.Duration) bool {
	for until := time.Now().Add(patient); time.Now().Before(until); {
		h.mu.Lock()
		for i := len(h.runs) - 1; i >= 0 && h.runs[i].At.After(since); i-- {
			if h.runs[i].Partition == p {
				h.mu.Unlock()
				return true
			}
		}
		h.mu.Unlock()
		<-time.After(10 * time.Millisecond)
	}
	return false
}

// latest is the latest time that any node's clock has shown by a moment, because a decision
// by then may have been due by that clock.
func (h *history) latest(by time.Time) time.Time {
	most := by
	for _, s := range h.skews {
		if last := s.to; !by.Before(s.from) {
			if by.Before(last) {
				last = by
			}
			most = laterOf(most, last.Add(s.ahead))
		}
	}
	return most
}

// transit bounds the time that a reply takes to a leader.
const transit = time.Second

// arrives is the latest time that a leader's clock may show when it receives a reply that
// was sent at a moment, because that clock may be set meanwhile.
func (h *history) arrives(at time.Time) time.Time { return h.latest(at.Add(transit)).Add(-transit) }

// earliest is the earliest time that some node's clock shows at a moment, or shortly
// before it or behind it.
func (h *history) earliest(at time.Time) time.Time {
	least := at
	for _, s := range h.skews {
		if slow := at.Add(s.ahead); s.meets(at.Add(-askWithin), at.Add(askWithin)) && slow.Before(least) {
			least = slow
		}
	}
	return least
}

// behind reports whether the clock of a node was behind the others' in between.
func (h *history) behind(from, to time.Time) bool {
	return slices.ContainsFunc(h.skews, func(s skew) bool { return s.ahead < 0 && s.meets(from, to) })
}
