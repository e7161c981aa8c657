package command_test

import (
	"slices"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestDroppedNamesEachLostMember(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    []string
	}{
		{`{"a":1,"b":2}`, `{"a":3}`, []string{"b"}},
		{`{"labels":{"team":"core","env":"prod"}}`, `{"labels":{"env":"test"}}`, []string{"labels.team"}},
		{`{"messages":[{"target_url":"u","headers":{"X":"1"}}]}`, `{"messages":[{"target_url":"v"}]}`, []string{"messages[0].headers"}},
		{`{"messages":[{"headers":{"X":"1","Y":"2"}}]}`, `{"messages":[{"headers":{"X":"3"}}]}`, []string{"messages[0].headers.Y"}},
		{`{"days":[{"weekday":"sat"},{"date":"2026-12-25"},{"date":"2026-12-26"}]}`, `{"days":[{"weekday":"sun"}]}`, []string{"days[1]"}},
		{`{"messages":["a","b"]}`, `{"messages":["c"]}`, nil},
		{`{"messages":[{"a":1}]}`, `{"messages":["c"]}`, nil},
		{`{"messages":[]}`, `{}`, []string{"messages"}},
	} {
		if got := command.Dropped(scan(t, c.was), scan(t, c.is)); !slices.Equal(got, c.want) {
			t.Errorf("%s in place of %s drops %q, want %q", c.is, c.was, got, c.want)
		}
	}
}

func scan(t *testing.T, text string) wire.Value {
	v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
