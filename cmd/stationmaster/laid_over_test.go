package main

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func jsonValue(t *testing.T, text string) wire.Value {
	t.Helper()
	if text == "" {
		return wire.Value{}
	}
	v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFlagsOfRetryAreLaidOverThePolicyThatIsThere(t *testing.T) {
	for _, c := range []struct{ under, flags, want, refused string }{
		{under: "", flags: `{"interval":2}`, want: `{"interval":2}`},
		{under: `{"strategy":"fixed_period","interval":1,"need_manual":true}`, flags: `{"interval":2}`, want: `{"interval":2,"need_manual":true,"strategy":"fixed_period"}`},
		{under: `{"max_error_count":3}`, flags: `{"max_interval":9}`, want: `{"max_error_count":3,"max_interval":9}`},
		{under: `{"strategy":"fixed_period","interval":5,"max_error_count":2}`, flags: `{"strategy":"exponential"}`, want: `{"interval":5,"max_error_count":2,"strategy":"exponential"}`},
		{under: `{"interval":5,"max_interval":60,"jitter":0}`, flags: `{"strategy":"fixed_period"}`, want: `{"interval":5,"jitter":0,"strategy":"fixed_period"}`},
		{under: `{"strategy":"sequence","sequence":[1,2],"max_error_count":2}`, flags: `{"strategy":"fixed_period"}`, want: `{"max_error_count":2,"strategy":"fixed_period"}`},
		{under: `{"strategy":"fixed_period","interval":5}`, flags: `{"strategy":"sequence","sequence":[1]}`, want: `{"sequence":[1],"strategy":"sequence"}`},
		{under: `{"strategy":"fixed_period","interval":5,"need_manual":true}`, flags: `{"strategy":"none"}`, want: `{"need_manual":true,"strategy":"none"}`},
		{under: `{"strategy":"none","max_error_count":0}`, flags: `{"strategy":"exponential"}`, want: `{"strategy":"exponential"}`},
		{under: `{"strategy":"tomorrow's","slope":3}`, flags: `{"interval":2}`, want: `{"interval":2,"slope":3,"strategy":"tomorrow's"}`},
		{under: `{"strategy":"none"}`, flags: `{"max_error_count":2}`, refused: "--max-error-count does nothing, because the strategy is none; say --retry, too"},
		{under: `{"strategy":"sequence","sequence":[1]}`, flags: `{"interval":2}`, refused: "--retry-interval does nothing, because the strategy is sequence; say --retry, too"},
	} {
		over, err := retryOver(jsonValue(t, c.under), jsonValue(t, c.flags).Any().(map[string]any))
		if c.refused != "" {
			if err == nil || err.Error() != c.refused {
				t.Errorf("%s over %s: %v, want %s", c.flags, c.under, err, c.refused)
			}
			continue
		}
		got, encodeErr := wire.ValueOf(wire.JSON, over)
		if err != nil || encodeErr != nil || got.String() != c.want {
			t.Errorf("%s over %s is %s, %v, want %s", c.flags, c.under, got, err, c.want)
		}
	}
}

func TestTheLabelOfASetIsKept(t *testing.T) {
	const ofSet = `{"labels":{"stationmaster.set":"x","a":"1"}}`
	for _, c := range []struct{ request, plan, want string }{
		{`{"labels":{"team":"x"}}`, ofSet, `{"labels":{"stationmaster.set":"x","team":"x"}}`},
		{`{}`, ofSet, `{"labels":{"stationmaster.set":"x"}}`},
		{`{"labels":{"stationmaster.set":"y"}}`, ofSet, `{"labels":{"stationmaster.set":"y"}}`},
		{`{"labels":null}`, ofSet, `{"labels":null}`},
		{`{"labels":{"team":"x"}}`, `{"labels":{"a":"1"}}`, `{"labels":{"team":"x"}}`},
		{`{}`, ``, `{}`},
	} {
		request := jsonValue(t, c.request).Any().(map[string]any)
		keepSet(request, jsonValue(t, c.plan))
		if got, err := wire.ValueOf(wire.JSON, request); err != nil || got.String() != c.want {
			t.Errorf("%s over %s is %s, %v, want %s", c.request, c.plan, got, err, c.want)
		}
	}
}
