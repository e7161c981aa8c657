package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// A restAnswer is an answer of REST.
type restAnswer struct {
	status int
	header http.Header
	body   body
}

// rest makes a request of REST.
func (s *server) rest(t *testing.T, method, path, data string) restAnswer {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.http+"/api/v1"+path, strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	out := restAnswer{status: r.StatusCode, header: r.Header}
	if err := json.NewDecoder(r.Body).Decode(&out.body); err != nil {
		t.Fatalf("%s %s: %d %v", method, path, r.StatusCode, err)
	}
	return out
}

// owned is a plan of a tenant that does not run during the test.
func owned(id, tenant string) body { return far("s").with(body{"plan_id": id, "tenant_id": tenant}) }

func TestATenantHasAsManyPlansAsItMayAndNoMore(t *testing.T) {
	t.Parallel()
	s := start(t, "--tenant-plans", "2")
	c := connect(t, s, inJSON)
	full := func() {
		t.Helper()
		e := c.refused("plans.create", owned("third", "acme"))
		match(t, "the third", e, body{"code": "quota_exceeded", "tenant_id": "acme", "retry_after_ms": absent})
		if !strings.Contains(e.text("message"), `2 of 2, for tenant "acme": close or remove some`) {
			t.Errorf("the error is %q", e.text("message"))
		}
		if e := c.refused("plans.get", name("s", "third")); e.text("code") != "not_found" {
			t.Errorf("it is there all the same: %v", e)
		}
	}
	c.create(owned("first", "acme"))
	c.create(owned("second", "acme"))
	full()
	match(t, "the first, sent again", c.create(owned("first", "acme").with(body{"on_conflict": "keep"})), body{"created": false, "state": "queued"})
	match(t, "another tenant's", c.create(owned("other", "globex")), body{"created": true})

	s.kill9()
	s.restart(t)
	c.flush()
	full()
	r := s.rest(t, http.MethodPost, "/plans", `{"station":"s","command":"c","plan_type":"none","tenant_id":"acme"}`)
	if e := r.body.obj("error"); r.status != http.StatusTooManyRequests || e.text("code") != "quota_exceeded" || e.text("tenant_id") != "acme" {
		t.Errorf("REST answers %d %v", r.status, r.body)
	}
	imported := c.req("plans.import", body{"plans": []any{owned("a", "acme"), owned("b", "globex"), owned("c", "globex"), owned("d", "initech")}})
	// acme has two, and globex has two with the first of these.
	match(t, "an import", imported, body{"created": 2})
	for i, e := range imported.list("errors") {
		match(t, "what is refused of it", e, body{"index": 2 * i})
		if text := fmt.Sprint(e); !strings.Contains(text, "quota_exceeded") {
			t.Errorf("refused is %s", text)
		}
	}
	if n := len(imported.list("errors")); n != 2 {
		t.Errorf("%d plans of an import are refused: %v", n, imported)
	}
	if e := c.refused("plans.update", name("s", "d").with(body{"tenant_id": "acme"})); e.text("code") != "quota_exceeded" {
		t.Errorf("a plan that becomes acme's: %v", e)
	}
	_, errs, code := command(t, "", "plan", "create", "--nats-url", "nats://"+s.nats, "--station", "s", "--command", "c", "--tenant-id", "acme")
	if code != 1 || !strings.Contains(errs, "quota_exceeded") || !strings.Contains(errs, "--tenant-plans") {
		t.Errorf("the command line exits with %d: %s", code, errs)
	}

	c.req("plans.remove", name("s", "first"))
	match(t, "when one is gone", c.create(owned("third", "acme")), body{"created": true})
	if e := c.refused("plans.create", owned("fourth", "acme")); e.text("code") != "quota_exceeded" {
		t.Errorf("the fourth: %v", e)
	}
	c.create(owned("last", "umbrella")) // the leader has counted the creates before it
	if n := s.counted(t, `stationmaster_quota_refused_total{limit="plans"}`); n != 7 {
		t.Errorf("%d refusals are counted since the restart", n)
	}
}

// A restore loses no plan, with any quota.
func TestARestoreTakesPlansBeyondTheQuota(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	for i := range 3 {
		c.create(owned(fmt.Sprint("p", i), "acme"))
		c.req("queues.push", body{"key": fmt.Sprint("k", i), "task": "x", "station": "s", "ontime": 4102444800})
	}
	backup, errs, code := command(t, "", "export", "--nats-url", "nats://"+s.nats)
	if code != 0 {
		t.Fatalf("export: %d %s", code, errs)
	}
	s = start(t, "--tenant-plans", "1")
	c = connect(t, s, inJSON)
	if _, errs, code := command(t, backup, "import", "-f", "-", "--nats-url", "nats://"+s.nats); code != 0 {
		t.Fatalf("import: %d %s", code, errs)
	}
	if n := len(c.pages("plans.list", "plans", body{})); n != 6 {
		t.Errorf("%d of 6 plans are restored", n)
	}
	if e := c.refused("plans.create", owned("p4", "acme")); e.text("code") != "quota_exceeded" {
		t.Errorf("one more: %v", e)
	}
	if e := c.refused("queues.push", body{"key": "k4", "task": "x", "station": "s"}); e.text("code") != "quota_exceeded" {
		t.Errorf("one more queue: %v", e)
	}
}

func TestATenantMakesAsManyRequestsASecondAsItMay(t *testing.T) {
	t.Parallel()
	s := start(t, "--tenant-rate", "1")
	c := connect(t, s, inJSON)
	const many = 20
	answers := c.listen("answers")
	for i := range many {
		if err := c.nc.PublishRequest("plans.create", "answers", c.encode(owned(fmt.Sprint("p", i), "acme"))); err != nil {
			t.Fatal(err)
		}
	}
	taken := 0
	for range many {
		msg := answers.msg()
		if msg.Header.Get("Nats-Service-Error") == "" {
			taken++
			continue
		}
		e := c.refusal("plans.create", msg)
		match(t, "what is refused", e, body{"code": "quota_exceeded", "tenant_id": "acme", "retry_after_ms": present})
		if n := e.int("retry_after_ms"); n < 1 || n > 1000 || !strings.Contains(e.text("message"), "nothing was done") {
			t.Errorf("the error is %v", e)
		}
	}
	// On a slow machine a second may pass between some of them.
	if there := len(c.pages("plans.list", "plans", body{"station": "s"})); taken == 0 || taken > many/2 || there != taken {
		t.Errorf("of %d requests %d are taken, and %d plans are there", many, taken, there)
	}
	r := restAnswer{}
	for i := 0; i < many && r.status != http.StatusTooManyRequests; i++ {
		r = s.rest(t, http.MethodPost, "/plans", fmt.Sprintf(`{"station":"s","command":"c","plan_id":"r%d","plan_type":"none","tenant_id":"acme"}`, i))
	}
	again, err := strconv.Atoi(r.header.Get("Retry-After"))
	if e := r.body.obj("error"); err != nil || again < 1 || e.text("code") != "quota_exceeded" || e.text("tenant_id") != "acme" {
		t.Errorf("REST answers %d %v %v", r.status, r.header, r.body)
	}
	match(t, "another tenant's", c.create(owned("other", "globex")), body{"created": true})
	c.req("plans.remove", name("s", "other")) // a remove counts for no tenant
	c.req("plans.claim.s", body{"worker_id": "w"})
	if n := s.counted(t, `stationmaster_quota_refused_total{limit="rate"}`); n < many-taken+1 {
		t.Errorf("%d refusals are counted", n)
	}

	// The command line waits for its turn.
	for range 3 {
		if _, errs, code := command(t, "", "plan", "create", "--nats-url", "nats://"+s.nats, "--station", "s", "--command", "c", "--tenant-id", "acme"); code != 0 {
			t.Errorf("the command line exits with %d: %s", code, errs)
		}
	}
}

// counted is the value of a metric.
func (s *server) counted(t *testing.T, figure string) (n int) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.http+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	page, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, value, _ := strings.Cut(string(page), "\n"+figure+" ")
	if _, err := fmt.Sscan(value, &n); err != nil {
		t.Fatalf("%s: %v", figure, err)
	}
	return n
}
