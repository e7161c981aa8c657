package main

import "testing"

func TestPlansByTheNamesThatPeopleKnow(t *testing.T) {
	for arg, want := range map[string]string{
		"hello/office":                          "hello/office",
		"http/five":                             "http/jql7xnoqn2ftu7gdftmbar4fw22mxhfb",
		"http/a/b":                              "http/chrfjczufz6vwmlrhynhjamorfdt4pnw",
		"queue/cross123_789":                    "queue/q_e796f3ca5a49999e4aa686a97ef8d9c11d6c4faa",
		"queue.hold/q_e796f3":                   "queue.hold/q_e796f3",
		"http/":                                 "http/",
		"queues/x":                              "queues/x",
		"http/jql7xnoqn2ftu7gdftmbar4fw22mxhfb": "http/jql7xnoqn2ftu7gdftmbar4fw22mxhfb",
	} {
		if got := byKnownName(arg); got != want {
			t.Errorf("%q: %q, want %q", arg, got, want)
		}
	}
}
