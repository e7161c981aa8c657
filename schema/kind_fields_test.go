package schema_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// For each field, the page of all fields has the kinds of stations at which it has a
// meaning; at the others it is reported, and no other field is.
func TestFieldsWithoutEffectAreThoseOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/fields.md")
	if err != nil {
		t.Fatal(err)
	}
	of, _, _ := strings.Cut(string(page), "plans.update")
	kinds := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|(?: [^|]*\\|)+ ((?:pull|vote|pub|api)(?: and (?:pull|vote|pub|api))*): ").FindAllStringSubmatch(of, -1) {
		kinds[row[1]] = row[2]
	}
	if len(kinds) < 9 {
		t.Fatalf("the page has only %v", kinds)
	}
	for _, kind := range []schema.Kind{schema.KindAPI, schema.KindPull, schema.KindPub, schema.KindVote} {
		for field, at := range kinds {
			idle := schema.IdleAt(wire.Trust(wire.JSON, []byte(`{"station":"s","`+field+`":7}`)), kind)
			if want := !strings.Contains(at, string(kind)); (len(idle) == 1 && idle[0].Name == field) != want {
				t.Errorf("%s at %s: %v; the page has %s", field, kind, idle, at)
			}
		}
	}
	for _, body := range []string{`{"worker_count":1}`, `{"worker_count":0}`, `{"worker_count":null,"voters":null}`, `{}`, `{"exec_timeout":1,"retry":{}}`} {
		if idle := schema.IdleAt(wire.Trust(wire.JSON, []byte(body)), schema.KindPub); len(idle) > 0 {
			t.Errorf("%s: %v", body, idle)
		}
	}
}
