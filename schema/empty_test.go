package schema

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An empty text of a field without which a plan would be another one is refused in a request, and read
// in a stored plan; null is absent, and other fields may be empty.
func TestAnEmptyFieldOfAPlanIsRefused(t *testing.T) {
	for fields, wrong := range map[string]string{
		`"plan_type":""`: "plan_type is empty",
		`"plan_id":""`:   "plan_id is empty",
		`"plan_type":"cron","cron":"0 9 * * *","timezone":""`: "timezone is empty",
		`"cron":""`:                       "cron is empty",
		`"plan_type":null,"plan_id":null`: "",
		`"plan_type":"second","plan_value":5,"plan_repet":-1,"cron":"","description":""`: "",
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			v, err := wire.Scan([]byte(`{"station":"s","command":"c",`+fields+`}`), wire.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			v = v.In(enc)
			_, err = ParsePlan(v, ParseOptions{})
			if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s: %v, want %q", fields, err, wrong)
			}
			if _, err = ParsePlan(v, ParseOptions{Stored: true}); err != nil {
				t.Errorf("%s, stored: %v", fields, err)
			}
		}
	}
}

// A guard that is null is refused, in both encodings; one with a value is not, and neither is a null
// elsewhere.
func TestAGuardIsNotNull(t *testing.T) {
	for request, wrong := range map[string]string{
		`{"dry_run":null}`:     "dry_run is null",
		`{"revision":null}`:    "revision is null",
		`{"incarnation":null}`: "incarnation is null",
		`{"version":null}`:     "version is null",
		`{"dry_run":false,"revision":0,"description":null,"plan":{"revision":null}}`: "",
		`[null]`: "",
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			v, err := wire.Scan([]byte(request), wire.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			err = RefuseNullGuards(CodeInvalidRequest, v.In(enc))
			if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s: %v, want %q", request, err, wrong)
			}
		}
	}
}
