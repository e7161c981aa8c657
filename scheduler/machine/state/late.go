package state

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The causes of the delay between an occurrence's due time and an execution of it. Only an
// occurrence that has waited has an account, so that an ordinary execution pays nothing.

// LateFrom is the least lateness of an execution that its result reports.
const LateFrom = unit.Moment(1_000_000)

// A Delay is a cause for which an occurrence waits.
type Delay uint8

// The causes, in the order of [schema.Late].
const (
	DelayWorker Delay = iota
	DelayClaim
	DelayRoom
	DelayTurn
	DelayRetry
	DelayJitter
	DelayLock
	DelayPerson
	DelayResume
	DelayJournal
	DelayAbsent
	delays
)

var delayNames = [delays]wire.Name{"worker", "claim", "room", "turn", "retry", "jitter", "lock", "person", "resume", "journal", "absent"}

// Spent is the time that went to each cause, in microseconds. It is replaced, and never changed in
// place.
type Spent [delays]unit.Moment

// An Account sums the time of an occurrence by its causes, and has the cause for which it waits now.
// It is replaced, and never changed in place. It is a leader's own, and a successor begins another.
type Account struct {
	Spent Spent
	Since unit.Moment
	For   Delay
}

// Late shows s.
func (s *Spent) Late() *schema.Late {
	if s == nil {
		return nil
	}
	of := func(d Delay) float64 { return float64(s[d]) / 1e6 }
	return &schema.Late{
		Worker: of(DelayWorker), Claim: of(DelayClaim), Room: of(DelayRoom), Turn: of(DelayTurn), Retry: of(DelayRetry),
		Jitter: of(DelayJitter), Lock: of(DelayLock), Person: of(DelayPerson), Resume: of(DelayResume),
		Journal: of(DelayJournal), Absent: of(DelayAbsent),
	}
}

// Shares are the time that went to the scheduler itself, and to all else but jitter.
func (s *Spent) Shares() (own, others unit.Moment) {
	for d, spent := range s {
		switch Delay(d) { //nolint:gosec // an index of delays
		case DelayJournal, DelayAbsent:
			own += spent
		case DelayJitter:
		default:
			others += spent
		}
	}
	return own, others
}

// within is s, cut to a time in all, because it may have counted more before a clock was
// set back.
func (s Spent) within(most unit.Moment) Spent {
	over := -most
	for _, spent := range s {
		over += spent
	}
	for d := range s {
		cut := min(max(over, 0), s[d])
		s[d], over = s[d]-cut, over-cut
	}
	return s
}

func (s *Spent) fields(f *wire.Fields) {
	for d := range s {
		wire.Number(f, delayNames[d], &s[d])
	}
}

// A Setting has the facts beside the occurrence itself on which its delay depends.
type Setting struct {
	From, Until unit.Moment // when no scheduler led; From 0: unknown
	Accepted    unit.Moment // when the plan was accepted: no time before that counts; 0: unknown
	Jitter      unit.Moment // the most that the plan has; 0: none
	Pushed      bool        // pushes set its time
}

// account begins the account of o, which waits for a cause since it was due.
func (o *Occurrence) account(c Delay, a Setting) Account {
	start := max(o.Due, a.Accepted)
	var spent Spent
	switch {
	case len(o.Ended) > 0 || o.At <= start: // it was tried before, or has no time of its own
	case a.Pushed:
		start = o.At
	default:
		spent[DelayJitter] = min(o.At-start, a.Jitter)
		start += spent[DelayJitter]
	}
	if start < a.Until {
		from := max(start, a.From)
		if from < a.Until {
			spent[DelayAbsent] = a.Until - from
			spent[c] += from - start
			start = a.Until
		}
	}
	return Account{Spent: spent, Since: start, For: c}
}

// WaitsFor notes that o waits for a cause since a moment.
func (o *Occurrence) WaitsFor(c Delay, since unit.Moment, a Setting) {
	if o.Account == nil {
		next := o.account(c, a)
		o.Account = &next
		return
	}
	if o.Account.For == c {
		return
	}
	next := o.Account.until(since)
	next.For = c
	o.Account = &next
}

// Blames notes that o has waited for another cause since its account was changed last.
func (o *Occurrence) Blames(c Delay) {
	if o.Account != nil {
		next := *o.Account
		next.For = c
		o.Account = &next
	}
}

// until is a with the time up to a moment entered.
func (a *Account) until(at unit.Moment) Account {
	next := *a
	if at > a.Since {
		next.Spent[a.For] += at - a.Since
		next.Since = at
	}
	return next
}

// Begins notes that x, an execution of o, begins now; c is the cause that is not known otherwise.
// A late x keeps the causes, and later time counts as a retry.
func (o *Occurrence) Begins(x *Execution, c Delay, now unit.Moment, a Setting) {
	isLate := now-o.Due > LateFrom
	x.Late = nil // of an earlier publication, maybe by a clock that was ahead
	if o.Account == nil && !isLate {
		return
	}
	var next Account
	if o.Account != nil {
		next = o.Account.until(now)
	} else {
		next = o.account(c, a)
		next = next.until(now)
	}
	if isLate {
		if spent := next.Spent.within(now - o.Due); spent != (Spent{}) {
			x.Late = &spent
		}
	}
	next.For = DelayRetry
	o.Account = &next
}
