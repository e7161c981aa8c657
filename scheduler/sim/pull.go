package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Pull workers, and the front between them and the leader (scheduler/front/claim.go).

// poolStation is the station whose workers claim due executions. Now and then it is of another kind,
// and they serve it like any other.
const poolStation = "pool"

// isPool reports that a station's workers claim, as long as it is of that kind.
func isPool(station string) bool { return station == poolStation || station == jobStation }

// handedWork is an execution as the answer to a claim carries it.
type handedWork struct {
	x     *event.Outgoing
	items []string
}

// claimRound claims work for a worker, again and again.
func (k *worker) claimRound() {
	w := k.w
	rest := one(w, 0, w.within(time.Second), w.within(10*time.Second))
	if w.workers.absent[k.station] {
		w.after(time.Second+rest, k.claimRound)
		return
	}
	c := k.claim()
	w.users.askWithin(c, c.Wait+patienceOfUsers, func(body any, _ error, unknown bool) {
		work, _ := body.([]handedWork)
		k.take(work)
		if w.calm && unknown {
			rest = 0
		}
		w.after(rest, k.claimRound)
	})
	if c.Wait > time.Second && w.chance(0.1) && !w.calm {
		w.after(w.within(c.Wait), func() { w.users.ask(command.StopClaim{ID: c.ID}, ignore) })
	}
}

// claim is a worker's request for work.
func (k *worker) claim() command.ClaimWork {
	w := k.w
	w.users.claims++
	c := command.ClaimWork{
		ID: fmt.Sprintf("c%d", w.users.claims), WorkerID: k.id, Limit: schema.MaxClaim, Wait: 6 * time.Hour,
	}
	if w.calm {
		return c
	}
	c.Limit, c.Wait = 1+w.rng.IntN(3), one(w, 0, w.within(2*time.Second), w.within(time.Minute))
	c.Stations = one(w, []string{k.station}, []string{k.station, "s"}, nil)
	c.Caller = one(w, "", "", "", "somebody")
	c.Views = w.chance(0.1)
	if k.station == jobStation && w.chance(0.8) {
		c.Tasks, c.Views, c.Caller = true, true, ""
	}
	return c
}

// take brings claimed executions to their worker, or finds that it is gone: then all of them go
// back, as do those for which the front had no room.
func (k *worker) take(work []handedWork) {
	w := k.w
	count := len(work)
	switch {
	case count == 0:
		return
	case w.workers.absent[k.station] || w.fault(w.odds.execLost, "claim's answer to nobody"):
		count = 0
	case w.chance(0.1) && !w.calm:
		count = w.rng.IntN(count + 1)
	}
	back := work[count:]
	if w.planted(ReturnsTaken) {
		back = work
	}
	if len(back) > 0 {
		w.users.giveBack(back)
	}
	for _, h := range work[:count] {
		id := execID{h.x.Incarnation, h.x.N}
		w.check.plans.obtained(k, id, h.x.Name)
		e := &effort{worker: k, about: aboutOf(h.x), id: id, claimed: true}
		k.work(e, h.x.StartBy)
		if !w.calm && w.chance(0.7) {
			k.ping(e, 20)
		}
	}
}

// giveBack returns executions that reached no worker.
func (u *users) giveBack(work []handedWork) {
	var c command.ReturnWork
	for _, h := range work {
		about := aboutOf(h.x)
		c.Executions = append(c.Executions, command.ClaimedName{Name: h.x.Name, N: about.N, Nonce: about.Nonce})
	}
	u.ask(c, ignore)
}

// ping reports now and then that a worker is still busy.
func (k *worker) ping(e *effort, times int) {
	w := k.w
	w.after(w.within(3*time.Second), func() {
		if e.stopped || k.runs[e.id] != e || times == 0 {
			return
		}
		k.reply(e, 0, schema.StateRunning)
		k.ping(e, times-1)
	})
}

// aboutOf is the reply address of the worker of an execution.
func aboutOf(x *event.Outgoing) schema.ReplyName {
	return schema.ReplyName{Station: x.Name.Station, PlanID: x.Name.PlanID, N: x.N, Nonce: string(x.Nonce.AppendHex(nil))}
}

// handOut ends a claim with its executions (scheduler/claim_answer.go).
func (l *leader) handOut(e event.ClaimGranted, seq uint64) {
	to := e.To.(*request)
	l.w.check.plans.handedOut(to, e, seq > 0)
	work := make([]handedWork, 0, len(e.Executions))
	missing := len(e.Executions)
	finish := func() {
		if missing--; missing <= 0 {
			slices.SortStableFunc(work, func(a, b handedWork) int { return placeOf(e, a.x) - placeOf(e, b.x) })
			to.answer(work, nil)
		}
	}
	for _, x := range e.Executions {
		if x.Items == 0 {
			l.leaves(x)
			work = append(work, handedWork{x: x})
			finish()
			continue
		}
		l.itemCache.gather(wanted{x.Name, x.Incarnation, x.FirstItem, x.Items}, func(items []string, err error) {
			if err != nil {
				l.notSent(x) // it comes back when its time is up
			} else {
				l.leaves(x)
				l.w.check.plans.delivered(x, items)
				work = append(work, handedWork{x, items})
			}
			finish()
		})
	}
	if len(e.Executions) == 0 {
		finish()
	}
}

func placeOf(e event.ClaimGranted, x *event.Outgoing) int { return slices.Index(e.Executions, x) }
