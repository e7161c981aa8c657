package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// list asks for plans in as many queries as it takes.
func list(tb testing.TB, m *Machine, ask schema.ListPlans, limit int) (found []command.PlanView, queries int) {
	tb.Helper()
	query := command.ListPlans{Filter: ask, Limit: limit}
	b := batch.New(capacity)
	for number := uint64(1); ; number++ {
		b.Reset(number)
		m.Step(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), event.Ask{From: "user", What: query}, b)
		slice := b.Effects[0].(event.Answer).Body.(command.PlanSlice)
		found = append(found, slice.Plans...)
		if !slice.More {
			return found, int(number)
		}
		if slice.Last == query.After && slice.Due == query.Due {
			tb.Fatalf("a query came no further than %s", query.After)
		}
		query.After, query.Due = slice.Last, slice.Due
	}
}

// Filters can be combined, and match the same plans in either encoding.
func TestFilters(t *testing.T) {
	x := newBench(t)
	for _, plan := range []string{
		`{"station":"a","plan_id":"grid","command":"c","plan_type":"second","plan_value":10,"plan_repet":-1,"caller":"me","labels":{"team":"blue","x":"1"}}`,
		`{"station":"a","plan_id":"day","command":"Bill","plan_type":5,"plan_value":1,"plan_repet":-1,"tenant_id":7,"labels":{"team":"red"}}`,
		`{"station":"a.b","plan_id":"later","command":"c","plan_type":"time","plan_time":"2026-03-01T13:00:00Z","category":"k","description":"Weekly BILL of Köln"}`,
		`{"station":"a.b","plan_id":"halted","command":"c","plan_type":"time","plan_time":"2026-03-01T14:00:00Z","paused":true,"request_id":"R-77","caller":"me"}`,
	} {
		x.create(plan)
		packed := strings.Replace(plan, `"plan_id":"`, `"plan_id":"p-`, 1)
		v, err := wire.Scan([]byte(packed), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := schema.ParsePlan(v.In(wire.MsgPack), schema.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x.step(event.Ask{From: "user", What: command.CreatePlan{Definition: d}})
	}
	at := func(clock string) time.Time {
		when, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		return time.Date(2026, 3, 1, when.Hour(), when.Minute(), 0, 0, time.UTC)
	}
	for _, c := range []struct {
		ask  schema.ListPlans
		want string
	}{
		{schema.ListPlans{}, "day grid halted later"},
		{schema.ListPlans{Station: "a"}, "day grid"},
		{schema.ListPlans{Station: "a.>"}, "halted later"},
		{schema.ListPlans{Caller: "me"}, "grid halted"},
		{schema.ListPlans{TenantID: "7"}, "day"},
		{schema.ListPlans{Category: "k"}, "later"},
		{schema.ListPlans{PlanType: schema.TypeDay}, "day"},
		{schema.ListPlans{PlanType: schema.TypeNone}, ""},
		{schema.ListPlans{Labels: map[string]string{"team": "blue"}}, "grid"},
		{schema.ListPlans{Labels: map[string]string{"team": "blue", "x": "2"}}, ""},
		{schema.ListPlans{Status: schema.OneOrMany{"paused", "pending"}}, "halted"},
		{schema.ListPlans{Text: "bIlL"}, "day later"}, // command and description
		{schema.ListPlans{Text: "köln"}, "later"},
		{schema.ListPlans{Text: "r-7"}, "halted"},
		{schema.ListPlans{Text: "RID"}, "grid"}, // plan_id
		{schema.ListPlans{Text: "red"}, ""},     // labels are not looked through
		{schema.ListPlans{DueFrom: at("13:00"), DueBefore: at("14:00")}, "later"},
		{schema.ListPlans{DueBefore: at("12:01")}, "grid"},
		{schema.ListPlans{DueFrom: at("14:01")}, "day"},
		{schema.ListPlans{Text: "bill", Labels: map[string]string{"team": "red"}, PlanType: schema.TypeDay, DueFrom: at("12:00")}, "day"},
		{schema.ListPlans{Text: "bill", Caller: "me"}, ""},
		{schema.ListPlans{Prefix: "a"}, "day grid halted later"},
		{schema.ListPlans{Prefix: "a/"}, "day grid"},
		{schema.ListPlans{Prefix: "a."}, "halted later"},
		{schema.ListPlans{Prefix: "a.b/", Caller: "me"}, "halted"},
		{schema.ListPlans{Prefix: "b"}, ""},
		{schema.ListPlans{Prefix: "a/x"}, ""},
		{schema.ListPlans{Order: schema.OrderDue, Station: "a.>"}, "halted later"},
	} {
		found, _ := list(t, x.m, c.ask, 100)
		got := map[string]int{}
		for _, v := range found {
			id, _ := v.Plan.Field("plan_id").Text()
			got[strings.TrimPrefix(id, "p-")]++
		}
		var ids []string
		for id, n := range got {
			if n != 2 {
				t.Errorf("%+v found %s in one encoding only", c.ask, id)
			}
			ids = append(ids, id)
		}
		slices.Sort(ids)
		if text := strings.Join(ids, " "); text != c.want {
			t.Errorf("%+v found %q, want %q", c.ask, text, c.want)
		}
	}
}

// The bytes that one query reads have a bound, however large the definitions are, and it
// comes further all the same.
func TestAListGoesInSlices(t *testing.T) {
	x := newBench(t)
	const plans = 12
	for i := range plans {
		x.create(fmt.Sprintf(`{"station":"s","plan_id":"p%d","command":"c","plan_type":"hour","plan_value":1,"plan_repet":-1,"messages":[%q]}`,
			i, strings.Repeat("m", 500<<10)))
	}
	if _, queries := list(t, x.m, schema.ListPlans{PlanType: schema.TypeCron}, 100); queries != plans {
		t.Errorf("%d queries of %d plans of 500 KiB", queries, plans)
	}
	if _, queries := list(t, x.m, schema.ListPlans{Status: schema.OneOrMany{"paused"}}, 100); queries != 1 {
		t.Errorf("%d queries that read nothing of %d plans", queries, plans)
	}
	if found, queries := list(t, x.m, schema.ListPlans{}, 100); len(found) != plans || queries != plans {
		t.Errorf("%d plans of 500 KiB came in %d answers", len(found), queries)
	}
}

// BenchmarkList walks a million plans with filters that find nothing. A whole walk is one
// operation; the longest query is the time that an execution may have to wait for.
func BenchmarkList(b *testing.B) {
	const plans = 1_000_000
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := New(config)
	m.Lead(now, 1, time.Time{})
	batch := batch.New(capacity)
	for i := range plans {
		enc := wire.JSON
		if i%2 == 1 {
			enc = wire.MsgPack
		}
		plan := fmt.Sprintf(`{"station":"s%d","plan_id":"p%d","command":"greet","plan_type":"day","plan_value":1,"plan_repet":-1,`+
			`"caller":"someone","description":"a plan that somebody has made for a reason","tenant_id":"t%d","labels":{"team":"blue"},`+
			`"messages":["some words for the worker, as they are",{"and":"a map","of":[1,2,3]}]}`, i%100, i, i%1000)
		v, err := wire.Scan([]byte(plan), wire.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		d, err := schema.ParsePlan(v.In(enc), schema.ParseOptions{})
		if err != nil {
			b.Fatal(err)
		}
		batch.Reset(uint64(i + 1))
		m.Step(now, event.Ask{From: "user", What: command.CreatePlan{Definition: d}}, batch)
		batch.Seal()
	}
	for name, ask := range map[string]schema.ListPlans{
		"status": {Status: schema.OneOrMany{"plan_error"}},
		"due":    {DueBefore: now},
		"caller": {Caller: "nobody"},
		"type":   {PlanType: schema.TypeCron},
		"labels": {Labels: map[string]string{"team": "red"}},
		"text":   {Text: "nothing like it"},
		"all":    {TenantID: "t7", Labels: map[string]string{"team": "blue"}, Text: "greet", PlanType: schema.TypeCron},
	} {
		b.Run(name, func(b *testing.B) {
			var longest time.Duration
			queries := 0
			for b.Loop() {
				query := command.ListPlans{Filter: ask, Limit: 1000}
				for more := true; more; queries++ {
					batch.Reset(batch.Number + 1)
					began := time.Now()
					m.Step(now, event.Ask{From: "user", What: query}, batch)
					longest = max(longest, time.Since(began))
					slice := batch.Effects[0].(event.Answer).Body.(command.PlanSlice)
					query.After, more = slice.Last, slice.More
				}
			}
			b.ReportMetric(float64(queries)/float64(b.N), "queries/op")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(queries), "µs/query")
			b.ReportMetric(float64(longest.Microseconds()), "µs-longest")
		})
	}
}

// Of each station only the plans with certain ids are looked at, also when a query ends in
// the middle.
func TestListOfSomeIDs(t *testing.T) {
	x := newBench(t)
	for _, station := range []string{"a", "a.b", "a-b", "b"} {
		for _, id := range []string{"m", "n1", "n12", "n2", "o"} {
			x.create(fmt.Sprintf(`{"station":%q,"plan_id":%q,"command":"c","plan_type":"second","plan_value":10,"plan_repet":-1}`, station, id))
		}
	}
	for _, c := range []struct {
		query command.ListPlans
		want  string
	}{
		{command.ListPlans{IDs: command.IDRange{From: "n1", To: "n1\x00"}}, "a/n1 a-b/n1 a.b/n1 b/n1"},
		{command.ListPlans{IDs: command.IDRange{From: "n", To: "n2"}, Filter: schema.ListPlans{Station: "a.>"}}, "a.b/n1 a.b/n12"},
		{command.ListPlans{IDs: command.IDRange{From: "n2"}, Filter: schema.ListPlans{Station: "b"}}, "b/n2 b/o"},
		{command.ListPlans{IDs: command.IDRange{From: "p"}}, ""},
	} {
		for limit := 1; limit < 5; limit++ {
			var got []string
			for more := true; more; {
				c.query.Limit = limit
				x.b.Reset(x.b.Number + 1)
				x.m.Step(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), event.Ask{From: "user", What: c.query}, x.b)
				slice := x.b.Effects[0].(event.Answer).Body.(command.PlanSlice)
				for _, v := range slice.Plans {
					id, _ := v.Plan.Field("plan_id").Text()
					station, _ := v.Plan.Field("station").Text()
					got = append(got, station+"/"+id)
				}
				c.query.After, more = slice.Last, slice.More
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%v by %d: %v, want %s", c.query.IDs, limit, got, c.want)
			}
			c.query.After = schema.PlanName{}
		}
	}
}

// A plan id among ten thousand plans of a hundred stations is found in one query.
func TestIDIsFoundInOneLookup(t *testing.T) {
	m := New(partition.Config{})
	m.Lead(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 1, time.Time{})
	for i := range 10_000 {
		name := schema.PlanName{Station: fmt.Sprintf("s%d", i%100), PlanID: fmt.Sprintf("p%d", i)}
		m.add(name)
	}
	b := batch.New(capacity)
	b.Reset(1)
	m.Step(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), event.Ask{From: "user", What: command.ListPlans{IDs: command.IDRange{From: "p9999", To: "p9999\x00"}, Limit: 2}}, b)
	if slice := b.Effects[0].(event.Answer).Body.(command.PlanSlice); slice.More || len(slice.Plans) != 1 {
		t.Errorf("found %d, more %v", len(slice.Plans), slice.More)
	}
}

// A list of tasks passes over stations that have none, however many plans they have, and looks at
// nothing for a status that no plan has.
func TestAListOfTasksLooksAtTasks(t *testing.T) {
	x := newBench(t)
	x.step(event.Ask{What: command.PutStation{Station: &schema.Station{Station: "k", TaskType: &schema.TaskType{Code: "k"}}}})
	for _, station := range []string{"a", "z"} {
		for i := range 1000 {
			x.m.add(schema.PlanName{Station: station, PlanID: fmt.Sprintf("p%04d", i)})
		}
	}
	x.create(`{"station":"k","plan_id":"t","command":"task","messages":[{"id":"t","type":"k"}],"plan_type":"time","no_keep":true,"plan_time":"2100-01-01T00:00:00Z"}`)
	for _, c := range []struct {
		status         schema.Status
		looked, listed int
	}{
		{"", 3, 1}, // one plan of each other station shows that it is to be passed over
		{schema.StatusQueued, 3, 1},
		{schema.StatusPending, 0, 0},
	} {
		query := command.ListPlans{Tasks: true, Limit: 10}
		if c.status != "" {
			query.Filter.Status = schema.OneOrMany{string(c.status)}
		}
		slice := x.step(event.Ask{From: "user", What: query})[0].(event.Answer).Body.(command.PlanSlice)
		if slice.Looked != c.looked || len(slice.Plans) != c.listed || slice.More {
			t.Errorf("status %q: %d looked at, %d listed, more %v; want %d, %d, false", c.status, slice.Looked, len(slice.Plans), slice.More, c.looked, c.listed)
		}
	}
}
