package main

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestPlansByTheNamesThatPeopleKnow(t *testing.T) {
	for arg, want := range map[string]string{
		"hello/office":                          "hello/office hello/" + queue.PlanID("office"),
		"hello/a b":                             "hello/" + queue.PlanID("a b"),
		"hello/" + queue.PlanID("office"):       "hello/" + queue.PlanID("office"),
		"he llo/office":                         "",
		"http/five":                             "http/five http/jql7xnoqn2ftu7gdftmbar4fw22mxhfb",
		"http/a/b":                              "http/chrfjczufz6vwmlrhynhjamorfdt4pnw",
		"queue/cross123_789":                    "queue/cross123_789 queue/q_e796f3ca5a49999e4aa686a97ef8d9c11d6c4faa queue.hold/q_e796f3ca5a49999e4aa686a97ef8d9c11d6c4faa",
		"queue.hold/q_e796f3":                   "queue.hold/q_e796f3 queue.hold/" + queue.PlanID("q_e796f3"),
		"http/":                                 "",
		"queues/x":                              "queues/x queues/" + queue.PlanID("x"),
		"http/jql7xnoqn2ftu7gdftmbar4fw22mxhfb": "http/jql7xnoqn2ftu7gdftmbar4fw22mxhfb",
	} {
		var got []string
		for _, name := range knownBy(arg) {
			got = append(got, name.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", arg, got, want)
		}
	}
}

// A plan is named by its definition, in which an id may be a number.
func TestTheNameOfADefinition(t *testing.T) {
	for body, want := range map[string]string{
		`{"station":"s","plan_id":"p"}`: "s/p", `{"station":"s","plan_id":7}`: "s/7", `{"station":"s"}`: "s/", `{}`: "/",
	} {
		v, err := wire.Scan([]byte(body), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := planNameOf(v).String(); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
