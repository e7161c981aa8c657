package node_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A tap records every message on NATS.
type tap struct {
	mu       sync.Mutex
	received bytes.Buffer
}

func (s *site) listen(t *testing.T) *tap {
	t.Helper()
	e := new(tap)
	sub, err := s.nc.Subscribe(">", func(m *nats.Msg) {
		e.mu.Lock()
		defer e.mu.Unlock()
		fmt.Fprintf(&e.received, "%s %v %s\n", m.Subject, m.Header, m.Data)
	})
	if err == nil {
		err = s.nc.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	return e
}

// since returns the messages recorded up to now, and discards them.
func (e *tap) since(t *testing.T, nc *nats.Conn) string {
	t.Helper()
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	text := e.received.String()
	e.received.Reset()
	return text
}

func (s *site) putSecret(t *testing.T, n schema.NamedSecret) {
	t.Helper()
	if _, err := s.client.Secrets().Put(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// sealing is a node that calls the test's own servers, seals secrets, and has the most
// verbose log.
func sealing(t *testing.T) (c node.Config, log *diary) {
	log = new(diary)
	c = local(t)
	c.SecretsKeyFile = keyFile(t, 7)
	c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return c, log
}

// A secret reaches the target in the address, in a header and in the body, each in its proper
// encoding, and appears nowhere else, not even when the target repeats it.
func TestASecretReachesItsTargetAlone(t *testing.T) {
	const value = `s3cr3t "value"/of & 42`
	c, log := sealing(t)
	s := open(t, c)
	type seen struct{ query, header, body string }
	asked := make(chan seen, 10)
	target := web(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- seen{r.URL.Query().Get("key"), r.Header.Get("Authorization"), string(body)}
		w.Header().Set("X-Request-Id", r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, r.RequestURI+"\n"+r.Header.Get("Authorization")+"\n"+string(body))
	})
	s.putSecret(t, schema.NamedSecret{Name: "partner", Value: value, Hosts: []string{target.URL}})
	all := s.listen(t)
	s.create(t, "p", `{"target_url":"`+target.URL+`/x?key={{secret:partner}}","http_method":"POST",
		"headers":{"Authorization":"Bearer {{secret:partner}}"},"body_template":"{\"k\":\"{{secret:partner}}\"}"}`)
	r := s.result(t)
	got := <-asked
	if want := (seen{value, "Bearer " + value, `{"k":"s3cr3t \"value\"/of & 42"}`}); got != want {
		t.Errorf("the target was asked %q, want %q", got, want)
	}
	o, _ := schema.ReadHTTPOutcome(r)
	if want := "/x?key=(secret)\nBearer (secret)\n{\"k\":\"(secret)\"}"; o.Body != want || o.Headers["x-request-id"] != "Bearer (secret)" {
		t.Errorf("outcome %+v", o)
	}
	view, err := s.client.Plan(schema.HTTPStation, "p").Get(t.Context())
	if err != nil || !strings.Contains(view.Plan.String(), "{{secret:partner}}") {
		t.Errorf("the plan is %v, error %v", view, err)
	}
	for _, err := range s.client.Plans().Export(t.Context()) {
		if err != nil {
			t.Error(err)
		}
	}
	page, err := s.client.Secrets().List(t.Context(), schema.ListSecrets{})
	if err != nil || len(page.Secrets) != 1 || page.Secrets[0].Name != "partner" || page.Secrets[0].Value != "" || page.Secrets[0].Hosts[0] != target.URL {
		t.Errorf("the list: %+v, error %v", page, err)
	}
	for _, form := range []string{"s3cr3t", url.QueryEscape(value), "c3IzY3IzdCAi"} {
		for where, text := range map[string]string{"NATS": all.since(t, s.nc), "the bucket": s.raw(t), "the log": log.String()} {
			if strings.Contains(text, form) {
				t.Errorf("%s has the secret", where)
			}
		}
	}
}

// A user who may create plans and knows the name of a secret gets no further with it.
func TestASecretGoesNowhereElse(t *testing.T) {
	const value = "s3cr3t-value"
	c, _ := sealing(t)
	s := open(t, c)
	stolen := make(chan string, 100)
	thief := web(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if request := fmt.Sprint(r.RequestURI, r.Header, string(body)); strings.Contains(request, value) {
			stolen <- request
		}
	})
	target := web(t, func(w http.ResponseWriter, r *http.Request) {
		if status := r.URL.Query().Get("status"); status != "" {
			code := map[string]int{"302": 302, "307": 307, "308": 308}[status]
			http.Redirect(w, r, thief.URL, code)
		}
	})
	s.putSecret(t, schema.NamedSecret{Name: "partner", Value: value, Hosts: []string{target.URL}, TenantID: "alice"})
	try := func(call string, more ...func(*schema.Plan)) error {
		plan := &schema.Plan{
			Station: schema.HTTPStation, Command: schema.HTTPCommand, TenantID: "alice",
			Messages: []wire.Value{wire.Trust(wire.JSON, []byte(call))},
		}
		for _, change := range more {
			change(plan)
		}
		_, err := s.client.Plans().Create(t.Context(), *plan)
		return err
	}
	port := target.URL[strings.LastIndexByte(target.URL, ':'):]
	for message, refused := range map[string]error{
		"not for " + thief.URL:             try(`{"target_url":"` + thief.URL + `","body_template":"{{secret:partner}}"}`),
		"not for https://127.0.0.1" + port: try(`{"target_url":"https://127.0.0.1` + port + `/","headers":{"X-Key":"{{secret:partner}}"}}`),
		"not for http://127.0.0.1;":        try(`{"target_url":"http://127.0.0.1/?{{secret:partner}}"}`),
		"not for http://localhost" + port:  try(`{"target_url":"http://localhost` + port + `/","body_template":"{{secret:partner}}"}`),
		"there is no secret other":         try(`{"target_url":"` + target.URL + `","body_template":"{{secret:other}}"}`),
		"not for tenant":                   try(`{"target_url":"`+target.URL+`","body_template":"{{secret:partner}}"}`, func(p *schema.Plan) { p.TenantID = "bob" }),
		"names another host":               try(`{"target_url":"` + target.URL + `","headers":{"host":"thief.example.org"},"body_template":"{{secret:partner}}"}`),
		"a word in its host":               try(`{"target_url":"http://{{secret:partner}}.thief.example.org/"}`),
		"whose name of a secret":           try(`{"target_url":"` + target.URL + `","body_template":"{{secret:a b}}"}`),
	} {
		if refused == nil || !strings.Contains(refused.Error(), message) || strings.Contains(refused.Error(), value) {
			t.Errorf("want %q, got %v", message, refused)
		}
	}

	// A redirect drops the secret from every place.
	alice := func(p *schema.Plan) { p.TenantID = "alice" }
	for _, status := range []string{"302", "307", "308"} {
		s.create(t, "header-"+status, `{"target_url":"`+target.URL+`/?status=`+status+`","http_method":"POST","headers":{"Authorization":"{{secret:partner}}"}}`, alice)
		if r := s.result(t); r.State != schema.StateOK {
			t.Errorf("%s with a header: %s", status, r.Error)
		}
		s.create(t, "url-"+status, `{"target_url":"`+target.URL+`/{{secret:partner}}?status=`+status+`"}`, alice)
		if r := s.result(t); r.State != schema.StateOK {
			t.Errorf("%s with an address: %s", status, r.Error)
		}
		s.create(t, "body-"+status, `{"target_url":"`+target.URL+`/?status=`+status+`","http_method":"POST","body_template":"{{secret:partner}}"}`, alice)
		r := s.result(t)
		if o, _ := schema.ReadHTTPOutcome(r); status != "302" && (o.Class != schema.HTTPRefused || !strings.Contains(o.Message, "{{secret:partner}}")) {
			t.Errorf("%s with a body: %+v", status, o)
		}
	}

	// The stored plan is checked against the secret as it is at the time of the call.
	for name, change := range map[string]func(){
		"others": func() {
			s.putSecret(t, schema.NamedSecret{Name: "partner", Value: value, Hosts: []string{"example.org"}, TenantID: "alice"})
		},
		"none": func() {
			if _, err := s.client.Secrets().Delete(t.Context(), "partner"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		s.putSecret(t, schema.NamedSecret{Name: "partner", Value: value, Hosts: []string{target.URL}, TenantID: "alice"})
		s.create(t, name, `{"target_url":"`+target.URL+`","headers":{"Authorization":"{{secret:partner}}"}}`, alice, func(p *schema.Plan) {
			p.PlanType, p.PlanRepet = schema.TypeCron, new(int64(-1))
			p.Cron = "0 0 0 1 1 *"
		})
		change()
		if _, err := s.client.Plan(schema.HTTPStation, name).Trigger(t.Context()); err != nil {
			t.Fatal(err)
		}
		said := map[string]string{
			"others": "{{secret:partner}}",
			"none":   "there is no secret partner, with which the call is made: printf %s \"$VALUE\" | stationmaster secret put partner --host " + target.URL,
		}
		if o, _ := schema.ReadHTTPOutcome(s.result(t)); o.Class != schema.HTTPRefused || !strings.Contains(o.Message, said[name]) {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("another target received it: %s", <-stolen)
	}
}
