package front_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// metered has a front take so many requests a second of a tenant.
func metered(each int) func(*front.Config) {
	return func(c *front.Config) { c.TenantRate, c.Entropy = each, nil }
}

// yielding is a leader that carries out every command.
func yielding() *leader {
	return &leader{script: func(partition int, c command.Command) (any, error) {
		switch c.(type) {
		case command.CreatePlan:
			return created(partition, c)
		case command.ListPlans:
			return command.PlanSlice{}, nil
		default:
			return schema.Standing{}, nil
		}
	}}
}

// refusedBy is how many requests were refused at a limit.
func refusedBy(t *testing.T, s *metrics.Set, limit string) (n int) {
	t.Helper()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	_, page, _ := strings.Cut(w.Body.String(), `stationmaster_quota_refused_total{limit="`+limit+`"} `)
	if _, err := fmt.Sscan(page, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// within makes a request and returns the quota error that it gets; a zero one: none.
func (d *harness) within(subject, body string) schema.Error {
	d.t.Helper()
	answer, header := d.ask(wire.JSON, subject, body)
	if header.Get("Nats-Service-Error-Code") == "" {
		return schema.Error{}
	}
	e := refusalOf(d.t, answer)
	if e.Code != schema.CodeQuotaExceeded || header.Get("Nats-Service-Error-Code") != "429" || e.RetryAfterMS <= 0 ||
		!strings.Contains(e.Message, "nothing was done") || !strings.Contains(e.Message, "--tenant-rate") {
		d.t.Fatalf("%s %s: %s %v", subject, body, answer, header)
	}
	return e
}

// beyond makes a request that has to be refused.
func (d *harness) beyond(subject, body string) schema.Error {
	d.t.Helper()
	e := d.within(subject, body)
	if e.Code == "" {
		d.t.Errorf("%s %s is taken", subject, body)
	}
	return e
}

// taken makes requests that have to be taken.
func (d *harness) taken(n int, subject, body string) {
	d.t.Helper()
	for i := range n {
		if e := d.within(subject, body); e.Code != "" {
			d.t.Fatalf("request %d of %d, %s %s: %v", i+1, n, subject, body, e)
		}
	}
}

func of(member, value string) string {
	return fmt.Sprintf(`{"station":"s","command":"c",%q:%s}`, member, value)
}

// A tenant may make its requests of a second all at once or one by one. It is then answered
// with the delay of its next one, independently of other tenants.
func TestATenantIsHeldToItsRate(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		set := metrics.New("")
		d := openOn(t, ns, yielding(), metered(4), func(c *front.Config) { c.Metrics = set })
		d.taken(4, "plans.create", of("tenant_id", `"acme"`))
		e := d.beyond("plans.create", of("tenant_id", `"acme"`))
		if e.TenantID != "acme" || e.RetryAfterMS != 250 || !strings.Contains(e.Message, `tenant "acme"`) {
			t.Errorf("%+v", e)
		}
		d.taken(4, "plans.create", of("tenant_id", `7`))
		if e := d.beyond("plans.create", of("tenant_id", `"7"`)); e.TenantID != "7" {
			t.Errorf("a number is another tenant than its text: %+v", e)
		}
		d.taken(4, "plans.create", of("caller", `"acme"`))
		if e := d.beyond("plans.create", of("caller", `"acme"`)); e.TenantID != "" || !strings.Contains(e.Message, `caller "acme"`) {
			t.Errorf("%+v", e)
		}
		d.taken(4, "plans.create", `{"station":"s","command":"c"}`)
		d.beyond("plans.get", `{"station":"s","plan_id":"p"}`)
		if e := d.beyond("plans.list", `{}`); e.TenantID != "" || !strings.Contains(e.Message, "neither tenant_id nor caller") {
			t.Errorf("%+v", e)
		}
		if e := d.beyond("plans.list", `{"tenant_id":"acme"}`); e.TenantID != "acme" {
			t.Errorf("a list of a tenant does not count for it: %+v", e)
		}

		time.Sleep(250 * time.Millisecond)
		d.taken(1, "plans.create", of("tenant_id", `"acme"`))
		d.beyond("plans.create", of("tenant_id", `"acme"`))
		time.Sleep(time.Hour)
		d.taken(4, "plans.create", of("tenant_id", `"acme"`))
		d.beyond("plans.create", of("tenant_id", `"acme"`))
		if n := refusedBy(t, set, "rate"); n != 8 {
			t.Errorf("%v refusals are counted", n)
		}
	})
}

// Each element of a request's list counts, and the next request waits for its tokens.
func TestARequestForManyCountsAsMany(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, yielding(), metered(4))
		plans := func(n int, tenant string) string {
			return strings.TrimSuffix(strings.Repeat(of("tenant_id", tenant)+",", n), ",")
		}
		d.taken(1, "plans.import", `{"plans":[`+plans(10, `"acme"`)+`,`+plans(1, `"other"`)+`]}`)
		if e := d.beyond("plans.create", of("tenant_id", `"acme"`)); e.TenantID != "acme" || e.RetryAfterMS != 1750 {
			t.Errorf("%+v", e)
		}
		if e := d.beyond("plans.import", `{"plans":[`+plans(3, `"other"`)+`,`+plans(1, `"acme"`)+`]}`); e.TenantID != "acme" {
			t.Errorf("%+v", e)
		}
		d.taken(3, "plans.create", of("tenant_id", `"other"`)) // a refused request takes no tokens of others
		d.beyond("plans.create", of("tenant_id", `"other"`))
		time.Sleep(1750 * time.Millisecond)
		d.taken(1, "plans.create", of("tenant_id", `"acme"`))

		d.taken(4, "plans.import", `{"plans":[]}`) // it counts as a request without a tenant
		d.beyond("plans.import", `{"plans":[]}`)
		d.beyond("plans.import", `{"plans":[`+plans(1001, `"third"`)+`]}`) // as does a request with more than the verb takes
		d.taken(4, "plans.create", of("tenant_id", `"third"`))
	})
}

// The verbs of workers, and those that end or hold work, are never refused by the rate.
func TestRequestsThatEndWorkAreNotCounted(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, yielding(), metered(1))
		d.taken(1, "plans.preview", `{"plan":{"plan_type":"none","tenant_id":"acme"}}`)
		d.beyond("plans.preview", `{"plan":{"plan_type":"none","tenant_id":"acme"}}`)
		for _, verb := range []string{"pause", "close", "remove"} {
			d.taken(3, "plans."+verb, `{"station":"s","plan_id":"p"}`)
		}
		d.taken(1, "plans.resume", `{"station":"s","plan_id":"p"}`)
		d.beyond("plans.resume", `{"station":"s","plan_id":"p"}`)
		d.taken(3, "plans.pause", `{"station":"s","plan_id":"p"}`)
	})
}

// A client that makes up a tenant for each request gets no more tokens than all free buckets
// have, and takes none from tenants that have theirs.
func TestMadeUpTenantsShareWhatIsLeft(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, yielding(), metered(2))
		d.taken(1, "plans.create", of("tenant_id", `"acme"`))
		for i := range 10 {
			var plans []string
			for j := range 1000 {
				plans = append(plans, of("tenant_id", fmt.Sprintf(`"made-up-%d-%d"`, i, j)))
			}
			d.taken(1, "plans.import", `{"plans":[`+strings.Join(plans, ",")+`]}`)
		}
		d.taken(1, "plans.create", of("tenant_id", `"acme"`))
		if e := d.beyond("plans.create", of("tenant_id", `"acme"`)); e.TenantID != "acme" {
			t.Errorf("%+v", e)
		}
		d.taken(1, "plans.create", of("tenant_id", `"late"`)) // the last made-up tenant took the other
		shared := d.beyond("plans.create", of("tenant_id", `"later"`))
		if other := d.beyond("plans.list", `{}`); shared.RetryAfterMS != other.RetryAfterMS {
			t.Errorf("a tenant that came when there was no room waits for %d ms, those without a name for %d", shared.RetryAfterMS, other.RetryAfterMS)
		}
		time.Sleep(time.Hour) // they are idle, and forgotten
		d.taken(2, "plans.create", of("tenant_id", `"late"`))
		d.taken(2, "plans.list", `{}`)
	})
}

// Without a rate no request is refused.
func TestThereIsNoRateUnlessOneIsSet(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, yielding())
		d.taken(1000, "plans.create", of("tenant_id", `"acme"`))
	})
}
