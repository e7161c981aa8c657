package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// verbs are the subjects of all services, as NATS itself lists them.
func (c *client) verbs() (subjects []string) {
	c.t.Helper()
	var info struct {
		Endpoints []struct{ Subject string }
	}
	for _, service := range words("plans stations workers queues periodic_tasks task_types tasks") {
		if err := json.Unmarshal(c.ask("$SRV.INFO."+service, nil).Data, &info); err != nil {
			c.t.Fatal(err)
		}
		for _, e := range info.Endpoints {
			subjects = append(subjects, e.Subject)
		}
	}
	return subjects
}

// The nonce of an execution is valid for that one execution. It is invalid for another station's,
// in another spelling, and joined with other replies.
func TestANonceOpensNothingElse(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station, other := c.station(), c.station()
	work, results, events := c.worker(station), c.results(station), c.events(station)
	elsewhere, others := c.worker(other), c.results(other)
	c.create(once(station).with(body{"plan_id": "p"}))
	c.create(once(other).with(body{"plan_id": "p"}))
	x, y := work.take(), elsewhere.take()
	inbox := c.listen(nats.NewInbox())
	publish := func(subject string, header nats.Header, data string) {
		t.Helper()
		if err := c.nc.PublishMsg(&nats.Msg{Subject: subject, Reply: inbox.sub.Subject, Header: header, Data: []byte(data)}); err != nil {
			t.Fatal(err)
		}
	}
	const forged = `{"state":"ok","content":"forged"}`
	replaced := func(from, to string) string {
		t.Helper()
		subject := strings.Replace(x.msg.Reply, from, to, 1)
		if subject == x.msg.Reply {
			t.Fatalf("%s does not hold %q", subject, from)
		}
		return subject
	}
	// A nonce may have no letter, and then upper case changes nothing.
	if upper := strings.ToUpper(x.nonce()); upper != x.nonce() {
		publish(replaced(x.nonce(), upper), nil, forged)
	}
	publish(replaced(x.nonce(), y.nonce()), nil, forged)
	publish(replaced("."+station+".", "."+other+"."), nil, forged)
	publish(replaced("."+station+".", "."+station+"."+other+"."), nil, forged)
	publish(replaced("*p.", "*q."), nil, forged)
	publish(replaced("."+x.text("exec"), ".2-"+x.nonce()), nil, forged)
	publish(replaced(x.nonce(), strings.Repeat("0", 16)), nats.Header{"Status": {"503"}}, "")
	publish(replaced(x.nonce(), strings.Repeat("0", 16)), nats.Header{"Nats-Service-Error": {"x"}, "Nats-Service-Error-Code": {"500"}}, forged)
	// In a batched reply, because a message is about one station, the one in its subject.
	joined := func(subject string, execs ...string) {
		t.Helper()
		var replies []string
		for _, exec := range execs {
			replies = append(replies, fmt.Sprintf(`{"of":"*p.%s","reply":%s}`, exec, forged))
		}
		publish(strings.Replace(subject, ".*", ".+", 1), nil, `{"replies":[`+strings.Join(replies, ",")+`]}`)
	}
	joined(replaced("."+station+".", "."+other+"."), x.text("exec"))
	joined(y.msg.Reply, x.text("exec"), strings.Repeat("0", 16), "1-"+strings.Repeat("0", 16))

	match(t, "the right answer", x.request(body{"state": "ok", "content": "true"}), body{"accepted": true})
	match(t, "the other's", y.request(body{"state": "ok", "content": "other"}), body{"accepted": true})
	for answered := true; answered; { // of a plan that does not exist, that it is no longer wanted
		msg, err := inbox.sub.NextMsg(time.Millisecond)
		if answered = err == nil; answered && strings.Contains(string(msg.Data), `"accepted":true`) {
			t.Errorf("a stranger is answered %s", msg.Data)
		}
	}
	match(t, "the result", results.next(), body{"n": 1, "content": "true"})
	match(t, "the other's", others.next(), body{"n": 1, "content": "other"})
	for ended := false; !ended; {
		kind := events.next().text("kind")
		if ended = kind == "closed"; kind == "not_worker" {
			t.Error("a stranger can claim that there is no worker")
		}
	}
	work.empty("the execution again")
	wantRuns(t, c.runs(station, "p"), "n=1 k=1 a=1 ok final")
	wantRuns(t, c.runs(other, "p"), "n=1 k=1 a=1 ok final")
}

// A client can choose the subject of an answer. No answer of a service, to a claim or to a reply
// goes to a subject of the scheduler's own messages.
func TestNoAnswerGoesWhereOursGo(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	// Only a wrong answer can arrive at these subjects, because there is no partition 9.
	places := []string{
		"$JS.API.STREAM.PURGE.PLAN_JOURNAL", "$KV.plans.plan.s.p", "$KV.leaders.installation", "$KV.secrets.s",
		"scheduler.journal.9", "scheduler.inbox.9", "station.s", "plan.result.s.p", "plan.cancel.s.p", "plan.event.closed.s.p", "plans.nobody", "stations.nobody",
	}
	work := c.worker("w")
	c.create(once("w").with(body{"plan_id": "p"}))
	x := work.take()
	asked := c.verbs()
	if len(asked) < 50 {
		t.Fatalf("there are the verbs %q alone", asked)
	}
	var feeds []*feed
	for _, place := range places {
		feeds = append(feeds, c.listen(place))
		for _, subject := range asked {
			if err := c.nc.PublishRequest(subject, place, []byte(`{"station":"nobody"}`)); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.nc.PublishRequest(x.msg.Reply, place, []byte(`{"state":"running","worker_id":"w1"}`)); err != nil {
			t.Fatal(err)
		}
		joined := fmt.Sprintf(`{"replies":[{"of":"*p.%s","reply":{"state":"running","worker_id":"w2"}}]}`, x.text("exec"))
		if err := c.nc.PublishRequest(strings.Replace(x.msg.Reply, ".*", ".+", 1), place, []byte(joined)); err != nil {
			t.Fatal(err)
		}
	}
	for _, subject := range asked { // behind all requests before
		c.ask(subject, []byte(`{"station":"nobody"}`))
	}
	match(t, "the right answer", x.request(body{"state": "ok"}), body{"accepted": true})
	for _, f := range feeds {
		f.empty("an answer")
	}
}

// forJetStream are the headers that are orders to JetStream when a stream stores the
// message: drop it as a repetition, store it only on a condition, delete all before it,
// expire it soon, make it part of a batch, publish it again on another subject.
var forJetStream = map[string]nats.Header{
	"Nats-Msg-Id":                         {"Nats-Msg-Id": {"the same"}},
	"Nats-Expected-Stream":                {"Nats-Expected-Stream": {"ANOTHER"}},
	"Nats-Expected-Last-Sequence":         {"Nats-Expected-Last-Sequence": {"999999"}},
	"Nats-Expected-Last-Subject-Sequence": {"Nats-Expected-Last-Subject-Sequence": {"999999"}, "Nats-Expected-Last-Subject-Sequence-Subject": {"plan.reply.>"}},
	"Nats-Expected-Last-Msg-Id":           {"Nats-Expected-Last-Msg-Id": {"another"}},
	"Nats-Rollup":                         {"Nats-Rollup": {"all"}},
	"Nats-TTL":                            {"Nats-TTL": {"1s"}},
	"Nats-Batch-Id":                       {"Nats-Batch-Id": {"b"}, "Nats-Batch-Sequence": {"1"}, "Nats-Batch-Commit": {"1"}},
	"Nats-Incr":                           {"Nats-Incr": {"+1"}},
	"Nats-Schedule":                       {"Nats-Schedule": {"@every 1s"}, "Nats-Schedule-Target": {"plan.result.nobody.p"}},
	"KV-Operation":                        {"Kv-Operation": {"PURGE"}, "KV-Operation": {"PURGE"}},
}

// Headers that are orders to JetStream have no effect on a service, nor in a reply, which a
// stream stores. The message is answered and counts like any other, and the messages of other
// clients stay.
func TestOrdersToJetStreamAreNone(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	work, honest, unused := c.worker("w"), c.worker("honest"), c.listen("plan.result.nobody.p")
	c.create(once("honest").with(body{"plan_id": "p"}))
	other := honest.take()
	match(t, "an honest word", other.request(body{"state": "running"}), body{"accepted": true})
	publish := func(what, subject string, header nats.Header, data any) body {
		t.Helper()
		msg, err := c.nc.RequestMsg(&nats.Msg{Subject: subject, Header: header, Data: c.encode(data)}, patience)
		if err != nil {
			t.Fatalf("%s with %s: %v", subject, what, err)
		}
		return c.open(msg)
	}
	for what, header := range forJetStream {
		for _, id := range words("a b") { // the second is no repetition
			id += "-" + strings.ToLower(what)
			match(t, what, publish(what, "plans.create", header, once("w").with(body{"plan_id": id, "no_keep": true})), body{"created": true})
			x := work.take()
			for name := range x.msg.Header {
				if strings.HasPrefix(name, "Nats-") || strings.HasPrefix(name, "KV-") {
					t.Errorf("the execution has %s: %v", name, x.msg.Header)
				}
			}
			for _, state := range words("running ok") {
				match(t, what+" with "+state, publish(what, x.msg.Reply, header, body{"state": state}), body{"accepted": true})
			}
			if err := c.nc.PublishMsg(&nats.Msg{Subject: "worker.here.w.w", Header: header, Data: []byte(`{}`)}); err != nil {
				t.Fatal(err)
			}
			match(t, what, publish(what, "plans.run", header, name("w", id).with(body{"n": 1})).obj("run"), body{"state": "ok"})
		}
	}
	replies, err := c.jetStream().Stream(t.Context(), "PLAN_REPLIES")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replies.GetLastMsgForSubject(t.Context(), other.msg.Reply); err != nil {
		t.Errorf("another worker's reply is not kept: %v", err)
	}
	match(t, "the honest one", other.request(body{"state": "ok"}), body{"accepted": true})
	unused.empty("what JetStream was to say")
	for _, level := range words("level=WARN level=ERROR") {
		if lines := s.log.grep(level); len(lines) > 0 {
			t.Errorf("the log has %q", lines)
		}
	}
	s.kill9()
	s.restart(t)
	c = connect(t, s, inJSON)
	wantRuns(t, c.runs("honest", "p"), "n=1 k=1 a=1 ok final")
	for what := range forJetStream {
		wantRuns(t, c.runs("w", "b-"+strings.ToLower(what)), "n=1 k=1 a=1 ok final")
	}
}

// A broken makes invalid bodies out of requests and answers of each verb, in both encodings. They
// are cut off, have changed bytes, are joined out of two, or have hostile bytes inside.
type broken struct {
	chance *rand.Rand
	whole  [][]byte
}

// hostile are bytes that only an attacker sends.
var hostile = [][]byte{
	{0xdf, 0xff, 0xff, 0xff, 0xff}, {0xdd, 0xff, 0xff, 0xff, 0xff}, {0xc6, 0xff, 0xff, 0xff, 0xff}, {0xc9, 0xff, 0xff, 0xff, 0xff, 1},
	{0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0}, {0xc1}, {0xd6, 0xff, 0xff, 0xff, 0xff, 0xff},
	[]byte(strings.Repeat("\x91", 2000)), []byte(strings.Repeat("[", 2000)), []byte(strings.Repeat(`{"a":`, 2000)),
	[]byte(`"\ud800"`), []byte("\xff\xfe"), []byte("\x00"), []byte("1e999"), []byte("-9223372036854775809"), []byte("null"), []byte(`{"a":1,"a":2}`),
	[]byte(`">"`), []byte(`"*"`), []byte(`"a.b"`), []byte(`""`), []byte("[]"), []byte("{}"), []byte("-1"), []byte("true"), []byte(strings.Repeat("9", 2000)),
}

// newBroken starts from the messages that are kept as examples.
func newBroken(t *testing.T, chance *rand.Rand) *broken {
	t.Helper()
	b := &broken{chance: chance}
	files, err := filepath.Glob(filepath.Join("..", "schema", "testdata", "wire", "v1", "*.*"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), "wait_ms") { // no request waits for work here
			b.whole = append(b.whole, data)
		}
	}
	return b
}

func (b *broken) next() []byte {
	data := append([]byte{}, b.whole[b.chance.IntN(len(b.whole))]...)
	for range b.chance.IntN(4) {
		at := b.chance.IntN(len(data) + 1)
		switch b.chance.IntN(5) {
		case 0:
			data = data[:at]
		case 1:
			if at < len(data) {
				data[at] ^= 1 << b.chance.IntN(8)
			}
		case 2:
			other := b.whole[b.chance.IntN(len(b.whole))]
			data = append(data[:at], other[b.chance.IntN(len(other)):]...)
		case 3:
			within := hostile[b.chance.IntN(len(hostile))]
			data = append(data[:at:at], append(within, data[at:]...)...)
		default:
			if at < len(data) {
				data[at] = byte(b.chance.Uint32())
			}
		}
	}
	return data
}

// Each verb answers each request, with any content, and none of them fails inside.
func TestBrokenBytesAreAnsweredByEveryVerb(t *testing.T) {
	t.Parallel()
	const each = 60
	s := start(t)
	c := connect(t, s, inJSON)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	bodies := newBroken(t, rand.New(rand.NewPCG(seed, 1)))
	large := nats.Header{"X": {strings.Repeat("x", 60<<10)}}
	inbox := c.listen(nats.NewInbox() + ".*")
	to := strings.TrimSuffix(inbox.sub.Subject, "*")
	verbs := c.verbs()
	for _, verb := range verbs {
		publish := map[string][]byte{} // by the subject of the answer
		for i := range each {
			m := &nats.Msg{Subject: verb, Reply: fmt.Sprintf("%s%d", to, i), Data: bodies.next()}
			if i%10 == 9 {
				m.Header = large
			}
			publish[m.Reply] = m.Data
			if err := c.nc.PublishMsg(m); err != nil {
				t.Fatal(err)
			}
		}
		for len(publish) > 0 {
			answer, err := inbox.sub.NextMsg(patience)
			if err != nil {
				for _, data := range publish {
					t.Fatalf("%s answers nothing to %d requests, such as %q: %v", verb, len(publish), data, err)
				}
			}
			if answer.Header.Get("Nats-Service-Error-Code") == "500" {
				t.Errorf("%s answers %s to %q", verb, answer.Data, publish[answer.Subject])
			}
			delete(publish, answer.Subject)
		}
	}
	// Nor do replies and presence records of such bytes fail.
	const reply = "plan.reply.0.s.*p.1-0123456789abcdef"
	for _, subject := range words(reply + " plan.reply.0.s.+p.1-0123456789abcdef plan.reply.0.x worker.here.w.s") {
		for range each {
			if err := c.nc.Publish(subject, bodies.next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	match(t, "the answer behind them", c.open(c.ask(reply, []byte(`{"state":"ok"}`))), body{"accepted": false})
	for _, level := range words("level=WARN level=ERROR panic") {
		// A record can still be one, and tells of an epoch that this store never had.
		foreign := func(line string) bool { return strings.Contains(line, "a worker has seen a higher epoch") }
		if lines := slices.DeleteFunc(s.log.grep(level), foreign); len(lines) > 0 {
			t.Errorf("%d lines of %s, such as %s", len(lines), level, lines[0])
		}
	}
	if most := s.memory(t, "VmHWM"); most > 1<<30 {
		t.Errorf("the process grew to %d MiB", most>>20)
	}
}
