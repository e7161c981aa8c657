package machine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/claiming"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Invariants of a machine that has no look due.

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func (s *sequence) check() {
	under, offered := map[*state.Station]int64{}, map[*state.Offer]bool{}
	for name, p := range s.m.part.Plans {
		if p.Removed || p.Name != name || s.m.part.Stations[name.Station] != p.Station {
			s.fail("%s is in the table, and gone", name)
		}
		if q := s.m.part.InboxPlans[name.PlanID]; q == p && p.Inbox == nil || q != nil && (q.Removed || q.Name.PlanID != name.PlanID) {
			s.fail("%s is found as a plan with an inbox", q.Name)
		}
		s.checkLook(p)
		under[p.Station] += s.checkExecutions(p)
		s.checkOffers(p, offered)
	}
	all := int64(0)
	for name, st := range s.m.part.Stations {
		if st.UnderWay != under[st] {
			s.fail("%d executions are under way at %s, and %d are counted", under[st], name, st.UnderWay)
		}
		all += st.UnderWay
		s.checkLine(st)
		s.checkReady(st, offered)
	}
	if all != s.m.part.Executing {
		s.fail("%d executions are under way, and %d are counted", all, s.m.part.Executing)
	}
	for p := range s.m.part.Restored {
		if p.Removed {
			s.fail("%s is gone, and it is still known that it was restored", p.Name)
		}
	}
	s.checkClaims()
	s.checkLargeDefinitions()
	s.checkQuota()
}

// checkHeld checks that no execution began in a step of a machine that is held, because those
// under way were under way before, or came with the plan of a backup.
func (s *sequence) checkHeld(ev event.Event, before map[run]bool) {
	if ask, asked := ev.(event.Ask); asked {
		if _, restores := ask.What.(command.RestorePlan); restores {
			return
		}
	}
	for x := range s.underWay() {
		if !before[x] {
			s.fail("execution %d of %s began with %T, though nothing may", x.n, x.name, ev)
		}
	}
	for _, e := range s.b.Effects {
		if e, is := e.(event.ClaimGranted); is && len(e.Executions) > 0 {
			s.fail("a claim is given %d executions, though nothing may begin", len(e.Executions))
		}
	}
}

// A run is an execution that is under way.
type run struct {
	name        schema.PlanName
	incarnation uint64
	n           int64
}

func (s *sequence) underWay() map[run]bool {
	all := map[run]bool{}
	for name, p := range s.m.part.Plans {
		for _, o := range p.Open {
			for _, x := range o.Live {
				all[run{name, p.Incarnation, x.N}] = true
			}
		}
	}
	return all
}

// checkQuota checks that the plans of each tenant are counted, as they are stored, and no
// more than may be.
func (s *sequence) checkQuota() {
	plans := map[schema.Tenant]int64{}
	for _, p := range s.m.part.Plans {
		if _, calls := schema.CalledBack(p.Name.Station); calls {
			continue
		}
		d, err := schema.LoadDefinition(p.Raw)
		if err != nil {
			s.fail("%v", err)
		}
		plans[schema.NewTenant(d.Plan.TenantID, d.Plan.Caller)]++
	}
	if diff := gocmp.Diff(plans, s.m.part.Quota.Plans); diff != "" {
		s.fail("plans of tenants are counted wrong (-there +counted): %s", diff)
	}
	for t, n := range plans {
		if n > s.quota && !s.beyond {
			s.fail("%s has %d plans, and may have %d", t, n, s.quota)
		}
	}
}

// checkLook checks that p has its computed place in each queue, and is looked at when one of its
// parts is due, because each change of its wait condition has to set its places.
func (s *sequence) checkLook(p *state.Plan) {
	if s.m.part.Handles.Of(p.Handle) != p {
		s.fail("%s is not whom its handle stands for", p.Name)
	}
	at, held := s.m.part.TimerQueue.At(p.Handle), s.m.part.Holding.Starts.At(p.Handle)
	if what := transition.Differs(&s.m.part, p, unit.MomentOf(s.now)); what != "" {
		s.fail("%s could go on otherwise than its queues say (%s), which is at %v, held %v: %s", p.Name, what, at.Time(), held.Time(), shown(p))
	}
	if !s.m.Held() {
		at = unit.Sooner(at, held)
	}
	if at != 0 && at <= unit.MomentOf(s.now) {
		s.fail("%s could go on since %v, and nothing looks at it: %s", p.Name, at.Time(), shown(p))
	}
}

func (s *sequence) checkExecutions(p *state.Plan) (live int64) {
	numbers := map[int64]bool{}
	for _, o := range p.Open {
		live += int64(len(o.Live))
		for _, x := range o.Live {
			if x.N <= 0 || x.N > p.N || numbers[x.N] {
				s.fail("%s: execution %d is one of two, or was never made: %s", p.Name, x.N, shown(p))
			}
			numbers[x.N] = true
		}
	}
	if live != int64(p.Tallied) {
		s.fail("%s has %d executions under way, and %d are counted: %s", p.Name, live, p.Tallied, shown(p))
	}
	if len(p.Open) > state.MaxOpen {
		s.fail("%s has %d open occurrences", p.Name, len(p.Open))
	}
	return live
}

// checkOffers checks that exactly the claimable occurrences of p are offered, as p now is.
func (s *sequence) checkOffers(p *state.Plan, offered map[*state.Offer]bool) {
	for _, o := range p.Open {
		may := admission.HoldOf(&s.m.part, p, o, unit.MomentOf(s.now)).For == admission.Claim
		if s.m.Held() && o.Offer == nil {
			continue // it is offered when it may be claimed
		}
		if may != (o.Offer != nil) && !s.m.part.Definitions.Waits(p) {
			s.fail("%s: occurrence %d may be claimed: %t; it is offered: %t: %s", p.Name, o.K, may, !may, shown(p))
		}
		if of := o.Offer; of != nil {
			offered[of] = true
			if of.P != p || of.O != o || of.Priority != p.Options().Priority || !slices.Equal(of.Workers, p.Options().Workers) {
				s.fail("%s: occurrence %d is offered as it was", p.Name, o.K)
			}
		}
	}
}

// checkLine checks that no plan is queued at a station that has capacity.
func (s *sequence) checkLine(st *state.Station) {
	stand, called := 0, 0
	for _, p := range s.m.part.Plans {
		if _, isCalled, there := st.Line.Entry(p.Handle); there {
			if stand++; p.Station != st {
				s.fail("%s stands in the line of %s", p.Name, st.Name)
			}
			if isCalled {
				called++
			}
		}
	}
	if called != st.Line.Granted() || stand != st.Line.Len() {
		s.fail("%d plans stand in the line of %s, %d of them called; it has %d and %d", stand, st.Name, called, st.Line.Len(), st.Line.Granted())
	}
	limit := s.m.part.Limit(st)
	if stand > called && called < transition.MaxGranted && (limit == 0 || st.IsPull() || st.UnderWay+int64(called) < limit) {
		s.fail("%d plans stand in the line of %s, where %d of %d are under way", stand-called, st.Name, st.UnderWay, limit)
	}
}

// checkReady checks that the lists of a station hold its offers, and nothing else.
func (s *sequence) checkReady(st *state.Station, offered map[*state.Offer]bool) {
	listed := func(list *state.OfferList, worker string) {
		list.Scan(func(of *state.Offer) bool {
			if !offered[of] || of.P.Station != st || worker != "" && !slices.Contains(of.Workers, worker) {
				s.fail("occurrence %d of %s is in a list of %s, and not offered there", of.O.K, of.P.Name, st.Name)
			}
			return true
		})
	}
	count := 0
	for of := range offered {
		if of.P.Station != st {
			continue
		}
		count++
		for _, id := range of.Workers {
			if _, there := st.Claimable.Named[id].Get(of); !there {
				s.fail("%s: occurrence %d is for %s, and not in its list", of.P.Name, of.O.K, id)
			}
		}
	}
	if st.Claimable == nil {
		return
	}
	listed(st.Claimable.Any, "")
	listed(st.Claimable.Reserved, "")
	for id, list := range st.Claimable.Named {
		listed(list, id)
	}
	if n := st.Claimable.Any.Len() + st.Claimable.Reserved.Len(); n != count {
		s.fail("%d occurrences are offered at %s, and %d are listed", count, st.Name, n)
	}
}

// checkClaims checks that no claim waits for an offer that matches it.
func (s *sequence) checkClaims() {
	if n := len(s.m.part.Claims.Fresh) + len(s.m.part.Claims.Served); n > 0 {
		s.fail("%d claims or offers were left over", n)
	}
	s.m.part.Claims.ByUntil.Scan(func(cl *claiming.Claim) bool {
		if !s.claims[cl.From.(int)] {
			s.fail("claim %v waits, and was answered", cl.From)
		}
		for name, st := range s.m.part.Stations {
			if st.Claimable == nil || !st.IsPull() || !s.m.part.HasRoom(st) || len(cl.Want.Stations) > 0 && !slices.Contains(cl.Want.Stations, name) {
				continue
			}
			for _, list := range [...]*state.OfferList{st.Claimable.Any, st.Claimable.Reserved} {
				list.Scan(func(of *state.Offer) bool {
					if cl.Takes(of) && !of.P.Evicted && !cl.Searching && len(s.fetches) == 0 {
						s.fail("%s waits for work, and occurrence %d of %s lies there", cl.Want.WorkerID, of.O.K, of.P.Name)
					}
					return true
				})
			}
		}
		return true
	})
}

func (s *sequence) checkLargeDefinitions() {
	size, ahead := 0, 0
	for p, l := range s.m.part.Definitions.Of {
		if p.Removed {
			s.fail("%s is gone, and its definition is still known as large", p.Name)
		}
		if l.Ahead {
			ahead += l.Digest.Size
		}
	}
	for l := s.m.part.Definitions.Whole.Head; l != nil; l = l.Next {
		if size += l.Digest.Size; l.P.Evicted {
			s.fail("the definition of %s is evicted, and in memory", l.P.Name)
		}
	}
	if size != s.m.part.Definitions.Bytes || ahead != s.m.part.Definitions.Ahead {
		s.fail("large definitions take %d and %d bytes, and %d and %d are counted", size, ahead, s.m.part.Definitions.Bytes, s.m.part.Definitions.Ahead)
	}
}

// compare checks that the durable rows make the same machine again, and that the bucket, once it
// is complete, does too.
func (s *sequence) compare() {
	s.same("the rows", s.replayed())
	s.same("the bucket", s.fromBucket())
}

func (s *sequence) same(source string, again *Machine) {
	for name, p := range s.m.part.Plans {
		q := again.part.Plans[name]
		switch {
		case q == nil || q.Raw == nil:
			s.fail("%s has not got %s", source, name)
		case !p.Evicted && !q.Evicted && string(p.Raw) != string(q.Raw):
			s.fail("%s has %s as\n%s\nand it is\n%s", source, name, q.Raw, p.Raw)
		case p.Station.Name != q.Station.Name || !gocmp.Equal(p.Options(), q.Options(), gocmp.AllowUnexported(state.Options{})):
			s.fail("%s has %s with options %+v, and they are %+v", source, name, q.Options(), p.Options())
		}
		if is, want := s.settled(q), s.settled(p); is != want {
			s.fail("%s has %s as\n%s\nand it is\n%s", source, name, is, want)
		}
	}
	for name, q := range again.part.Plans {
		if s.m.part.Plans[name] == nil && q.Raw != nil {
			s.fail("%s has %s, which is gone", source, name)
		}
	}
	for name, st := range s.m.part.Stations {
		other := again.part.Stations[name]
		if (st.Record != nil) != (other != nil && other.Record != nil) {
			s.fail("station %s was put: %t; %s has it so: %t", name, st.Record != nil, source, st.Record == nil)
		}
		if st.Record == nil {
			continue
		}
		is, err := wire.Marshal(wire.JSON, other.Record)
		want, err2 := wire.Marshal(wire.JSON, st.Record)
		if err != nil || err2 != nil || string(is) != string(want) {
			s.fail("%s has station %s as\n%s\nand it is\n%s", source, name, is, want)
		}
	}
}

// settled shows the record of p without the fields that a successor finds out anew: the times of
// executions that were published more than once, why they are late, and the expected voters.
func (s *sequence) settled(p *state.Plan) string {
	kept := *p
	kept.Open = nil
	for _, o := range p.Open {
		of := *o
		of.Live = nil
		for _, x := range o.Live {
			alone := *x
			if s.published[s.m.part.Nonce(p, x.N)] > 1 {
				alone.Sent, alone.StartBy, alone.Deadline, alone.Late = 0, 0, 0, nil
				if x.Ballot != nil {
					again := *x.Ballot
					again.Voters, again.Quorum = 0, 0
					alone.Ballot = &again
				}
			}
			of.Live = append(of.Live, &alone)
		}
		kept.Open = append(kept.Open, &of)
	}
	return shown(&kept)
}

// export keeps a backup of all plans.
func (s *sequence) export() {
	s.copies = nil
	for _, name := range slices.SortedFunc(maps.Keys(s.m.part.Plans), comparePlanNames) {
		p := s.m.part.Plans[name]
		if p.Inbox != nil || p.Closing || p.Evicted {
			continue
		}
		d, err := schema.ParsePlan(wire.Trust(p.Enc, p.Raw), schema.ParseOptions{NoCommand: true})
		if err != nil {
			s.fail("the definition of %s is refused: %v", name, err)
		}
		s.copies = append(s.copies, command.RestorePlan{Definition: d, Record: p.BackupRecord()})
		if _, err := state.ReadRecord(p.BackupRecord(), &d.Plan, unit.MomentOf(s.now.Add(time.Hour))); err != nil {
			s.fail("what is exported of %s is refused: %v\n%s", name, err, p.BackupRecord())
		}
	}
}

func comparePlanNames(a, b schema.PlanName) int { return cmp.Compare(a.String(), b.String()) }
