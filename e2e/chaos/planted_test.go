//go:build linux

package chaos

import (
	"strings"
	"testing"
	"time"
)

// TestTheCheckerFindsWhatIsWrong plants one error of each kind in a correct history,
// because a checker that never finds an error shows nothing.
func TestTheCheckerFindsWhatIsWrong(t *testing.T) {
	if v := check(right()); len(v.Violations) > 0 {
		t.Fatalf("a history that is right: %q", v.Violations)
	}
	for message, plant := range map[string]func(h *history, stored []*result) []*result{
		"no result of n=2": func(_ *history, s []*result) []*result { return append(s[:1:1], s[2:]...) },
		"no result of n=3": func(h *history, s []*result) []*result { // a pause puts back none that a worker has
			h.asked = append(h.asked, &asked{Verb: "pause", Plan: "p", Outcome: unknown})
			s[2].N = 4
			return s
		},
		"neither executed": func(h *history, s []*result) []*result { h.plans["p"].Repeat = 4; return s },
		"two results of n": func(_ *history, s []*result) []*result { return append(s, s[0]) },
		"settled twice": func(_ *history, s []*result) []*result {
			s[1].K, s[1].PlanTime = 1, s[0].PlanTime
			return s
		},
		"is due at":            func(_ *history, s []*result) []*result { s[0].PlanTime = s[0].PlanTime.Add(1); return s },
		"keeps all":            func(_ *history, s []*result) []*result { s[2].State = "skipped"; return s },
		"add up to":            func(_ *history, s []*result) []*result { s[2].RealRepeat = 2; return s },
		"dispatched twice":     func(h *history, s []*result) []*result { h.runs = append(h.runs, h.runs[0]); return s },
		"before its time":      func(h *history, s []*result) []*result { h.runs[0].At = h.runs[0].At.Add(-time.Second); return s },
		"no worker replied so": func(h *history, s []*result) []*result { h.runs[0].Replied = ""; return s },
		"after n=1 ended ok": func(h *history, s []*result) []*result {
			h.runs[1].K, h.runs[1].PlanTime = 1, h.runs[0].PlanTime
			return s
		},
		"deadline of n=1": func(h *history, s []*result) []*result {
			s[0].State, s[0].Reason, s[0].Final = "timeout", "exec", false
			h.runs[0].Replied = ""
			s[1].K, h.runs[1].K = 1, 1
			return s
		},
		"counts as timed out": func(_ *history, s []*result) []*result {
			s[0].State, s[0].Reason = "timeout", "exec"
			return s
		},
		"was taken, and has no result": func(h *history, s []*result) []*result {
			h.runs[2].N, h.runs[2].Acked, h.runs[2].Counted = 9, true, true
			return s
		},
		"is still there": func(h *history, s []*result) []*result {
			h.plans["left"] = &planned{ID: "left", created: done}
			return s
		},
		"that was never created": func(h *history, s []*result) []*result { delete(h.plans, "p"); return s },
		"and is not stored": func(h *history, s []*result) []*result {
			h.received[resultName{"p", 9, "ok"}] = &broadcast{same: true}
			return s
		},
		"and was not broadcast": func(h *history, s []*result) []*result {
			h.faults = append(h.faults, &fault{At: s[0].EndTime, Over: s[0].stored}) // of a scheduler, which broadcasts it again
			delete(h.received, resultName{s[0].Plan, s[0].N, s[0].State})
			return s
		},
		"and is stored as": func(h *history, s []*result) []*result { s[0].body = "other"; return s },
		"paused since":     func(h *history, s []*result) []*result { return asks(h, "pause", 0, s) },
		"closed since":     func(h *history, s []*result) []*result { return asks(h, "close", 0, s) },
		"as revision 1":    func(h *history, s []*result) []*result { return asks(h, "update", 2, s) },
		"was refused": func(h *history, s []*result) []*result {
			h.asked = append(h.asked, &asked{Plan: "p", Outcome: refused})
			return s
		},
	} {
		h, stored, _ := right()
		stored = plant(h, stored)
		v := check(h, stored, map[string]bool{"left": true})
		if !strings.Contains(strings.Join(v.Violations, "\n"), message) {
			t.Errorf("no violation contains %q: %q", message, v.Violations)
		}
	}
}

// TestTheCheckerAllowsForClocks shows that the acts of a node with a wrong clock are checked
// against that clock, and against no other.
func TestTheCheckerAllowsForClocks(t *testing.T) {
	for message, plant := range map[string]func(h *history, s []*result){
		"": func(h *history, _ []*result) {
			h.skews = []skew{{span{start, start.Add(1500 * time.Millisecond)}, 2 * time.Second}}
			h.runs[1].At = h.runs[1].At.Add(-600 * time.Millisecond)
			h.runs[2].At = h.runs[2].At.Add(-300 * time.Millisecond) // it was due when the clock was set right
		},
		"occurrence 3 was executed 300ms before": func(h *history, _ []*result) {
			h.skews = []skew{{span{start, start.Add(1500 * time.Millisecond)}, time.Second}}
			h.runs[2].At = h.runs[2].PlanTime.Add(-300 * time.Millisecond)
		},
		"occurrence 1 was executed 300ms before": func(h *history, _ []*result) {
			h.skews = []skew{{span{start, start.Add(1500 * time.Millisecond)}, -time.Second}}
			h.runs[0].At = h.runs[0].PlanTime.Add(-300 * time.Millisecond)
		},
		"paused since": func(h *history, s []*result) {
			h.skews = []skew{{span{start, start.Add(time.Second)}, 200 * time.Millisecond}}
			asks(h, "pause", 0, s)
		},
	} {
		h, stored, left := right()
		plant(h, stored)
		found := strings.Join(check(h, stored, left).Violations, "\n")
		if !strings.Contains(found, message) || message == "" && found != "" {
			t.Errorf("found %q, want %q", found, message)
		}
	}
}

// TestTheCheckerAllowsForADeposedLeader lets an execution that a stopped leader sent behind its
// successor's first one count as timed out, and no execution of the successor.
func TestTheCheckerAllowsForADeposedLeader(t *testing.T) {
	for _, c := range []struct {
		epoch int64
		found bool
	}{{1, false}, {2, true}} {
		h, stored, left := right()
		h.runs[2].Epoch = c.epoch
		h.resumed[0] = map[int64]time.Time{2: h.runs[2].At.Add(-time.Second)}
		stored[2].State, stored[2].Reason = "timeout", "start"
		h.received[resultName{"p", 3, "timeout"}] = h.received[resultName{"p", 3, "ok"}]
		found := strings.Join(check(h, stored, left).Violations, "\n")
		if strings.Contains(found, "counts as timed out") != c.found {
			t.Errorf("of epoch %d: found %q, want a finding: %t", c.epoch, found, c.found)
		}
	}
}

// asks adds a request that was carried out before the second occurrence fell due.
func asks(h *history, verb string, rev int64, s []*result) []*result {
	at := h.runs[1].PlanTime.Add(-100 * time.Millisecond)
	h.plans["p"].Changes = true
	h.asked = append(h.asked, &asked{Verb: verb, Plan: "p", Rev: rev, Sent: at, At: at, Outcome: done})
	return s
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// right is a correct history of one plan of three occurrences.
func right() (*history, []*result, map[string]bool) {
	h := newHistory()
	h.plans["p"] = &planned{ID: "p", Start: start, Every: time.Second, Repeat: 3, NoKeep: true, created: done}
	var stored []*result
	for k := int64(1); k <= 3; k++ {
		due := start.Add(time.Duration(k) * time.Second)
		h.runs = append(h.runs, &run{
			Plan: "p", N: k, K: k, Attempt: 1, Epoch: 1, Rev: 1, PlanTime: due, Deadline: due.Add(8 * time.Second),
			StartBy: due.Add(3 * time.Second), At: due.Add(time.Millisecond), Replied: "ok", RepliedAt: due.Add(2 * time.Millisecond),
		})
		r := &result{
			Plan: "p", K: k, N: k, Attempt: 1, PlanTime: due, EndTime: due.Add(3 * time.Millisecond),
			State: "ok", RealRepeat: k, Final: true, body: "b", stored: due.Add(20 * time.Millisecond),
		}
		stored = append(stored, r)
		h.received[resultName{"p", k, "ok"}] = &broadcast{body: "b", same: true}
	}
	return h, stored, nil
}

// A node that was cut off renews its lease late.
func TestClaimsOfADeposedLeaderAreNoLease(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, setup{})
	in.nodes = []*node{{process: &process{name: "n0"}}, {process: &process{name: "n1"}}}
	in.noteLease(0, lead{"n0", 7}, false)
	in.noteLease(0, lead{"n1", 8}, false)
	for _, released := range []bool{false, true} {
		in.noteLease(0, lead{"n0", 7}, released)
		if v, epoch := in.leader(0); v != in.nodes[1] || epoch != 8 {
			t.Errorf("released %t: epoch %d leads", released, epoch)
		}
	}
}
