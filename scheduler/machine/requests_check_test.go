package machine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// What holds of a machine that wants no look at the moment.

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func (s *sequence) check() {
	under, offered := map[*station]int64{}, map[*offer]bool{}
	for name, p := range s.m.plans {
		if p.removed || p.name != name || s.m.stations[name.Station] != p.station {
			s.fail("%s is in the table, and gone", name)
		}
		if q := s.m.inboxes[name.PlanID]; q == p && p.inbox == nil || q != nil && (q.removed || q.name.PlanID != name.PlanID) {
			s.fail("%s is found as a plan with an inbox", q.name)
		}
		s.checkLook(p)
		under[p.station] += s.checkExecutions(p)
		s.checkOffers(p, offered)
	}
	all := int64(0)
	for name, st := range s.m.stations {
		if st.underWay != under[st] {
			s.fail("%d executions are under way at %s, and %d are counted", under[st], name, st.underWay)
		}
		all += st.underWay
		s.checkLine(st)
		s.checkReady(st, offered)
	}
	if all != s.m.underWay {
		s.fail("%d executions are under way, and %d are counted", all, s.m.underWay)
	}
	for p := range s.m.restored {
		if p.removed {
			s.fail("%s is gone, and it is still known that it was restored", p.name)
		}
	}
	s.checkClaims()
	s.checkLarges()
	s.checkQuota()
}

// checkHeld checks that nothing began in a step of a machine that is held: what is under way
// was before, or came with the plan of a backup.
func (s *sequence) checkHeld(ev Event, before map[run]bool) {
	if ask, asked := ev.(Ask); asked {
		if _, restores := ask.What.(schema.RestorePlan); restores {
			return
		}
	}
	for x := range s.underWay() {
		if !before[x] {
			s.fail("execution %d of %s began with %T, though nothing may", x.n, x.name, ev)
		}
	}
	for _, e := range s.b.Effects {
		if e, is := e.(Handout); is && len(e.Executions) > 0 {
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
	for name, p := range s.m.plans {
		for _, o := range p.open {
			for _, x := range o.live {
				all[run{name, p.incarnation, x.n}] = true
			}
		}
	}
	return all
}

// checkQuota checks that the plans of each tenant are counted, as they are stored, and no
// more than may be.
func (s *sequence) checkQuota() {
	plans := map[schema.Tenant]int64{}
	for _, p := range s.m.plans {
		if _, calls := schema.CalledBack(p.name.Station); calls {
			continue
		}
		d, err := schema.LoadDefinition(p.raw)
		if err != nil {
			s.fail("%v", err)
		}
		plans[schema.NewTenant(d.Plan.TenantID, d.Plan.Caller)]++
	}
	if diff := gocmp.Diff(plans, s.m.quota.plans); diff != "" {
		s.fail("plans of tenants are counted wrong (-there +counted): %s", diff)
	}
	for t, n := range plans {
		if n > s.quota && !s.beyond {
			s.fail("%s has %d plans, and may have %d", t, n, s.quota)
		}
	}
}

// checkLook checks that p is looked at when something of it wants that: whatever has
// changed what p waits for has seen to it.
func (s *sequence) checkLook(p *plan) {
	at, want := s.m.timetable.At(p.handle), s.m.nextLook(p)
	if s.m.handles.plan(p.handle) != p {
		s.fail("%s is not whom its handle stands for", p.name)
	}
	if p.away && want != 0 {
		want += 2 * readAhead // sooner only to have all there in time
	}
	held := s.m.hold.starts.At(p.handle)
	if !s.m.Held() {
		at = unit.Sooner(at, held)
	}
	if want != 0 && (at == 0 || at > want) {
		s.fail("%s could go on at %v, and is looked at at %v: %s", p.name, want.Time(), at.Time(), shown(p))
	}
	_, starts := s.m.nextLooks(p)
	if s.m.Held() && starts != 0 && !p.away && (at == 0 || at > starts) && (held == 0 || held > starts) {
		s.fail("%s is to begin something at %v, and nothing keeps it until it may: %s", p.name, starts.Time(), shown(p))
	}
	if want != 0 && want <= unit.MomentOf(s.now) {
		s.fail("%s could go on since %v, and nothing looks at it: %s", p.name, want.Time(), shown(p))
	}
}

func (s *sequence) checkExecutions(p *plan) (live int64) {
	numbers := map[int64]bool{}
	for _, o := range p.open {
		live += int64(len(o.live))
		for _, x := range o.live {
			if x.n <= 0 || x.n > p.n || numbers[x.n] {
				s.fail("%s: execution %d is one of two, or was never made: %s", p.name, x.n, shown(p))
			}
			numbers[x.n] = true
		}
	}
	if live != int64(p.tallied) {
		s.fail("%s has %d executions under way, and %d are counted: %s", p.name, live, p.tallied, shown(p))
	}
	if len(p.open) > maxOpen {
		s.fail("%s has %d open occurrences", p.name, len(p.open))
	}
	return live
}

// checkOffers checks that what may be claimed of p is offered, as p now is, and nothing else.
func (s *sequence) checkOffers(p *plan, offered map[*offer]bool) {
	for _, o := range p.open {
		at := p.startsAt(o)
		may := p.station.isPull() && at != 0 && at <= unit.MomentOf(s.now) && s.m.isReady(p, o)
		if s.m.Held() && o.offer == nil {
			continue // it is offered when it may be claimed
		}
		if may != (o.offer != nil) && !s.m.larges.waits(p) {
			s.fail("%s: occurrence %d may be claimed: %t; it is offered: %t: %s", p.name, o.k, may, !may, shown(p))
		}
		if of := o.offer; of != nil {
			offered[of] = true
			if of.p != p || of.o != o || of.priority != p.options().priority || !slices.Equal(of.workers, p.options().workers) {
				s.fail("%s: occurrence %d is offered as it was", p.name, o.k)
			}
		}
	}
}

// checkLine checks that nobody stands in the line of a station that has room.
func (s *sequence) checkLine(st *station) {
	stand, called := 0, 0
	for _, p := range s.m.plans {
		if _, isCalled, there := st.line.Place(p.handle); there {
			if stand++; p.station != st {
				s.fail("%s stands in the line of %s", p.name, st.name)
			}
			if isCalled {
				called++
			}
		}
	}
	if called != st.line.Called() || stand != st.line.Len() {
		s.fail("%d plans stand in the line of %s, %d of them called; it has %d and %d", stand, st.name, called, st.line.Len(), st.line.Called())
	}
	limit := s.m.limit(st)
	if stand > called && called < maxCalled && (limit == 0 || st.isPull() || st.underWay+int64(called) < limit) {
		s.fail("%d plans stand in the line of %s, where %d of %d are under way", stand-called, st.name, st.underWay, limit)
	}
}

// checkReady checks that the lists of a station hold what is offered, and nothing else.
func (s *sequence) checkReady(st *station, offered map[*offer]bool) {
	listed := func(list *offers, worker string) {
		list.Scan(func(of *offer) bool {
			if !offered[of] || of.p.station != st || worker != "" && !slices.Contains(of.workers, worker) {
				s.fail("occurrence %d of %s is in a list of %s, and not offered there", of.o.k, of.p.name, st.name)
			}
			return true
		})
	}
	count := 0
	for of := range offered {
		if of.p.station != st {
			continue
		}
		count++
		for _, id := range of.workers {
			if _, there := st.ready.named[id].Get(of); !there {
				s.fail("%s: occurrence %d is for %s, and not in its list", of.p.name, of.o.k, id)
			}
		}
	}
	if st.ready == nil {
		return
	}
	listed(st.ready.any, "")
	listed(st.ready.reserved, "")
	for id, list := range st.ready.named {
		listed(list, id)
	}
	if n := st.ready.any.Len() + st.ready.reserved.Len(); n != count {
		s.fail("%d occurrences are offered at %s, and %d are listed", count, st.name, n)
	}
}

// checkClaims checks that nobody waits for what is there.
func (s *sequence) checkClaims() {
	if n := len(s.m.claims.fresh) + len(s.m.claims.served); n > 0 {
		s.fail("%d claims or offers were left over", n)
	}
	s.m.claims.byUntil.Scan(func(cl *claim) bool {
		if !s.claims[cl.from.(int)] {
			s.fail("claim %v waits, and was answered", cl.from)
		}
		for name, st := range s.m.stations {
			if st.ready == nil || !st.isPull() || !s.m.hasRoom(st) || len(cl.want.Stations) > 0 && !slices.Contains(cl.want.Stations, name) {
				continue
			}
			for _, list := range [...]*offers{st.ready.any, st.ready.reserved} {
				list.Scan(func(of *offer) bool {
					if cl.takes(of) && !of.p.away && !cl.searching && len(s.fetches) == 0 {
						s.fail("%s waits for work, and occurrence %d of %s lies there", cl.want.WorkerID, of.o.k, of.p.name)
					}
					return true
				})
			}
		}
		return true
	})
}

func (s *sequence) checkLarges() {
	size, ahead := 0, 0
	for p, l := range s.m.larges.of {
		if p.removed {
			s.fail("%s is gone, and its definition is still known as large", p.name)
		}
		if l.ahead {
			ahead += l.print.size
		}
	}
	for l := s.m.larges.whole.Head; l != nil; l = l.Next {
		if size += l.print.size; l.p.away {
			s.fail("the definition of %s is away, and in memory", l.p.name)
		}
	}
	if size != s.m.larges.bytes || ahead != s.m.larges.ahead {
		s.fail("large definitions take %d and %d bytes, and %d and %d are counted", size, ahead, s.m.larges.bytes, s.m.larges.ahead)
	}
}

// compare checks that what is durable makes the machine that it came from, and that the
// bucket, once it has all, makes the same.
func (s *sequence) compare() {
	s.same("the rows", s.replayed())
	s.same("the bucket", s.fromBucket())
}

func (s *sequence) same(source string, again *Machine) {
	for name, p := range s.m.plans {
		q := again.plans[name]
		switch {
		case q == nil || q.raw == nil:
			s.fail("%s has not got %s", source, name)
		case !p.away && !q.away && string(p.raw) != string(q.raw):
			s.fail("%s has %s as\n%s\nand it is\n%s", source, name, q.raw, p.raw)
		case p.station.name != q.station.name || !gocmp.Equal(p.options(), q.options(), gocmp.AllowUnexported(options{})):
			s.fail("%s has %s with options %+v, and they are %+v", source, name, q.options(), p.options())
		}
		if is, want := s.settled(q), s.settled(p); is != want {
			s.fail("%s has %s as\n%s\nand it is\n%s", source, name, is, want)
		}
	}
	for name, q := range again.plans {
		if s.m.plans[name] == nil && q.raw != nil {
			s.fail("%s has %s, which is gone", source, name)
		}
	}
	for name, st := range s.m.stations {
		other := again.stations[name]
		if (st.record != nil) != (other != nil && other.record != nil) {
			s.fail("station %s was put: %t; %s has it so: %t", name, st.record != nil, source, st.record == nil)
		}
		if st.record == nil {
			continue
		}
		is, err := wire.Marshal(wire.JSON, other.record)
		want, err2 := wire.Marshal(wire.JSON, st.record)
		if err != nil || err2 != nil || string(is) != string(want) {
			s.fail("%s has station %s as\n%s\nand it is\n%s", source, name, is, want)
		}
	}
}

// settled shows the record of p without what a successor finds out anew: the times of what
// was published more than once, and whose votes are waited for.
func (s *sequence) settled(p *plan) string {
	kept := *p
	kept.open = nil
	for _, o := range p.open {
		of := *o
		of.live = nil
		for _, x := range o.live {
			alone := *x
			if s.published[s.m.nonce(p, x.n)] > 1 {
				alone.sent, alone.startBy, alone.deadline = 0, 0, 0
				if x.ballot != nil {
					again := *x.ballot
					again.voters, again.quorum = 0, 0
					alone.ballot = &again
				}
			}
			of.live = append(of.live, &alone)
		}
		kept.open = append(kept.open, &of)
	}
	return shown(&kept)
}

// export keeps what a backup would of all plans.
func (s *sequence) export() {
	s.copies = nil
	for _, name := range slices.SortedFunc(maps.Keys(s.m.plans), comparePlanNames) {
		p := s.m.plans[name]
		if p.inbox != nil || p.closing || p.away {
			continue
		}
		d, err := schema.ParsePlan(wire.Trust(p.enc, p.raw), schema.ParseOptions{NoCommand: true})
		if err != nil {
			s.fail("the definition of %s is refused: %v", name, err)
		}
		s.copies = append(s.copies, schema.RestorePlan{Definition: d, Record: p.record()})
		if _, err := readRecord(p.record(), &d.Plan, unit.MomentOf(s.now.Add(time.Hour))); err != nil {
			s.fail("what is exported of %s is refused: %v\n%s", name, err, p.record())
		}
	}
}

func comparePlanNames(a, b schema.PlanName) int { return cmp.Compare(a.String(), b.String()) }
