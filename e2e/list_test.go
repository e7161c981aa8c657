package e2e

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// listed are the ids of a list, in its order.
func (c *client) listed(request body) []string {
	c.t.Helper()
	var ids []string
	for _, p := range c.pages("plans.list", "plans", request) {
		ids = append(ids, p.obj("plan").text("plan_id"))
	}
	return ids
}

func TestListFiltersByEachStatus(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work := c.worker(station)
	c.create(grid(station).with(body{"plan_id": "queued"}))
	c.create(grid(station).with(body{"plan_id": "paused", "paused": true}))
	for id, reply := range map[string]body{"executing": {"state": "running"}, "retrying": {"state": "error"}, "plan_error": {"state": "failure"}} {
		c.create(once(station).with(body{"plan_id": id, "retry": body{"strategy": "fixed_period", "interval": 1000}}))
		work.take().request(reply)
	}
	c.create(once(station).with(body{"plan_id": "pending", "retry": body{"strategy": "none", "need_manual": true}}))
	work.take().request(body{"state": "error"})
	all := words("executing paused pending plan_error queued retrying")
	for _, status := range all {
		match(t, "the plan", c.state(station, status), body{"status": status})
		if got := c.listed(body{"station": station, "status": status}); !slices.Equal(got, []string{status}) {
			t.Errorf("%s: %v", status, got)
		}
	}
	if got := c.listed(body{"station": station, "status": []any{"retrying", "executing"}}); !slices.Equal(got, []string{"executing", "retrying"}) {
		t.Errorf("two of them: %v", got)
	}
	if got := c.listed(body{"station": station}); !slices.Equal(got, all) {
		t.Errorf("all: %v", got)
	}
	for field, filter := range map[string]body{
		"status":    {"status": "asleep"},
		"plan_type": {"plan_type": "seconds"},
		"labels":    {"labels": "x"},
		"stations":  {"stations": station},
	} {
		if e := c.refused("plans.list", filter); e.text("field") != field {
			t.Errorf("filter %v: %v", filter, e)
		}
	}
}

func TestListFindsTextAndDueTimes(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		due := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
		put := func(id string, at time.Time, more body) {
			c.create(far(station).with(body{"plan_id": id, "plan_time": c.moment(at)}).with(more))
		}
		put("nightly-1", due, body{"description": "Copies the Ledger"})
		put("p2", due.Add(time.Hour), body{"command": "ledger.close"})
		put("p3", due.Add(2*time.Hour), body{"request_id": "LEDGER-7"})
		put("p4", due.Add(3*time.Hour), body{"paused": true})
		for what, row := range map[string]struct {
			filter body
			want   string
		}{
			"a text in any field and case":  {body{"text": "ledger"}, "nightly-1 p2 p3"},
			"a text of an id":               {body{"text": "NIGHT"}, "nightly-1"},
			"a text of no run":              {body{"text": "xyzzy"}, ""},
			"text and due":                  {body{"text": "ledger", "due_from": c.moment(due.Add(time.Minute))}, "p2 p3"},
			"due from, that moment counts":  {body{"due_from": c.moment(due.Add(2 * time.Hour))}, "p3 p4"},
			"due before, that moment not":   {body{"due_before": c.moment(due.Add(2 * time.Hour))}, "nightly-1 p2"},
			"a window":                      {body{"due_from": c.moment(due.Add(time.Hour)), "due_before": c.moment(due.Add(2 * time.Hour))}, "p2"},
			"a window in Unix seconds":      {body{"due_from": due.Unix(), "due_before": due.Unix() + 1}, "nightly-1"},
			"in pages of one":               {body{"text": "ledger", "limit": 1}, "nightly-1 p2 p3"},
			"due and status":                {body{"due_from": c.moment(due), "status": "paused"}, "p4"},
			"a window that ends before all": {body{"due_before": c.moment(due)}, ""},
		} {
			if diff := cmp.Diff(words(row.want), c.listed(row.filter.with(body{"station": station})), cmp.Transformer("", func(s []string) string { return fmt.Sprint(s) })); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
	})
}

// A list never repeats or leaves out a plan that exists all the while.
func TestCursorsHoldWhilePlansComeAndGo(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	base := c.station()
	stations := []string{base + ".a", base + ".b", base + ".c"}
	var stay []string
	put := func(station, id string) { c.create(grid(station).with(body{"plan_id": id})) }
	for _, station := range stations {
		for i := range 12 {
			id := fmt.Sprintf("stay-%02d", i)
			put(station, id)
			stay = append(stay, station+"/"+id)
		}
	}
	done := make(chan struct{})
	var comings sync.WaitGroup
	defer comings.Wait()
	defer close(done)
	comings.Go(func() { // between the others, in front and behind
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			plan := grid(stations[i%3]).with(body{"plan_id": fmt.Sprintf("%s-%02d", []string{"a", "stay", "z"}[i%3], 50+i%7)})
			for _, ask := range []struct {
				verb    string
				request body
			}{{"plans.create", plan}, {"plans.remove", name(plan.text("station"), plan.text("plan_id"))}} {
				raw, err := c.enc.encode(ask.request)
				if err == nil {
					_, err = c.nc.Request(ask.verb, raw, patience)
				}
				if err != nil {
					t.Errorf("%s: %v", ask.verb, err)
					return
				}
			}
		}
	})
	for _, limit := range []int{1, 3, 5, 1000} {
		for range 5 {
			var got []string
			seen, last := map[string]bool{}, ""
			for _, p := range c.pages("plans.list", "plans", body{"station": base + ".>", "limit": limit}) {
				at := p.obj("plan").text("station") + "/" + p.obj("plan").text("plan_id")
				if seen[at] || at <= last {
					t.Errorf("in pages of %d: %s after %s", limit, at, last)
				}
				seen[at], last = true, at
				if slices.Contains(stay, at) {
					got = append(got, at)
				}
			}
			if diff := cmp.Diff(stay, got); diff != "" {
				t.Errorf("in pages of %d (-stayed +listed):\n%s", limit, diff)
			}
		}
	}
}

// The cursor of a plan that has gone meanwhile still leads to the next.
func TestACursorOutlivesItsPlan(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	for _, id := range words("a b c d") {
		c.create(grid(station).with(body{"plan_id": id}))
	}
	page := c.req("plans.list", body{"station": station, "limit": 2})
	for _, id := range words("a b c") {
		c.req("plans.remove", name(station, id))
	}
	if got := c.listed(body{"station": station, "cursor": page["next"]}); !slices.Equal(got, []string{"d"}) {
		t.Errorf("after %v: %v", page["plans"], got)
	}
}

func TestRunsPagesHoldWhileRunsCome(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	results := c.results(station)
	c.serve(station, ok)
	c.create(again(station, 30))
	results.until(func(r body) bool { return r.int("n") == 10 })
	last := int64(1 << 30)
	for _, r := range c.pages("plans.runs", "runs", name(station, "p").with(body{"limit": 2})) {
		if n := r.int("n"); n != last-1 && last != 1<<30 {
			t.Errorf("n=%d after n=%d", n, last)
		}
		last = r.int("n")
	}
	if last != 1 {
		t.Errorf("the oldest run is n=%d", last)
	}
}
