package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// A client is one NATS connection of a test, which is publisher, worker and observer.
type client struct {
	t   *testing.T
	nc  *nats.Conn
	enc codec // of its requests
}

func connect(t *testing.T, s *server, enc codec) *client {
	t.Helper()
	nc, err := nats.Connect("nats://"+s.nats, nats.Timeout(patience),
		nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond), nats.ReconnectJitter(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return &client{t: t, nc: nc, enc: enc}
}

// onCommon is a connection to the shared server that speaks JSON.
func onCommon(t *testing.T) *client {
	t.Helper()
	return connect(t, common, inJSON)
}

var stations atomic.Int64

// station names one that no other test has.
func (c *client) station() string {
	name := []byte(c.t.Name())
	for i, b := range name {
		if !('a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9') {
			name[i] = '-'
		}
	}
	return string(name[max(0, len(name)-60):]) + "-" + strconv.FormatInt(stations.Add(1), 10)
}

// flush waits until the server has all that was sent, subscriptions included.
func (c *client) flush() {
	c.t.Helper()
	if err := c.nc.FlushTimeout(patience); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends raw bytes to a service and returns the message that came back.
func (c *client) ask(subject string, raw []byte) *nats.Msg {
	c.t.Helper()
	msg, err := c.nc.Request(subject, raw, patience)
	if err != nil {
		c.t.Fatalf("%s %.200q: %v", subject, raw, err)
	}
	return msg
}

// answered is ask, but a read that is unavailable is repeated, because a machine that
// stalls for some seconds may change the leader, or have it answer too late. A request that
// changes state is not repeated, because its outcome is unknown then.
func (c *client) answered(subject string, raw []byte) *nats.Msg {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		msg := c.ask(subject, raw)
		if !reads(subject) || msg.Header.Get("Nats-Service-Error-Code") != httpCode["unavailable"] || time.Now().After(deadline) {
			return msg
		}
	}
}

// reads reports whether a request changes nothing.
func reads(subject string) bool {
	if strings.HasSuffix(subject, "queues.get") { // it locks the items that it returns
		return false
	}
	switch subject[strings.LastIndexByte(subject, '.')+1:] {
	case "get", "list", "run", "runs", "preview", "logs", "peek", "info", "export":
		return true
	}
	return false
}

// open decodes the map that a message carries, in the encoding of its Content-Type.
func (c *client) open(msg *nats.Msg) body {
	c.t.Helper()
	for _, enc := range []codec{inJSON, inMsgPack} {
		if msg.Header.Get("Content-Type") == enc.contentType {
			v, err := enc.decode(msg.Data)
			m, ok := v.(map[string]any)
			if err != nil || !ok {
				c.t.Fatalf("%s is no map in %s: %v %q", msg.Subject, enc.name, err, msg.Data)
			}
			return m
		}
	}
	c.t.Fatalf("%s has Content-Type %q: %q", msg.Subject, msg.Header.Get("Content-Type"), msg.Data)
	return nil
}

func (c *client) encode(v any) []byte {
	c.t.Helper()
	raw, err := c.enc.encode(v)
	if err != nil {
		c.t.Fatal(err)
	}
	return raw
}

// req asks a service and returns its answer, which has to be in the request's
// encoding and no refusal.
func (c *client) req(subject string, request any) body {
	c.t.Helper()
	msg := c.answered(subject, c.encode(request))
	answer := c.open(msg)
	if msg.Header.Get("Nats-Service-Error") != "" || answer.has("error") {
		c.t.Fatalf("%s %v is refused: %v", subject, request, answer)
	}
	if got := msg.Header.Get("Content-Type"); got != c.enc.contentType {
		c.t.Errorf("%s answers in %s to a request in %s", subject, got, c.enc.name)
	}
	return answer
}

// httpCode is the number beside each code of an error.
var httpCode = map[string]string{
	"invalid_plan": "400", "invalid_request": "400", "invalid_station": "400", "not_found": "404",
	"already_exists": "409", "conflict": "409", "too_large": "413", "quota_exceeded": "429", "unavailable": "503",
}

// refusal reads the error that a service answered, and checks the parts of every error, which are
// the two headers, a known code and a message.
func (c *client) refusal(subject string, msg *nats.Msg) body {
	c.t.Helper()
	answer := c.open(msg)
	e := answer.obj("error")
	if e == nil {
		c.t.Fatalf("%s accepts: %v", subject, answer)
	}
	if msg.Header.Get("Nats-Service-Error") == "" {
		c.t.Errorf("%s: no header Nats-Service-Error with %v", subject, e)
	}
	code, known := httpCode[e.text("code")]
	if got := msg.Header.Get("Nats-Service-Error-Code"); !known || got != code {
		c.t.Errorf("%s: code %q with header Nats-Service-Error-Code %q, want %q", subject, e.text("code"), got, code)
	}
	if e.text("message") == "" {
		c.t.Errorf("%s: no message in %v", subject, e)
	}
	return e
}

// refused asks a service that has to refuse, and returns the error.
func (c *client) refused(subject string, request any) body {
	c.t.Helper()
	msg := c.answered(subject, c.encode(request))
	if got := msg.Header.Get("Content-Type"); got != c.enc.contentType {
		c.t.Errorf("%s refuses in %q to a request in %s", subject, got, c.enc.name)
	}
	return c.refusal(subject, msg)
}

// create publishes a plan and returns the answer.
func (c *client) create(plan body) body {
	c.t.Helper()
	return c.req("plans.create", plan)
}

func name(station, id string) body { return body{"station": station, "plan_id": id} }

// state is the state of a plan, beside its definition, in the answer of plans.get.
func (c *client) state(station, id string) body {
	c.t.Helper()
	return c.req("plans.get", name(station, id)).obj("state")
}

// runs returns all runs of a plan, newest first.
func (c *client) runs(station, id string) []body {
	c.t.Helper()
	return c.pages("plans.runs", "runs", name(station, id))
}

// pages reads a list to its end.
func (c *client) pages(subject, noun string, request body) []body {
	c.t.Helper()
	var all []body
	for range 10_000 {
		page := c.req(subject, request)
		all = append(all, page.list(noun)...)
		next := page.text("next")
		if next == "" {
			return all
		}
		request = request.with(body{"cursor": next})
	}
	c.t.Fatalf("%s has no last page", subject)
	return nil
}

// A feed is the messages on a subject.
type feed struct {
	c   *client
	sub *nats.Subscription
}

func (c *client) listen(subject string) *feed {
	c.t.Helper()
	sub, err := c.nc.SubscribeSync(subject)
	if err != nil {
		c.t.Fatal(err)
	}
	c.flush()
	return &feed{c, sub}
}

// results are the results of a station's plans; events and cancels likewise.
func (c *client) results(station string) *feed { return c.listen("plan.result." + station + ".*") }
func (c *client) events(station string) *feed  { return c.listen("plan.event.*." + station + ".*") }
func (c *client) cancels(station string) *feed { return c.listen("plan.cancel." + station + ".*") }

func (f *feed) msg() *nats.Msg {
	f.c.t.Helper()
	msg, err := f.sub.NextMsg(patience)
	if err != nil {
		f.c.t.Fatalf("nothing on %s: %v", f.sub.Subject, err)
	}
	return msg
}

func (f *feed) next() body { f.c.t.Helper(); return f.c.open(f.msg()) }

// of waits for the next event of a kind and drops others.
func (f *feed) of(kind string) body {
	f.c.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		msg := f.msg()
		if strings.HasPrefix(msg.Subject, "plan.event."+kind+".") {
			return f.c.open(msg)
		}
		if time.Now().After(deadline) {
			f.c.t.Fatalf("no event %s, though others come", kind)
		}
	}
}

// until collects messages up to the first that is wanted, that one included.
func (f *feed) until(wanted func(body) bool) []body {
	f.c.t.Helper()
	var all []body
	for deadline := time.Now().Add(4 * patience); ; {
		all = append(all, f.next())
		if wanted(last(all)) {
			return all
		}
		if time.Now().After(deadline) { // a plan may go on for ever
			f.c.t.Fatalf("not what is wanted, though others come: %v", outcome(all))
		}
	}
}

func last[T any](all []T) T { return all[len(all)-1] }

// empty checks that the feed has no message, after all requests before it have been
// answered.
func (f *feed) empty(what string) {
	f.c.t.Helper()
	f.c.flush()
	if msg, err := f.sub.NextMsg(time.Millisecond); err == nil {
		f.c.t.Errorf("%s: %s %q", what, msg.Subject, msg.Data)
	}
}

func kinds(events []body) string {
	var s []string
	for _, e := range events {
		s = append(s, e.text("kind"))
	}
	return strings.Join(s, " ")
}

// outcome is one line for each run, in its order: "n=2 k=1 a=2 ok".
func outcome(runs []body) []string {
	var s []string
	for _, r := range runs {
		line := fmt.Sprintf("n=%d k=%d a=%d %s", r.int("n"), r.int("occurrence"), r.int("attempt"), r.text("state"))
		if reason := r.text("reason"); reason != "" {
			line += " " + reason
		}
		if r.bool("final") {
			line += " final"
		}
		s = append(s, line)
	}
	return s
}
