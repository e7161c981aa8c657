package bulk

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzRead reads any order: it is refused with an error of the asker's, or it is one of the verbs
// with a filter that has only keys of that verb, because a misspelt one would match more.
func FuzzRead(f *testing.F) {
	for _, body := range []string{
		`{"verb":"pause","filter":{"station":"mail","status":["queued"],"labels":{"a":"b"}},"expect":7}`,
		`{"verb":"skip","count":-1,"filter":{},"expect":0}`,
		`{"verb":"trigger","filter":{"run":{"state":"failure","longer_than_ms":5}},"dry_run":true}`,
		`{"verb":"tasks.retry","filter":{"type":"t","from":"2026-01-01T00:00:00Z","text":"x"},"expect":1}`,
		`{"verb":"pause","filter":{"limit":1},"expect":1}`, `[]`, `{"filter":7}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		body, err := wire.ScanAs(wire.JSON, data, wire.Limits{Items: 1000})
		if err != nil {
			return
		}
		order, err := Read(body)
		if err != nil {
			one, is := errors.AsType[*schema.Error](err)
			if all, are := errors.AsType[schema.Errors](err); are && len(all) > 0 {
				one, is = all[0], true
			}
			if !is || one.Message == "" || one.Code != schema.CodeInvalidRequest && one.Code != schema.CodeTooLarge {
				t.Fatalf("%q is refused with %v", data, err)
			}
			return
		}
		if !slices.Contains(Verbs, order.Verb) || order.Expect == nil && !order.DryRun || order.Expect != nil && *order.Expect < 0 {
			t.Fatalf("%q is taken as %+v", data, order)
		}
		for name := range order.Filter.Map() {
			if !slices.Contains(Keys(order.Verb), name) {
				t.Fatalf("%q has the filter %s", data, name)
			}
		}
	})
}

// A tenth more or fewer is taken, and nothing beyond it.
func TestATenthMoreOrFewerIsTaken(t *testing.T) {
	for _, c := range []struct {
		expect, matched int64
		differs         bool
	}{{0, 0, false}, {0, 1, true}, {9, 10, true}, {10, 11, false}, {10, 9, false}, {10, 12, true}, {12431, 13674, false}, {12431, 13675, true}, {12431, 11188, false}, {12431, 11187, true}} {
		o := Order{Expect: &c.expect}
		if got := o.differs(c.matched); got != c.differs {
			t.Errorf("%d of %d differ: %v", c.matched, c.expect, got)
		}
	}
	if (&Order{}).differs(7) {
		t.Error("any number is expected, and 7 differs")
	}
}

// A filter may be empty, which is all, and no member of it, because that is an unset variable.
func TestAnEmptyMemberOfAFilterIsRefused(t *testing.T) {
	for filter, taken := range map[string]bool{
		`{}`: true, `{"station":"s","status":["queued"]}`: true, `{"run":{"longer_than_ms":1}}`: true,
		`{"station":""}`: false, `{"station":null}`: false, `{"status":[]}`: false, `{"labels":{}}`: false, `{"run":{}}`: false, `{"run":{"state":null}}`: false,
	} {
		body, err := wire.ScanAs(wire.JSON, []byte(`{"verb":"remove","expect":1,"filter":`+filter+`}`), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(body); (err == nil) != taken || err != nil && !strings.Contains(err.Error(), "would match all") {
			t.Errorf("%s: %v", filter, err)
		}
	}
}
