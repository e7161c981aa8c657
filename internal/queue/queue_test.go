package queue_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const digest = "http://127.0.0.1:23333/v3/notifier/cross/digest"

func field(err error) string {
	var e *schema.Error
	if errors.As(err, &e) {
		return string(e.Code) + " " + e.Field
	}
	return ""
}

// The example of the HTTP form's specification, and the other ways to write its base64.
func TestParseAddress(t *testing.T) {
	for _, service := range []string{
		"aHR0cDovLzEyNy4wLjAuMToyMzMzMy92My9ub3RpZmllci9jcm9zcy9kaWdlc3Q=",
		"aHR0cDovLzEyNy4wLjAuMToyMzMzMy92My9ub3RpZmllci9jcm9zcy9kaWdlc3Q",
	} {
		a, err := queue.ParseAddress("cross123_789", "POST", service)
		want := queue.Address{Key: "cross123_789/POST/" + service, Method: "POST", Service: digest}
		if diff := cmp.Diff(want, a); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	}
	for _, service := range []string{ // a URL whose base64 differs between the alphabets
		"aHR0cDovL2gvP2E9Pz8/Pj4+", "aHR0cDovL2gvP2E9Pz8_Pj4-",
	} {
		a, err := queue.ParseAddress("k", "put", service)
		if err != nil || a.Service != "http://h/?a=???>>>" || a.Method != "PUT" {
			t.Errorf("%s: %+v %v", service, a, err)
		}
	}
	for _, c := range []struct{ key, method, service, want string }{
		{"", "POST", "aHR0cDovL2g", "invalid_request merge_key"},
		{"k", "FETCH", "aHR0cDovL2g", "invalid_request method"},
		{"k", "POST", "!", "invalid_request service"},
		{"k", "POST", "aGVsbG8", "invalid_request service"},         // "hello"
		{"k", "POST", "ZmlsZTovLy9hL2I", "invalid_request service"}, // "file:///a/b"
		{strings.Repeat("k", 600), "POST", "aHR0cDovL2g", "invalid_request key"},
	} {
		if _, err := queue.ParseAddress(c.key, c.method, c.service); field(err) != c.want {
			t.Errorf("%.9s %s %s: error %v, want %s", c.key, c.method, c.service, err, c.want)
		}
	}
}

func translator(enc wire.Encoding) queue.Translator {
	return queue.Translator{Enc: enc, Now: time.Unix(1000, 0).UTC(), NewID: func() string { return "made" }, Trace: "00-a"}
}

func TestPush(t *testing.T) {
	task := wire.Text(wire.JSON, "x")
	due := time.Unix(1366614150, 0).UTC()
	for _, c := range []struct {
		what    string
		push    schema.QueuePush
		station string
		manner  schema.Manner
		retime  schema.Retime
		ext     string
	}{
		{"service", schema.QueuePush{Key: "k", Task: task, OnTime: due, Update: "always", Method: "post", Service: digest},
			"queue", schema.MannerDeliver, schema.RetimeAlways, `{"key":"k","method":"POST","service":"` + digest + `"}`},
		{"service in base64", schema.QueuePush{Key: "k", Task: task, Method: "POST", Service: "aHR0cDovL2g"},
			"queue", schema.MannerDeliver, schema.RetimeNew, `{"key":"k","method":"POST","service":"http://h"}`},
		{"station", schema.QueuePush{Key: "k", Task: task, Update: "once", Station: "s.eu"},
			"s.eu", schema.MannerTell, schema.RetimeNew, `{"key":"k"}`},
		{"neither", schema.QueuePush{Key: "k", Task: task}, "queue.hold", schema.MannerHold, schema.RetimeNew, `{"key":"k"}`},
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			got, err := translator(enc).Push(c.push)
			if err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			d := got.Definition
			if d.Enc != enc || d.Plan.Station != c.station || got.Terms.Manner != c.manner || got.Retime != c.retime ||
				got.Terms.Key != "k" || got.Trace != "00-a" || !got.PlanTime.Equal(c.push.OnTime) {
				t.Errorf("%s: %+v of %s", c.what, got, d.Value())
			}
			if got.Name != (schema.PlanName{PlanID: queue.PlanID("k")}) || d.Plan.PlanID != got.Name.PlanID {
				t.Errorf("%s: named %v, the plan %s", c.what, got.Name, d.Plan.PlanID)
			}
			if ext := d.Plan.Ext.In(wire.JSON).String(); ext != c.ext {
				t.Errorf("%s: ext %s", c.what, ext)
			}
			if exact := c.manner != schema.MannerHold; got.Exact != exact {
				t.Errorf("%s: exact %v", c.what, got.Exact)
			}
		}
	}
}

func TestAKeyWithAHyphenIsNeverMerged(t *testing.T) {
	c, err := translator(wire.JSON).Push(schema.QueuePush{Key: "-k", Task: wire.Text(wire.JSON, "x"), Method: "POST", Service: digest})
	if err != nil || c.Name.PlanID != "made" {
		t.Errorf("plan %s, error %v", c.Name.PlanID, err)
	}
	if _, err := queue.Get(schema.QueueGet{Key: "-k", Random: "r"}); field(err) != "invalid_request key" {
		t.Errorf("get: error %v", err)
	}
}

// A word that is no URL may be read as base64; a refusal shows the word.
func TestARefusedServiceIsShownAsItWasTyped(t *testing.T) {
	_, pushed := translator(wire.JSON).Push(schema.QueuePush{Key: "k", Task: wire.Text(wire.JSON, "x"), Method: "POST", Service: "notaurl"})
	_, addressed := queue.ParseAddress("k", "POST", "notaurl")
	for _, err := range []error{pushed, addressed} {
		if err == nil || !strings.Contains(err.Error(), `service "notaurl" is no URL of http or https`) {
			t.Error(err)
		}
	}
}

func TestRefused(t *testing.T) {
	task, zero, negative := wire.Text(wire.JSON, "x"), int64(0), int64(-1)
	long := schema.Seconds(1e9)
	push := func(q schema.QueuePush) error { _, err := translator(wire.JSON).Push(q); return err }
	get := func(q schema.QueueGet) error { _, err := queue.Get(q); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{push(schema.QueuePush{Task: task}), "key"},
		{push(schema.QueuePush{Key: strings.Repeat("k", 601), Task: task}), "key"},
		{push(schema.QueuePush{Key: "k"}), "task"},
		{push(schema.QueuePush{Key: "k", Task: task, Update: "never"}), "update"},
		{push(schema.QueuePush{Key: "k", Task: task, Data: task}), "data"},
		{push(schema.QueuePush{Key: "k", Task: task, Method: "POST"}), "service"},
		{push(schema.QueuePush{Key: "k", Task: task, Service: digest}), "method"},
		{push(schema.QueuePush{Key: "k", Task: task, Method: "POST", Service: digest, Station: "s"}), "station"},
		{push(schema.QueuePush{Key: "k", Task: task, Station: "s..t"}), "station"},
		{push(schema.QueuePush{Key: "-k", Task: task}), "key"},
		{push(schema.QueuePush{Key: "k", Task: task, AbandonAfter: 5}), "abandon_after"},
		{push(schema.QueuePush{Key: "k", Task: task, Station: "s", AbandonAfter: -5}), "abandon_after"},
		{push(schema.QueuePush{Key: "k", Task: task, Station: "s", AbandonAfter: 1e10}), "abandon_after"},
		{push(schema.QueuePush{Key: "k", Task: task, Station: "s", AbandonAfter: schema.Seconds(math.NaN())}), "abandon_after"},
		{push(schema.QueuePush{Key: "k", Task: task, OnTime: time.Unix(17955163950, 0)}), "ontime"},
		{get(schema.QueueGet{Key: "k"}), "random"},
		{get(schema.QueueGet{Key: "k", Random: "r", Number: &zero}), "number"},
		{get(schema.QueueGet{Key: "k", Random: "r", Timeout: &long}), "timeout"},
		{func() error {
			_, err := queue.Complete(schema.QueueComplete{Key: "k", Random: "r", Number: &negative})
			return err
		}(), "number"},
		{func() error { _, err := queue.Release(schema.QueueRelease{Key: "k"}); return err }(), "random"},
		{func() error { _, err := queue.Peek(schema.QueueGet{Key: "k", Number: &zero}); return err }(), "number"},
		{func() error { _, err := queue.Delete(schema.QueueName{}); return err }(), "key"},
	} {
		if got := field(c.err); got != "invalid_request "+c.want {
			t.Errorf("error %v, want one about %s", c.err, c.want)
		}
	}
}

// The id of a queue's plan is part of the store.
func TestPlanIDIsFrozen(t *testing.T) {
	if got := queue.PlanID("cross123_789"); got != "q_e796f3ca5a49999e4aa686a97ef8d9c11d6c4faa" {
		t.Errorf("%s", got)
	}
}
