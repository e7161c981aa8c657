package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A sequence is a history of one machine, with requests of every verb, replies of workers, time
// that passes and leaders that die. Its bytes choose each step, so that a fuzzer can learn which
// of them lead anywhere. The requests have passed the checks of the front, and are otherwise
// arbitrary: requests_words_test.go has the values to choose from, and requests_check_test.go the
// invariants after each step.
type sequence struct {
	*choices
	m     *Machine
	b     *batch.Batch
	n     uint64
	now   time.Time
	last  time.Time // the latest moment that the clock has shown
	epoch int64
	rows  []event.Row
	// stored is the content of the bucket.
	stored map[string][]byte
	items  map[schema.PlanName]map[int64]event.Item
	copies []command.RestorePlan
	quota  int64 // plans of a tenant
	beyond bool  // plans were restored, which may be more

	asks      int
	answered  map[int]bool      // of the requests so far
	claims    map[int]bool      // that wait
	sent      []*event.Outgoing // executions, with any worker or none
	published map[event.Nonce]int
	fetches   []event.Fetch
	plant     func(*Machine) // a mistake that is planted on purpose; nil: none
	past      []happening    // the latest events, for the analysis of a failure
}

// happening is an event, and its time.
type happening struct {
	at time.Time
	ev event.Event
}

// choices are made by some bytes and, once those have run out, by a generator seeded with the
// first of them.
type choices struct {
	left []byte
	rest *rand.Rand
}

func newChoices(data []byte) *choices {
	var seed [8]byte
	copy(seed[:], data)
	return &choices{left: data, rest: rand.New(rand.NewPCG(binary.LittleEndian.Uint64(seed[:]), 1))}
}

// of is one of n.
func (c *choices) of(n int) int {
	if len(c.left) == 0 {
		return c.rest.IntN(n)
	}
	b := c.left[0]
	c.left = c.left[1:]
	return int(b) % n
}

func (c *choices) once(in int) bool { return c.of(in) == in-1 }

func pick[T any](c *choices, among ...T) T { return among[c.of(len(among))] }

// requestsOfASequence is how long one lasts.
const requestsOfASequence = 120

// FuzzRequests sends sequences of requests that the schema allows to a machine.
func FuzzRequests(f *testing.F) {
	for seed := range byte(20) {
		f.Add([]byte{seed})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := runSequence(data, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// violation is the error of a sequence that broke an invariant.
type violation string

func (s *sequence) fail(format string, args ...any) { panic(violation(fmt.Sprintf(format, args...))) }

// runSequence leads a machine through the sequence of some bytes.
func runSequence(data []byte, plant func(*Machine)) (err error) {
	s := &sequence{
		choices: newChoices(data), b: batch.New(capacity), now: time.Date(2026, 3, 28, 22, 59, 58, 123456789, time.UTC),
		stored: map[string][]byte{}, items: map[schema.PlanName]map[int64]event.Item{},
		answered: map[int]bool{}, claims: map[int]bool{}, published: map[event.Nonce]int{}, plant: plant,
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case violation:
			err = fmt.Errorf("%s\n%s", v, s.output())
		default:
			err = fmt.Errorf("panic: %v\n%s%s", v, debug.Stack(), s.output())
		}
	}()
	s.quota = pick(s.choices, 100, 100, 100, int64(4))
	s.lead(s.replayed())
	for range requestsOfASequence {
		s.act()
		if s.once(8) {
			continue // several at once
		}
		s.rest()
	}
	s.read()
	s.rest()
	s.compare()
	s.pass(time.Hour) // longer than any claim waits, though the clock may have gone back
	s.read()
	s.rest()
	for ask := range s.asks {
		if !s.answered[ask] {
			s.fail("request %d of %d is not answered", ask, s.asks)
		}
	}
	return nil
}

// newMachine makes a machine with small limits, so that most things count as large.
func (s *sequence) newMachine() *Machine {
	c := config
	c.Large, c.LargeRoom, c.TenantPlans = 600, 4000, s.quota
	return New(c)
}

// replayed is a machine of all rows.
func (s *sequence) replayed() *Machine {
	m := s.newMachine()
	for i, r := range s.rows {
		_ = m.Replay(uint64(i+1), r) // one that does not match the other half of its plan is forgiven
	}
	s.whole(m)
	return m
}

// whole checks that all rows of m are valid.
func (s *sequence) whole(m *Machine) {
	for name, err := range m.part.Broken {
		s.fail("%s cannot be read: %v", name, err)
	}
}

// fromBucket is a machine made of the bucket and the stream of items, when those are complete.
func (s *sequence) fromBucket() *Machine {
	for s.m.Unwritten() > 0 {
		s.step(event.Flush{Max: 1000, Force: true})
	}
	m := s.newMachine()
	keys := map[string]bool{}
	for _, key := range sortedKeys(s.stored) {
		keys[key] = true
		_ = m.ReplayBucket(key, s.stored[key])
	}
	s.whole(m)
	for name, items := range s.items {
		for _, n := range sortedKeys(items) {
			m.ReplayItem(name, items[n].Incarnation, n, len(items[n].Value))
		}
	}
	m.Has(keys)
	return m
}

// lead has a machine take over, with which unanswered requests are lost.
func (s *sequence) lead(m *Machine) {
	s.m, s.fetches = m, nil
	s.epoch++
	for ask := range s.asks {
		s.answered[ask] = true
	}
	clear(s.claims)
	for _, p := range m.part.Plans { // a successor finds the publishing times anew
		for _, o := range p.Open {
			for _, x := range o.Live {
				s.published[m.part.Nonce(p, x.N)] += 2
			}
		}
	}
	s.m.Lead(s.now, s.epoch, pick(s.choices, time.Time{}, s.now.Add(-time.Hour), s.now))
	s.step(event.Tick{})
}

func (s *sequence) ask(c command.Command) {
	from := s.asks
	s.asks++
	if _, waits := c.(command.ClaimWork); waits {
		s.claims[from] = true
	}
	s.step(event.Ask{From: from, What: c})
}

// step has the machine take in one event, in a batch of its own which becomes durable.
func (s *sequence) step(ev event.Event) {
	s.n++
	s.past = append(s.past, happening{s.now, ev})
	if s.now.After(s.last) {
		s.last = s.now
	}
	s.b.Reset(s.n)
	var before map[run]bool
	if s.m.Held() {
		before = s.underWay()
	}
	if p := s.m.Step(s.now, ev, s.b); p != Done && s.b.Empty() {
		s.fail("an empty batch has no room for %T: %d", ev, p)
	}
	if s.m.Held() {
		s.checkHeld(ev, before)
	}
	if s.plant != nil {
		s.plant(s.m)
	}
	readReplies(s.m, s.now, s.b)
	effects := slices.Clone(s.b.Effects)
	if err := event.Rows(s.b.Seal(), func(r event.Row) error {
		r.Value = bytes.Clone(r.Value)
		if r.Kind != event.RowResult {
			s.rows = append(s.rows, r)
		}
		return nil
	}); err != nil {
		s.fail("%v", err)
	}
	for _, e := range effects {
		s.perform(e)
	}
}

// output lists the latest events.
func (s *sequence) output() string {
	var text strings.Builder
	for _, h := range s.past[max(0, len(s.past)-25):] {
		switch ev := h.ev.(type) {
		case event.Ask:
			fmt.Fprintf(&text, "%v request %v %T ", h.at, ev.From, ev.What)
			switch c := ev.What.(type) {
			case command.CreatePlan:
				fmt.Fprintf(&text, "%.1000s\n", wire.Trust(c.Definition.Enc, c.Definition.Raw))
			case command.UpdatePlan:
				fmt.Fprintf(&text, "%.1000s\n", wire.Trust(c.Definition.Enc, c.Definition.Raw))
			case command.PutStation:
				record, _ := wire.Marshal(wire.JSON, c.Station)
				fmt.Fprintf(&text, "%s\n", record)
			default:
				fmt.Fprintf(&text, "%.300s\n", fmt.Sprintf("%+v", c))
			}
		default:
			fmt.Fprintf(&text, "%v %T %.300s\n", h.at, ev, fmt.Sprintf("%+v", ev))
		}
	}
	return text.String()
}

func (s *sequence) perform(e event.Effect) {
	switch e := e.(type) {
	case event.Answer:
		s.answer(e.To)
	case event.ItemsGranted:
		s.answer(e.To)
	case event.ClaimGranted:
		s.answer(e.To)
		delete(s.claims, e.To.(int))
		s.sent = append(s.sent, e.Executions...)
	case event.Dispatch:
		s.sent = append(s.sent, e.Execution)
		s.published[e.Execution.Nonce]++
	case event.Fetch:
		s.fetches = append(s.fetches, e)
	case event.Missing:
		s.fail("the definition of %s is said to be lost", e.Name)
	case event.Write:
		for _, r := range e.Rows {
			if s.stored[r.Key] = bytes.Clone(r.Value); len(r.Value) == 0 {
				delete(s.stored, r.Key)
			}
		}
	case event.Keep:
		if s.items[e.Name] == nil {
			s.items[e.Name] = map[int64]event.Item{}
		}
		s.items[e.Name][e.N] = e.Item
	case event.Drop:
		for n, item := range s.items[e.Name] {
			if n < e.Before && item.Incarnation == e.Incarnation {
				delete(s.items[e.Name], n)
			}
		}
	}
	if most := 40; len(s.sent) > most {
		s.sent = s.sent[len(s.sent)-most:]
	}
}

func (s *sequence) answer(to event.Asker) {
	ask, is := to.(int)
	switch {
	case !is: // a worker
	case s.answered[ask]:
		s.fail("request %d is answered twice", ask)
	default:
		s.answered[ask] = true
	}
}

// read brings the definitions that were fetched.
func (s *sequence) read() {
	for len(s.fetches) > 0 {
		e := s.fetches[0]
		s.fetches = s.fetches[1:]
		raw := s.stored[storage.PlanKey(e.Name.Station, e.Name.PlanID)]
		if !e.Want.Of(raw) {
			raw = nil
			if p := s.m.part.Plans[e.Name]; p != nil && p.Evicted && s.m.part.Definitions.Of[p].Digest == e.Want {
				s.fail("the definition of %s is evicted, and the bucket does not have it", e.Name)
			}
		}
		s.step(event.Fetched{Fetch: e, Raw: bytes.Clone(raw)})
	}
}

// rest lets the machine look until it has no more looks due, and checks its invariants.
func (s *sequence) rest() {
	if !s.once(4) { // else the definitions come later
		s.read()
	}
	for looks := 0; ; looks++ {
		if wake := s.m.Wake(); wake.IsZero() || wake.After(s.now) {
			break
		}
		if looks == 5000 {
			s.fail("it looks for ever: %s", s.wants())
		}
		s.step(event.Tick{})
	}
	if !s.now.Before(s.last) { // else occurrences that were seen to be due are yet to come
		s.check()
	}
}

// wants returns the next moment that the machine waits for.
func (s *sequence) wants() string {
	cs := &s.m.part.Claims
	indexes := fmt.Sprintf("%d arrivals, %d stations, %d claims, %d offers, %d stirred", s.m.part.Undelivered.Arrivals(), len(s.m.revisits), len(cs.Search), len(cs.Fresh), len(cs.Stirred))
	if s.m.part.TimerQueue.Next() != 0 {
		p := s.m.part.Handles.Of(s.m.part.TimerQueue.First())
		indexes += fmt.Sprintf(", %s at %v, evicted: %t, %s", p.Name, s.m.part.TimerQueue.Next().Time(), p.Evicted, shown(p)) + string(p.Raw)
	}
	return indexes
}

// pass lets time pass, with a look whenever the machine wants one, but for those that would
// be too many.
func (s *sequence) pass(d time.Duration) {
	until := s.now.Add(d)
	for range 50 {
		wake := s.m.Wake()
		if wake.IsZero() || wake.After(until) {
			break
		}
		if wake.After(s.now) {
			s.now = wake
		}
		s.step(event.Tick{})
		if s.once(2) {
			s.read()
		}
	}
	s.now = until
	s.step(event.Tick{})
}
