package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// request is one command on its way, until it is answered.
type request struct {
	w        *world
	asked    time.Time
	by       time.Time // the end of its user's wait; zero: the request does not state it
	came     time.Time // to a leader, by whose clock
	decided  time.Time // by the clock of the leader that has carried it out
	latest   time.Time // that its clock had shown
	what     command.Command
	over     bool
	landed   bool                      // its effects are durable
	answers  int                       // of a claim
	strained bool                      // it was decided while too many results were behind
	answer   func(body any, err error) // of the user
}

// patienceOfUsers is how long a user waits before it asks again.
const patienceOfUsers = 5 * time.Second

// ask sends a command to the current leader. Then is called once: with the answer, or with unknown
// set, when none comes.
func (u *users) ask(what command.Command, then func(body any, err error, unknown bool)) {
	u.askWithin(what, patienceOfUsers, then)
}

// askWithin is ask with a given patience.
func (u *users) askWithin(what command.Command, patience time.Duration, then func(body any, err error, unknown bool)) {
	w := u.w
	r := &request{w: w, asked: w.now, what: what}
	if w.rng.IntN(2) == 0 {
		r.by = w.now.Add(patience)
	}
	w.check.plans.asked(what)
	done := func(body any, err error, unknown bool) {
		if !r.over {
			r.over = true
			then(body, err, unknown)
		}
	}
	r.answer = func(body any, err error) {
		if w.fault(w.odds.answerLost, "user's answer lost") {
			return
		}
		w.after(w.network(), func() { done(body, err, false) })
	}
	w.after(patience, func() { done(nil, nil, true) })
	if w.fault(w.odds.askLost, "user's request lost") {
		return
	}
	there := w.network()
	if w.fault(w.odds.askLate, "user's request late") {
		there = w.within(4 * patience) // in the buffer of a server that was cut off
	}
	w.after(there, r.arrive)
}

// arrive hands the request to a leader, possibly one that is deposed and does not know it yet.
func (r *request) arrive() {
	w := r.w
	var leaders []*leader
	for _, n := range w.nodes {
		if n.leader != nil && n.leader.leads && !n.leader.paused {
			leaders = append(leaders, n.leader)
		}
	}
	if len(leaders) == 0 {
		return // unavailable, in the end
	}
	l := leaders[w.rng.IntN(len(leaders))]
	l.n.run(func() {
		if l.over {
			return
		}
		r.came = l.n.clock()
		if err := command.TooLate(r.by, r.came); err != nil && !w.planted(CarriesOutLate) {
			r.answer(nil, err)
			return
		}
		l.events = append(l.events, event.Ask{From: r, What: r.travelled()})
		l.turnSoon()
	})
}
