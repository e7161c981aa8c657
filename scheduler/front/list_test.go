package front_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A table is a leader with plans that come and go, of which one look visits few.
type table struct {
	space schema.Space
	slice int // plans that one request visits
	// padding makes definitions large.
	padding string

	mu    sync.Mutex
	plans map[schema.PlanName]schema.Status
}

func (l *table) Ask(partition int, c command.Command, done func(any, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	query := c.(command.ListPlans)
	out := command.PlanSlice{Last: query.After}
	visited := 0
	for _, n := range l.names() {
		if storage.Partition(l.space, n.PlanID) != partition || compareNames(n, query.After) <= 0 {
			continue
		}
		if visited == l.slice || len(out.Plans) == query.Limit {
			out.More = true
			break
		}
		visited++
		out.Last = n
		if len(query.Filter.Status) == 0 || query.Filter.Status[0] == string(l.plans[n]) {
			out.Plans = append(out.Plans, l.view(n))
		}
	}
	done(out, nil)
}

func (l *table) view(n schema.PlanName) command.PlanView {
	raw := fmt.Sprintf(`{"plan_id":%q,"station":%q,"command":"c","messages":[%q]}`, n.PlanID, n.Station, l.padding)
	return command.PlanView{PlanView: schema.PlanView{Plan: wire.Trust(wire.JSON, []byte(raw)), State: schema.PlanState{Status: l.plans[n]}}}
}

func (l *table) names() []schema.PlanName {
	var names []schema.PlanName
	for n := range l.plans {
		names = append(names, n)
	}
	slices.SortFunc(names, compareNames)
	return names
}

func compareNames(a, b schema.PlanName) int {
	return cmp.Or(strings.Compare(a.Station, b.Station), strings.Compare(a.PlanID, b.PlanID))
}

// page asks for one page of a list.
func (d *harness) page(enc wire.Encoding, subject, body string, into any) int {
	d.t.Helper()
	answer, _ := d.ask(enc, subject, body)
	if err := wire.Decode(value(d.t, answer), into); err != nil {
		d.t.Fatalf("%s: %.200s", subject, answer)
	}
	return len(answer)
}

// Pages of a list in order hold each plan that existed all the while exactly once, with any
// number of partitions, any size of a look, and any changes meanwhile.
func TestListProperty(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, _ *server.Server) {
		doors := map[int]*harness{}
		tables := map[int]*table{}
		for _, partitions := range []int{1, 2, 5} {
			l := &table{space: schema.Space{Partitions: partitions}}
			tables[partitions] = l
			doors[partitions] = open(t, l, func(c *front.Config) { c.Space = l.space })
		}
		name := rapid.Custom(func(t *rapid.T) schema.PlanName {
			return schema.PlanName{
				Station: rapid.SampledFrom([]string{"a", "a-b", "a.b", "b"}).Draw(t, "station"),
				PlanID:  rapid.StringMatching(`[a-c_]{1,3}`).Draw(t, "id"),
			}
		})
		statuses := rapid.SampledFrom([]schema.Status{schema.StatusQueued, schema.StatusPaused})
		rapid.Check(inBubble{t}, func(rt *rapid.T) {
			partitions := rapid.SampledFrom([]int{1, 2, 5}).Draw(rt, "partitions")
			l, d := tables[partitions], doors[partitions]
			l.mu.Lock()
			l.slice = rapid.IntRange(1, 30).Draw(rt, "slice")
			l.plans = rapid.MapOf(name, statuses).Draw(rt, "plans")
			stays := map[schema.PlanName]bool{}
			for n, status := range l.plans {
				stays[n] = status == schema.StatusPaused
			}
			l.mu.Unlock()
			filter := ""
			if rapid.Bool().Draw(rt, "filter") {
				filter = `"status":"paused",`
			}
			limit := rapid.IntRange(1, 12).Draw(rt, "limit")

			var listed []schema.PlanName
			cursor := ""
			for {
				var p schema.PlanPage
				d.page(wire.JSON, "plans.list", fmt.Sprintf(`{%s"limit":%d,"cursor":%q}`, filter, limit, cursor), &p)
				if len(p.Plans) > limit || p.Next != "" && len(p.Plans) < limit {
					rt.Fatalf("%d plans on a page of %d, next %q", len(p.Plans), limit, p.Next)
				}
				for _, v := range p.Plans {
					if filter != "" && v.State.Status != schema.StatusPaused {
						rt.Fatalf("%s is listed with status %s", v.Plan, v.State.Status)
					}
					listed = append(listed, nameOf(v.Plan))
				}
				if cursor = p.Next; cursor == "" {
					break
				}
				l.mu.Lock()
				come, go_ := name.Draw(rt, "come"), name.Draw(rt, "go")
				if _, known := l.plans[come]; !known {
					l.plans[come] = schema.StatusPaused
				}
				delete(l.plans, go_)
				delete(stays, go_)
				l.mu.Unlock()
			}
			if !slices.IsSortedFunc(listed, compareNames) || len(slices.Compact(slices.Clone(listed))) < len(listed) {
				rt.Fatalf("listed %v", listed)
			}
			for n, paused := range stays {
				if _, found := slices.BinarySearchFunc(listed, n, compareNames); !found && (filter == "" || paused) {
					rt.Fatalf("%s was there all the while; listed %v", n, listed)
				}
			}
		})
	})
}

func nameOf(v wire.Value) schema.PlanName {
	station, _ := v.Field("station").Text()
	id, _ := v.Field("plan_id").Text()
	return schema.PlanName{Station: station, PlanID: id}
}

// The last page has no next, even when it is full.
func TestListEnds(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &table{slice: 1, plans: map[schema.PlanName]schema.Status{
			{Station: "s", PlanID: "a"}: schema.StatusQueued, {Station: "s", PlanID: "b"}: schema.StatusPaused,
		}}
		d := openOn(t, ns, l)
		for _, c := range []struct {
			body string
			want int
			next bool
		}{
			{`{"limit":2}`, 2, false}, {`{"limit":1}`, 1, true}, {`{"limit":1,"status":["queued"]}`, 1, false},
			{`{"status":"pending"}`, 0, false}, {``, 2, false},
		} {
			for _, enc := range encodings {
				var p schema.PlanPage
				d.page(enc, "plans.list", c.body, &p)
				if len(p.Plans) != c.want || (p.Next != "") != c.next {
					t.Errorf("%s: %d plans, next %q", c.body, len(p.Plans), p.Next)
				}
			}
		}
	})
}

// pages walks a list to its end.
func (d *harness) pages(filter string) (names []schema.PlanName, pages int) {
	d.t.Helper()
	for cursor := ""; cursor != "" || pages == 0; pages++ {
		var p schema.PlanPage
		size := d.page(wire.MsgPack, "plans.list", fmt.Sprintf(`{%s"cursor":%q}`, filter, cursor), &p)
		if size > 520<<10 {
			d.t.Errorf("an answer of %d bytes", size)
		}
		for _, v := range p.Plans {
			names = append(names, nameOf(v.Plan))
		}
		if cursor = p.Next; pages > 100 {
			d.t.Fatal("the list never ends")
		}
	}
	return names, pages
}

// few is a table with a thousand plans, a few of which are paused.
func few(l *table) (paused []schema.PlanName) {
	paused = []schema.PlanName{{Station: "z", PlanID: "last"}}
	l.plans = map[schema.PlanName]schema.Status{paused[0]: schema.StatusPaused}
	for i := range 1000 {
		n := schema.PlanName{Station: "s", PlanID: fmt.Sprintf("p%03d", i)}
		l.plans[n] = schema.StatusQueued
		if i%100 == 50 {
			l.plans[n] = schema.StatusPaused
			paused = append(paused, n)
		}
	}
	slices.SortFunc(paused, compareNames)
	return paused
}

// A page stops at 512 KiB, and the next one goes on where it stopped.
func TestListStopsAtBytes(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &table{slice: 100, padding: strings.Repeat("x", 100<<10)}
		want := few(l)
		got, pages := openOn(t, ns, l).pages(`"status":"paused",`)
		if diff := gocmp.Diff(want, got); diff != "" || pages < 2 {
			t.Errorf("%d pages (-want +got):\n%s", pages, diff)
		}
	})
}

// However long the search takes, a short page is the answer before the client gives up, and the
// list goes on behind it.
func TestListStopsInTime(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &table{slice: 10, space: schema.Space{Partitions: 3}}
		want := few(l)
		d := openOn(t, ns, askFunc(func(partition int, c command.Command, done func(any, error)) {
			time.Sleep(70 * time.Millisecond) // in a bubble
			l.Ask(partition, c, done)
		}), func(c *front.Config) { c.Space = l.space })
		began := time.Now()
		got, pages := d.pages(`"status":"paused",`)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if took := time.Since(began) / time.Duration(pages); pages < 3 || took > 2300*time.Millisecond {
			t.Errorf("%d pages of %v", pages, took)
		}
	})
}

// Many lists at once take the leader two looks at a time.
func TestListsTakeTurnsToLook(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		asked := make(chan func(any, error), 100)
		d := openOn(t, ns, askFunc(func(_ int, _ command.Command, done func(any, error)) { asked <- done }))
		inbox, sub := d.inbox()
		for range 20 {
			d.publish("plans.list", inbox, `{}`)
		}
		first, second := <-asked, <-asked
		d.want("plans.preview", `{"plan":{},"count":1}`, `{"occurrences":[{"occurrence":1,"plan_time":"2026-03-01T12:00:00Z","local":"2026-03-01T12:00:00Z","offset":"+00:00","notes":[]}],"words":"Once, at once"}`)
		select {
		case <-asked:
			t.Error("a third list is under way")
		default:
		}
		first(command.PlanSlice{}, nil)
		second(command.PlanSlice{}, nil)
		for range 18 {
			(<-asked)(command.PlanSlice{}, nil)
		}
		for range 20 {
			if answer := next(t, sub); answer != `{"plans":[]}` {
				t.Error(answer)
			}
		}
	})
}

// A plan that no message can carry in the reader's encoding is listed without its largest
// members.
func TestListShortensHugePlan(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		huge := schema.Definition{}
		w := wire.NewWriter(wire.MsgPack, nil)
		w.BeginMap()
		for _, f := range [][2]string{{"plan_id", "a"}, {"station", "s"}, {"command", strings.Repeat("\x01", 400<<10)}, {"caller", "me"}} {
			w.KeyText(f[0])
			w.Text(f[1])
		}
		w.EndMap()
		huge.Enc, huge.Raw = wire.MsgPack, w.Bytes()
		d := openOn(t, ns, &leader{script: func(_ int, c command.Command) (any, error) {
			view := command.PlanView{PlanView: schema.PlanView{Plan: huge.Value(), State: schema.PlanState{Status: schema.StatusQueued}}}
			if _, ok := c.(command.GetPlan); ok {
				return view, nil
			}
			return command.PlanSlice{Plans: []command.PlanView{view}, Last: schema.PlanName{Station: "s", PlanID: "a"}}, nil
		}})
		var p schema.PlanPage
		d.page(wire.JSON, "plans.list", ``, &p)
		if got := p.Plans[0].Plan.String(); got != `{"plan_id":"a","station":"s","caller":"me"}` {
			t.Errorf("listed as %.200s", got)
		}
		answer, _ := d.ask(wire.JSON, "plans.get", `{"station":"s","plan_id":"a"}`)
		if e := refusalOf(t, answer); e.Code != schema.CodeTooLarge || !strings.Contains(e.Message, "bytes in json") {
			t.Errorf("get: %v", e)
		}
		answer, _ = d.ask(wire.MsgPack, "plans.get", `{"station":"s","plan_id":"a"}`)
		if len(answer) < 400<<10 {
			t.Errorf("get in the plan's encoding: %.200s", answer)
		}
	})
}

// The filter goes to the leader as it was given.
func TestListFilters(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(command.PlanSlice{}, nil)
		d := openOn(t, ns, l)
		d.want("plans.list", `{"station":"a.>","status":["queued","paused"],"waits":["room","lock","room"],"plan_type":2,"caller":"me","tenant_id":"t","category":"c","labels":{"k":"v"},"text":"word","due_from":"2026-03-01T12:00:00Z","due_before":1772370000,"limit":7}`,
			`{"plans":[]}`)
		want := command.ListPlans{Limit: 8, Filter: schema.ListPlans{
			Station: "a.>", Status: schema.OneOrMany{"queued", "paused"}, Waits: schema.OneOrMany{"room", "lock"}, PlanType: schema.TypeSecond,
			Caller: "me", TenantID: "t", Category: "c", Labels: map[string]string{"k": "v"},
			Text: "word", DueFrom: noon, DueBefore: noon.Add(time.Hour),
		}}
		for _, got := range l.commands() {
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

func TestListRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(command.PlanSlice{}, nil))
		for _, c := range []struct{ body, field, hint string }{
			{`{"limit":0}`, "limit", "1 to 1000"}, {`{"limit":1001}`, "limit", "1 to 1000"},
			{`{"station":">"}`, "station", ".>"}, {`{"station":".>"}`, "station", ".>"}, {`{"station":"a.*"}`, "station", "'*'"},
			{`{"status":"done"}`, "status", "queued"}, {`{"waits":"workers"}`, "waits", "worker"}, {`{"waits":["room",1]}`, "waits", "a word or a list of words"},
			{`{"plan_type":"yearly"}`, "plan_type", "cron"},
			{`{"cursor":"?"}`, "cursor", "leave it out"}, {`{"cursor":"cGE"}`, "cursor", "leave it out"}, {`{"cursor":"AA"}`, "cursor", "leave it out"},
			{`{"due_from":"2026-03-01T12:00:00Z","due_before":"2026-03-01T12:00:00Z"}`, "due_before", "not after"},
			{`{"due_from":"noon"}`, "due_from", "RFC 3339"}, {`{"text":"` + strings.Repeat("x", 257) + `"}`, "text", "256"},
			{`{"stat":"done"}`, "stat", "unknown"}, {`{"labels":{"a":1}}`, "labels.a", "text"},
		} {
			d.refuse("plans.list", c.body, schema.CodeInvalidPlan, c.field, c.hint)
		}
	})
}
