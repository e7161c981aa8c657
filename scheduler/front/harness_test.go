package front_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A leader answers by its script and records its commands.
type leader struct {
	script func(partition int, c command.Command) (any, error)

	mu    sync.Mutex
	asked []command.Command
}

func (l *leader) Ask(partition int, c command.Command, done func(any, error)) {
	l.mu.Lock()
	l.asked = append(l.asked, c)
	l.mu.Unlock()
	done(l.script(partition, c))
}

// commands returns the commands since the last call.
func (l *leader) commands() []command.Command {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := l.asked
	l.asked = nil
	return asked
}

// answering is a leader that gives the same answer to every command.
func answering(answer any, err error) *leader {
	return &leader{script: func(int, command.Command) (any, error) { return answer, err }}
}

// A harness is a front on a real NATS server, and a client of it.
type harness struct {
	t     testing.TB
	nc    *nats.Conn
	front *front.Front
	store *broker.Store
	log   *bytes.Buffer // safe to read once front is stopped
	space schema.Space
}

// open serves a front for l; set may change its configuration.
func open(t testing.TB, l front.Leader, set ...func(*front.Config)) *harness {
	t.Helper()
	return openOn(t, brokertest.Server(t), l, set...)
}

// openOn is open on a server that is there.
func openOn(t testing.TB, ns *server.Server, l front.Leader, set ...func(*front.Config)) *harness {
	t.Helper()
	d := &harness{t: t, nc: brokertest.Connect(t, ns), log: new(bytes.Buffer)}
	c := front.Config{
		Node:    "n1",
		Leader:  l,
		Now:     func() time.Time { return noon },
		Entropy: strings.NewReader(strings.Repeat("entropy for ids ", 1<<12)),
		Log:     slog.New(slog.NewTextHandler(d.log, nil)),
	}
	for _, f := range set {
		f(&c)
	}
	d.space = c.Space
	cfg := brokertest.Config(t)
	cfg.Space = c.Space
	d.store = brokertest.Store(t, d.nc, cfg)
	c.Store, c.Secrets = d.store, d.store.Secrets(nil)
	var err error
	if d.front, err = front.Serve(brokertest.Connect(t, ns), c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.front.Stop(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// send makes a request of raw bytes.
func (d *harness) send(subject string, body []byte) *nats.Msg {
	d.t.Helper()
	m, err := d.nc.Request(subject, body, 30*time.Second)
	if err != nil {
		d.t.Fatalf("%s: %v", subject, err)
	}
	return m
}

// ask makes a request that is given in JSON, in an encoding; the answer must be in the same,
// and is returned in JSON.
func (d *harness) ask(enc wire.Encoding, subject, body string) (answer string, header nats.Header) {
	d.t.Helper()
	m := d.send(subject, in(d.t, enc, body))
	if got := m.Header.Get("Content-Type"); got != enc.ContentType() {
		d.t.Errorf("%s: answer of type %q to a request in %s", subject, got, enc)
	}
	v, err := wire.Scan(m.Data, wire.Limits{Items: 1 << 20})
	if err != nil {
		d.t.Fatalf("%s: answer %q: %v", subject, m.Data, err)
	}
	if v.Encoding() != enc {
		d.t.Errorf("%s: answer %q to a request in %s", subject, m.Data, enc)
	}
	return v.String(), m.Header
}

// want asks in both encodings and compares the answer, in JSON.
func (d *harness) want(subject, body, answer string) {
	d.t.Helper()
	for _, enc := range encodings {
		got, header := d.ask(enc, subject, body)
		if diff := cmp.Diff(answer, got); diff != "" {
			d.t.Errorf("%s %s in %s (-want +got):\n%s", subject, body, enc, diff)
		}
		if e := header.Get("Nats-Service-Error"); e != "" {
			d.t.Errorf("%s %s in %s: service error %q", subject, body, enc, e)
		}
	}
}

// refuse makes a request in both encodings, which must be refused, and compares code and
// field; the message must hold hint.
func (d *harness) refuse(subject, body string, code schema.Code, field, hint string) {
	d.t.Helper()
	for _, enc := range encodings {
		answer, header := d.ask(enc, subject, body)
		got := refusalOf(d.t, answer)
		if got.Code != code || got.Field != field || !strings.Contains(got.Message, hint) {
			d.t.Errorf("%s %s in %s:\n got %v\nwant %s: %s: …%s…", subject, body, enc, got, code, field, hint)
		}
		if code == schema.CodeUnavailable && got.RetryAfterMS <= 0 {
			d.t.Errorf("%s %s in %s lacks the time to retry after: %s", subject, body, enc, answer)
		}
		if header.Get("Nats-Service-Error-Code") != status[code] || header.Get("Nats-Service-Error") == "" {
			d.t.Errorf("%s %s in %s: headers %v", subject, body, enc, header)
		}
	}
}

var status = map[schema.Code]string{
	schema.CodeInvalidPlan: "400", schema.CodeInvalidRequest: "400", schema.CodeNotFound: "404",
	schema.CodeAlreadyExists: "409", schema.CodeConflict: "409", schema.CodeTooLarge: "413",
	schema.CodeQuotaExceeded: "429", schema.CodeInternal: "500", schema.CodeUnavailable: "503",
}

var encodings = []wire.Encoding{wire.JSON, wire.MsgPack}

func in(t testing.TB, enc wire.Encoding, body string) []byte {
	t.Helper()
	switch {
	case enc == wire.JSON:
		return []byte(body)
	case body == "":
		return []byte{0x80} // an empty body would be taken for JSON
	}
	return value(t, body).AppendTo(nil, enc)
}

func value(t testing.TB, body string) wire.Value {
	t.Helper()
	v, err := wire.Scan([]byte(body), wire.Limits{Items: 1 << 20, Depth: 100})
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

func refusalOf(t testing.TB, answer string) schema.Error {
	t.Helper()
	var body struct {
		Error schema.Error `json:"error"`
	}
	if err := wire.DecodeLoose(value(t, answer), &body); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return body.Error
}

// plan reads a plan as the front does.
func plan(t testing.TB, body string) *schema.Definition {
	t.Helper()
	d, err := schema.ParsePlan(value(t, body), schema.ParseOptions{})
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return d
}

// inBubble is a test for rapid, which asks a *testing.T for its deadline; that is not allowed
// in a bubble.
type inBubble struct{ *testing.T }

var errBoom = errors.New("boom")
