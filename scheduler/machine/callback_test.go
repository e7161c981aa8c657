package machine

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The bytes of an item that is a result of its append are frozen.
func TestFrozenResultItem(t *testing.T) {
	q := &state.Plan{Name: schema.PlanName{Station: "callback.s", PlanID: "p"}}
	q.Incarnation = 7
	result := []byte(`{"state":"ok"}`)
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		b := batch.New(1 << 20)
		b.AppendResultItem(q, 8, &event.Publish{Body: result, Enc: enc})
		path := "testdata/wire/item_result." + enc.String() + ".v1.msgpack"
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Seal(); string(got) != string(want) {
			t.Errorf("the bytes are %q, and were %q", got, want)
		}
		row, _, err := event.CutRow(want)
		if err != nil {
			t.Fatal(err)
		}
		item, err := event.ParseItem(row.Value, result)
		if diff := cmp.Diff(event.Item{Incarnation: 7, Enc: enc, Value: result}, item); diff != "" || err != nil || row.N != 8 {
			t.Errorf("%v %s", err, diff)
		}
		for _, other := range [][]byte{nil, result[1:]} {
			if _, err := event.ParseItem(row.Value, other); err == nil {
				t.Errorf("an item is made of %q, which is not the result that it was", other)
			}
		}
	}
}

// An end and its callback fit in one append, which holds the answer once, with any size of
// definition and answer, and any mode of log.
func TestALargeResultAndItsCallbackFitInAnAppend(t *testing.T) {
	large := strings.Repeat("x", schema.MaxReplyBytes-100)
	for _, log := range []string{"full", "trigger", "none"} {
		for _, member := range []string{"ext", "messages"} {
			s := newStory(t)
			s.station(`{"station":"s","callback":{"success":{"url":"http://a/` + strings.Repeat("u", 2000) + `"}}}`)
			value := `"` + strings.Repeat("y", schema.MaxDefinitionBytes-1000) + `"`
			if member == "messages" {
				value = "[" + value + "]"
			}
			s.create(fmt.Sprintf(`{"plan_id":"p","station":"s","command":"c","log":%q,%q:%s}`, log, member, value))
			name := schema.PlanName{Station: "s", PlanID: "p"}
			s.until(s.now)
			reply := event.ReplyReceived{
				About: about(s.m, s.m.part.Plans[name], 1),
				Reply: schema.Reply{State: schema.StateOK, Content: wire.Text(wire.JSON, large)},
			}
			b := batch.New(capacity)
			b.Reset(s.n + 1)
			if s.m.Step(s.now, reply, b) != Done {
				t.Fatalf("log %s, large %s: the end takes more than an append has", log, member)
			}
			body := b.Seal()
			if got := strings.Count(string(body), large); got != 1 {
				t.Errorf("log %s, large %s: the append holds the answer %d times", log, member, got)
			}
			for _, e := range b.Effects {
				if keep, ok := e.(event.Keep); ok {
					if !strings.Contains(string(keep.Item.Value), large) || !strings.Contains(string(keep.Item.Value), "yyyy") {
						t.Errorf("log %s, large %s: the item lacks a member", log, member)
					}
				}
			}
		}
	}
}

// A callback has no place when the store of items is full. Then the result is written all the
// same, with a note that no callback will be sent.
func TestACallbackWithoutAPlaceIsNotLostInSilence(t *testing.T) {
	s := newStory(t)
	s.m.part.Config.InboxBytes = 1
	s.station(`{"station":"s","callback":{"success":{"url":"http://a/"}}}`)
	s.create(`{"plan_id":"p","station":"s","command":"c"}`)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	s.out.Reset()
	s.step(event.ReplyReceived{
		From: "worker", Reply: schema.Reply{State: schema.StateOK},
		About: about(s.m, s.m.part.Plans[name], 1),
	})
	for _, want := range []string{"result 1.1 of 1: ok", "s/p  not_called_back", "the store of queued items is full", `{"ack":true,"accepted":true}`, "s/p  closed"} {
		if !strings.Contains(s.out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, s.out.String())
		}
	}
	if s.m.part.Plans[schema.CallbackPlanOf(name)] != nil || s.m.part.Stations["callback.s"] != nil {
		t.Error("a plan was made for nothing")
	}
}

// A plan that delivers callbacks has the id of another, which may be that of a queue.
func TestCallbacksAreNoQueue(t *testing.T) {
	s := newStory(t)
	s.station(`{"station":"s","callback":{"success":{"url":"http://a/"}}}`)
	s.ask(command.PushItem{
		Name: schema.PlanName{PlanID: "p"}, Definition: parse(t, `{"plan_id":"p","station":"q","command":"c"}`),
		Item: wire.Text(wire.JSON, "item"), PlanTime: s.now.AddDate(0, 0, 1), Retime: schema.RetimeNew,
	})
	s.create(`{"plan_id":"p","station":"s","command":"c"}`)
	s.step(event.ReplyReceived{
		Reply: schema.Reply{State: schema.StateOK},
		About: about(s.m, s.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}], 1),
	})
	s.until(s.now)
	if got := s.m.part.InboxPlans["p"].Name.Station; got != "q" {
		t.Errorf("the queue p is taken for that of station %s", got)
	}
	s.lead()
	if got := s.m.part.InboxPlans["p"].Name.Station; got != "q" {
		t.Errorf("after a take-over the queue p is taken for that of station %s", got)
	}
}

// The plan that calls back may have a result of its own to write when it takes one more, to be
// delivered otherwise than before: its delivery has timed out, and no look has followed. An item
// is the result before it, so no other may come between; the result of the timeout comes in a
// turn of its own.
func TestACallbackIsOfItsOwnResult(t *testing.T) {
	s := newStory(t)
	s.station(`{"station":"s","callback":{"success":{"url":"http://a/old"}}}`)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	ended := func() event.ReplyReceived {
		n := s.m.part.Plans[name].N
		return event.ReplyReceived{
			Reply: schema.Reply{State: schema.StateOK},
			About: about(s.m, s.m.part.Plans[name], n),
		}
	}
	s.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":2,"exec_timeout":0}`)
	s.until(s.now.Add(1100 * time.Millisecond))
	s.step(ended())
	s.until(s.now.Add(1100 * time.Millisecond))
	s.station(`{"station":"s","callback":{"success":{"url":"http://a/new"}}}`)

	b := batch.New(capacity)
	b.Reset(s.n + 1)
	later := s.now.Add(time.Hour)
	s.m.Step(later, event.RepliesRead{To: later, Performed: s.n}, b)
	s.m.Step(later, ended(), b)
	var result []byte
	results, items := 0, 0
	count := func(r event.Row) error {
		switch r.Kind {
		case event.RowResult:
			results++
			result = r.Value
		case event.RowItem:
			items++
			item, err := event.ParseItem(r.Value, result)
			if err == nil && !strings.Contains(string(item.Value), `"plan_id":"p","station":"s"`) {
				t.Errorf("the item is %s", item.Value)
			}
			return err
		}
		return nil
	}
	if err := event.Rows(b.Seal(), count); err != nil || results != 1 || items != 1 {
		t.Errorf("%d results and %d items: %v", results, items, err)
	}
	b.Reset(s.n + 2)
	s.m.Step(later, event.Tick{}, b)
	if err := event.Rows(b.Seal(), count); err != nil || results != 2 || items != 1 {
		t.Errorf("after a look %d results and %d items: %v", results, items, err)
	}
}

// A successor reads in the capture that a callback was taken, and before it looks at the plan
// that delivered it, the next result comes, whose callback goes elsewhere by now. The plan is
// made anew, and that result is delivered.
func TestACallbackBehindTheLastOneThatWasCaptured(t *testing.T) {
	s := newStory(t)
	to := func(url string) { s.station(`{"station":"s","callback":{"success":{"url":"` + url + `"}}}`) }
	name := schema.PlanName{Station: "s", PlanID: "p"}
	ok := func(name schema.PlanName, captured bool) event.ReplyReceived {
		p := s.m.part.Plans[name]
		return event.ReplyReceived{Reply: schema.Reply{State: schema.StateOK}, About: about(s.m, p, p.N), Captured: captured}
	}
	end := func() event.ReplyReceived {
		s.create(`{"plan_id":"p","station":"s","command":"c"}`)
		return ok(name, false)
	}
	to("http://a/old")
	s.step(end())
	s.until(s.now)
	again := end()
	s.step(ok(schema.CallbackPlanOf(name), true))
	to("http://a/" + strings.Repeat("u", 2000))
	s.out.Reset()

	b := batch.New(capacity)
	b.Reset(s.n + 1)
	s.n++
	s.m.Step(s.now, again, b)
	var notices []schema.NoticeKind
	kept := 0
	for _, e := range b.Effects {
		switch e := e.(type) {
		case event.Notify:
			if e.Notice.Station == "callback.s" {
				notices = append(notices, e.Notice.Kind)
			}
		case event.Keep:
			kept++
		}
	}
	if diff := cmp.Diff([]schema.NoticeKind{schema.NoticeClosed, schema.NoticeCreated}, notices); diff != "" || kept != 1 {
		t.Fatalf("%d items are kept: %s", kept, diff)
	}
	s.until(s.now)
	if q := s.m.part.Plans[schema.CallbackPlanOf(name)]; q == nil || !q.Executing() || !strings.Contains(s.out.String(), "http://a/uuu") {
		t.Errorf("no caller is notified:\n%s", s.out.String())
	}
}

// A callback without a worker is retried for ever, and of the retries the first ones have a
// result that is kept, then those before which there were twice as many, and the last.
func TestCallbackWithoutATakerDoesNotFillTheHistory(t *testing.T) {
	s := newStory(t)
	s.station(`{"station":"s","callback":{"success":{"url":"http://a/"}}}`)
	s.create(`{"plan_id":"p","station":"s","command":"c"}`)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	answer := func(name schema.PlanName, state schema.State) (kept bool) {
		p := s.m.part.Plans[name]
		n := p.N
		s.b.Reset(s.n + 1)
		s.n++
		s.m.Step(s.now, event.ReplyReceived{
			About: about(s.m, p, n),
			Reply: schema.Reply{State: state},
		}, s.b)
		for _, e := range s.b.Effects {
			if e, ok := e.(event.Publish); ok && e.Name == name {
				kept = e.Row > 0
			}
		}
		s.b.Seal()
		return kept
	}
	answer(name, schema.StateOK)
	s.until(s.now)
	var kept []int
	for try := 1; try <= 70; try++ {
		if answer(schema.CallbackPlanOf(name), schema.StateError) {
			kept = append(kept, try)
		}
		s.until(s.m.Wake())
	}
	want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32, 64}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("tries with a result that is kept (-want +got):\n%s", diff)
	}
	if !answer(schema.CallbackPlanOf(name), schema.StateOK) {
		t.Error("that it was taken in the end is not kept")
	}
}
