package front_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// subjects are those in the front's table of services.
var subjects = front.Subjects()

// A held leader answers nothing until the test releases it.
type held struct {
	asked chan func(any, error)
}

func (l *held) Ask(_ int, _ command.Command, done func(any, error)) { l.asked <- done }

// inbox subscribes to the answers of requests that are not waited for.
func (d *harness) inbox() (string, *nats.Subscription) {
	d.t.Helper()
	inbox := d.nc.NewInbox()
	sub, err := d.nc.SubscribeSync(inbox)
	if err != nil {
		d.t.Fatal(err)
	}
	return inbox, sub
}

func (d *harness) publish(subject, inbox, body string) {
	d.t.Helper()
	if err := d.nc.PublishRequest(subject, inbox, []byte(body)); err != nil {
		d.t.Fatal(err)
	}
}

func next(t *testing.T, sub *nats.Subscription) string {
	t.Helper()
	m, err := sub.NextMsg(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Data)
}

// A leader that answers some requests slowly holds up no others, not even on the same
// endpoint.
func TestSlowLeaderBlocksNoOtherRequest(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const slow = 200
		stuck := make(chan func(any, error), slow*len(subjects))
		d := openOn(t, ns, askFunc(func(_ int, c command.Command, done func(any, error)) {
			create, ok := c.(command.CreatePlan)
			switch {
			case !ok, create.Definition.Plan.PlanID == "slow":
				stuck <- done
			default:
				done(schema.Created{PlanID: create.Definition.Plan.PlanID}, nil)
			}
		}))
		inbox, sub := d.inbox()
		asked := 0
		for _, subject := range subjects {
			for range slow {
				switch subject {
				case "plans.create":
					d.publish(subject, inbox, `{"station":"s","plan_id":"slow","command":"c"}`)
				case "plans.close", "plans.remove", "plans.pause", "plans.resume", "plans.trigger", "plans.skip", "plans.reset":
					d.publish(subject, inbox, `{"station":"s","plan_id":"slow"}`)
				case "stations.get":
					d.publish(subject, inbox, `{"station":"s"}`)
				default:
					continue
				}
				asked++
			}
		}
		for range 60 { // fewer handlers than run at a time
			d.publish("plans.list", inbox, `{}`)
			asked++
		}
		for range 3 {
			d.want("plans.create", `{"station":"s","plan_id":"p","command":"c"}`, `{"plan_id":"p","station":"","state":"","created":false}`)
			d.want("plans.preview", `{"plan":{},"count":1}`, `{"occurrences":[{"occurrence":1,"plan_time":"2026-03-01T12:00:00Z","local":"2026-03-01T12:00:00Z","offset":"+00:00","notes":[]}],"words":"Once, at once"}`)
		}
		for range asked {
			(<-stuck)(nil, &schema.Error{Code: schema.CodeNotFound, Message: "late"})
		}
		for range asked {
			if answer := next(t, sub); !strings.Contains(answer, "late") {
				t.Error(answer)
			}
		}
	})
}

// An askFunc is a leader that is one function.
type askFunc func(int, command.Command, func(any, error))

func (f askFunc) Ask(partition int, c command.Command, done func(any, error)) { f(partition, c, done) }

// Beyond the limit of async handlers, one more is refused at once and none is queued for ever.
func TestTooManyTalks(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const most, more = 1064, 40
		stuck := make(chan func(any, error), most)
		d := openOn(t, ns, askFunc(func(_ int, _ command.Command, done func(any, error)) { stuck <- done }))
		inbox, sub := d.inbox()
		for range most + more {
			d.publish("plans.get", inbox, `{"station":"s","plan_id":"p"}`)
		}
		for range more {
			if answer := next(t, sub); !strings.Contains(answer, `"unavailable"`) || !strings.Contains(answer, "too many requests") {
				t.Fatal(answer)
			}
		}
		for range most {
			(<-stuck)(command.PlanView{PlanView: schema.PlanView{Plan: value(t, `{}`)}}, nil)
		}
		for range most {
			if answer := next(t, sub); !strings.Contains(answer, `"state"`) {
				t.Fatal(answer)
			}
		}
	})
}

// Stop answers the requests under way, and no others.
func TestStopDrains(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &held{asked: make(chan func(any, error), 10)}
		d := openOn(t, ns, l)
		inbox, sub := d.inbox()
		for range 5 {
			d.publish("plans.create", inbox, `{"station":"s","command":"c"}`)
		}
		d.publish("plans.get", inbox, `{"station":"s","plan_id":"p"}`)
		var dones []func(any, error)
		for range 6 {
			dones = append(dones, <-l.asked)
		}
		stopped := make(chan error)
		go func() { stopped <- d.front.Stop() }()
		for d.serves("plans.create") { // until it takes no more
		}
		select {
		case err := <-stopped:
			t.Fatalf("stopped with requests under way: %v", err)
		default:
		}
		for _, done := range dones {
			done(nil, &schema.Error{Code: schema.CodeConflict, Message: "late"})
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		for range 6 {
			if answer := next(t, sub); !strings.Contains(answer, "late") {
				t.Error(answer)
			}
		}
		if err := d.front.Stop(); err != nil {
			t.Errorf("a second stop: %v", err)
		}
	})
}

// A leader elsewhere that took a request and died keeps its client waiting. Stop does not fail
// because of that, and a late answer still goes out.
func TestAStopDoesNotFailForALeaderThatIsSilent(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &held{asked: make(chan func(any, error), 10)}
		d := openOn(t, ns, l)
		inbox, sub := d.inbox()
		d.publish("plans.create", inbox, `{"station":"s","command":"c"}`)
		done := <-l.asked
		began := time.Now()
		if err := d.front.Stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < 3*time.Second || took > 10*time.Second {
			t.Errorf("it waited %v", took)
		}
		done(nil, &schema.Error{Code: schema.CodeUnavailable, Message: "unknown"})
		if answer := next(t, sub); !strings.Contains(answer, "unknown") {
			t.Error(answer)
		}
	})
}

// serves reports whether a subject has a subscriber. Its request is refused.
func (d *harness) serves(subject string) bool {
	_, err := d.nc.Request(subject, []byte(`{}`), 30*time.Second)
	return err == nil
}

// An internal error, such as a panic, is logged at a limited rate and not shown to the client.
// The next request is served.
func TestInternalErrors(t *testing.T) {
	for what, l := range map[string]*leader{
		"an error of no code": answering(nil, errBoom),
		"a wrong answer":      answering("boom", nil),
		"a panic":             {script: func(int, command.Command) (any, error) { panic("boom") }},
	} {
		t.Run(what, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				d := openOn(t, ns, l)
				for range 50 {
					answer, _ := d.ask(wire.JSON, "plans.get", `{"station":"s","plan_id":"p"}`)
					if e := refusalOf(t, answer); e.Code != schema.CodeInternal || strings.Contains(answer, "boom") || strings.Contains(answer, "goroutine") {
						t.Fatal(answer)
					}
					if what == "a wrong answer" {
						continue // of get alone
					}
					answer, _ = d.ask(wire.JSON, "plans.close", `{"station":"s","plan_id":"p"}`)
					if e := refusalOf(t, answer); e.Code != schema.CodeInternal {
						t.Fatal(answer)
					}
				}
				if err := d.front.Stop(); err != nil {
					t.Fatal(err)
				}
				log := d.log.String()
				if lines := strings.Count(log, "request failed") + strings.Count(log, "the scheduler failed"); lines == 0 || lines > 25 {
					t.Errorf("%d lines are logged", lines)
				}
			})
		})
	}
}

// A request without a reply subject is served like any other.
func TestWithoutReply(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &held{asked: make(chan func(any, error), 1)}
		d := openOn(t, ns, l)
		if err := d.nc.Publish("plans.close", []byte(`{"station":"s","plan_id":"p"}`)); err != nil {
			t.Fatal(err)
		}
		(<-l.asked)(schema.Standing{}, nil)
		if err := d.nc.Publish("plans.close", []byte(`junk`)); err != nil {
			t.Fatal(err)
		}
		d.want("plans.preview", `{"plan":{},"count":1}`, `{"occurrences":[{"occurrence":1,"plan_time":"2026-03-01T12:00:00Z","local":"2026-03-01T12:00:00Z","offset":"+00:00","notes":[]}],"words":"Once, at once"}`)
	})
}

// An empty body is an empty map, in the encoding that its header names.
func TestEmptyBody(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(command.PlanSlice{}, nil))
		for _, c := range []struct{ body, contentType, want string }{
			{"", "", `{"plans":[]}`}, {" \n", "", `{"plans":[]}`}, {"", "application/json", `{"plans":[]}`},
			{"", "application/msgpack", "\xde\x00\x01\xa5plans\xdc\x00\x00"},
		} {
			m := nats.NewMsg("plans.list")
			m.Data = []byte(c.body)
			m.Header.Set("Content-Type", c.contentType)
			answer, err := d.nc.RequestMsg(m, 30*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if string(answer.Data) != c.want {
				t.Errorf("%q of %q: %q", c.body, c.contentType, answer.Data)
			}
		}
	})
}

// BenchmarkCreate has as many requests under way as a busy client, on one endpoint.
func BenchmarkCreate(b *testing.B) {
	for _, enc := range encodings {
		b.Run(enc.String(), func(b *testing.B) {
			answer := schema.Created{PlanID: "01J", Station: "hello", State: schema.StatusQueued, PlanTime: noon, Created: true, Revision: 1}
			d := open(b, askFunc(func(_ int, _ command.Command, done func(any, error)) { done(answer, nil) }), func(c *front.Config) {
				c.Now, c.Entropy = nil, nil
			})
			body := in(b, enc, `{"station":"hello","command":"greet","messages":["one",{"two":2}],"plan_type":"second","plan_value":10,"plan_repet":5,"caller":"bench"}`)
			inbox := d.nc.NewInbox()
			var left sync.WaitGroup
			turns := make(chan struct{}, 256)
			sub, err := d.nc.Subscribe(inbox, func(m *nats.Msg) {
				if m.Header.Get("Nats-Service-Error") != "" {
					b.Error(string(m.Data))
				}
				<-turns
				left.Done()
			})
			if err != nil {
				b.Fatal(err)
			}
			defer sub.Unsubscribe() //nolint:errcheck // the connection closes anyway
			b.ReportAllocs()
			for b.Loop() {
				turns <- struct{}{}
				left.Add(1)
				if err := d.nc.PublishRequest("plans.create", inbox, body); err != nil {
					b.Fatal(err)
				}
			}
			left.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
		})
	}
}

// A typed request that is not JSON is reported as such, whichever encoding its first byte
// stands for.
func TestATextIsNoRequest(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: obliging})
		for body, want := range map[string]string{
			"hello":                     "neither JSON",
			" station: hello\n":         "neither JSON",
			"'{\"station\":\"s\"}'":     "neither JSON",
			"\x00\x01hello":             "byte 1 of the MessagePack",
			"{\"station\":\"s\",}":      "of the JSON: ",
			"\x81\xa7station\xa5hello.": "of the MessagePack: ",
		} {
			if answer := jsonOf(t, d.send("plans.create", []byte(body)).Data); !strings.Contains(answer, want) || !strings.Contains(answer, `"invalid_plan"`) {
				t.Errorf("%q: %s", body, answer)
			}
		}
	})
}

// A truncated request, or one with a changed byte, is answered as well.
func TestMangledRequests(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: obliging})
		random := rand.New(rand.NewPCG(1, 2))
		body := `{"station":"s","command":"c","messages":[1,{"a":"b"}],"plan_type":"cron","cron":"0 3 * * *","retry":{"strategy":"none"}}`
		for range 300 {
			mangled := in(t, encodings[random.IntN(2)], body)
			mangled = mangled[:1+random.IntN(len(mangled))]
			mangled[random.IntN(len(mangled))] = byte(random.Uint32())
			if answer := jsonOf(t, d.send("plans.create", mangled).Data); strings.Contains(answer, `"internal"`) {
				t.Errorf("%q: %s", mangled, answer)
			}
		}
	})
}
