package schema

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func stationWith(callback string) string {
	return `{"station":"transcode","callback":` + callback + `}`
}

func TestParseStationTakesACallback(t *testing.T) {
	for _, callback := range []string{
		`null`, `{}`, `{"success":{},"error":{}}`, `{"success":{"url":"","method":""}}`,
		`{"success":{"url":"https://example.org/done"}}`,
		`{"success":{"url":"http://example.org:8080/done?a=1","method":"put"},"error":{"url":"http://example.org/","method":"POST"}}`,
		`{"success":{"url":"http://example.org"},"security":{"type":"none","ak":"left from before"}}`,
		`{"success":{"url":"http://example.org"},"security":{"type":"aksk","ak":"me"}}`,
	} {
		if _, err := ParseStation(scanned(t, stationWith(callback))); err != nil {
			t.Errorf("%s: %v", callback, err)
		}
	}
}

func TestParseStationRefusesACallback(t *testing.T) {
	for _, c := range []struct{ station, field, message string }{
		{stationWith(`{"success":{"method":"POST"}}`), "callback.success.url", "is missing; it is the address to call"},
		{stationWith(`{"success":{"url":"ftp://example.org"}}`), "callback.success.url", "http:// or https://"},
		{stationWith(`{"error":{"url":"http://me:pw@example.org"}}`), "callback.error.url", "holds a user"},
		{stationWith(`{"error":{"url":"http://example.org","method":"GET"}}`), "callback.error.method", `is "GET"; it takes POST, PUT`},
		{stationWith(`{"success":{"url":"http://example.org/` + strings.Repeat("x", 2048) + `"}}`), "callback.success.url", "at most 2048"},
		{stationWith(`{"succes":{}}`), "callback.succes", `did you mean "success"`},
		{stationWith(`{"security":{"type":"basic"}}`), "callback.security.type", "takes none, aksk"},
		{stationWith(`{"security":{"ak":"me"}}`), "callback.security.type", `it is "aksk"`},
		{stationWith(`{"security":{"type":"aksk"}}`), "callback.security.ak", "is missing"},
		{stationWith(`{"security":{"type":"aksk","ak":"a b"}}`), "callback.security.ak", "printable ASCII"},
		{stationWith(`{"security":{"type":"aksk","ak":"` + strings.Repeat("x", 257) + `"}}`), "callback.security.ak", "at most 256"},
		{stationWith(`{"security":{"type":"aksk","ak":"me","sk":"hush"}}`), "callback.security.sk", "give it to task_types.put"},
		{`{"station":"callback.transcode","callback":{}}`, "callback", "belongs to other stations"},
		{`{"station":"` + strings.Repeat("x", MaxCallbackStation+1) + `","callback":{}}`, "station", "at most 119"},
	} {
		_, err := ParseStation(scanned(t, c.station))
		var wrong Errors
		if !errors.As(err, &wrong) || wrong[0].Field != c.field || !strings.Contains(wrong[0].Message, c.message) {
			t.Errorf("%s: %v", c.station, err)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}

func TestACallbackHasASecretOfAReasonableSize(t *testing.T) {
	c := Callback{Security: CallbackSecurity{Type: SecurityAKSK, AK: "me", SK: Secret(strings.Repeat("x", 4097))}}
	var wrong Errors
	if !errors.As(c.Check(), &wrong) || wrong[0].Field != "security.sk" {
		t.Errorf("%v", c.Check())
	}
	if c.Security.SK = c.Security.SK[1:]; c.Check() != nil {
		t.Error(c.Check())
	}
}

// The plans of callback stations sign with the secret of others.
func TestCallbackPlansAreMadeByTheSchedulerAlone(t *testing.T) {
	_, err := ParsePlan(scanned(t, planWith("station", `"callback.hello"`)), ParseOptions{})
	var wrong Errors
	if !errors.As(err, &wrong) || wrong[0].Field != "station" || !strings.Contains(wrong[0].Message, "the scheduler's own") {
		t.Error(err)
	}
	if _, err := ParsePlan(scanned(t, planWith("station", `"callbacks.hello"`)), ParseOptions{}); err != nil {
		t.Error(err)
	}
}

func TestCallbackPlanOf(t *testing.T) {
	name := CallbackPlanOf(PlanName{Station: strings.Repeat("s", MaxCallbackStation), PlanID: "P1"})
	if err := name.Check(); err != nil {
		t.Error(err)
	}
	if of, is := CalledBack(name.Station); !is || of != strings.Repeat("s", MaxCallbackStation) {
		t.Errorf("%s delivers the callbacks of %s, %v", name.Station, of, is)
	}
	if _, is := CalledBack("callback"); is {
		t.Error("station callback delivers callbacks of a station")
	}
}

func TestReceiversOfCallbacks(t *testing.T) {
	c := &Callback{Success: &CallbackTarget{URL: "http://a/"}, Error: &CallbackTarget{URL: "http://b/"}}
	for state, want := range map[State]*CallbackTarget{StateOK: c.Success, StateFailure: c.Error, StateTimeout: c.Error} {
		if got := c.Target(state); got != want {
			t.Errorf("of %s, %v is reported", state, got)
		}
	}
	if (*Callback)(nil).Target(StateOK) != nil || (&Callback{Success: &CallbackTarget{}}).Target(StateOK) != nil {
		t.Error("a target that was never named is called")
	}
}

func TestASecretIsNeitherPrintedNorLogged(t *testing.T) {
	station := Station{Callback: &Callback{Security: CallbackSecurity{Type: SecurityAKSK, AK: "me", SK: "hush"}}}
	var out bytes.Buffer
	text, json := slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))
	for _, v := range []any{station, station.Callback, *station.Callback, station.Callback.Security, station.Callback.Security.SK} {
		fmt.Fprintf(&out, "%v %+v %#v\n", v, v, v)
		text.Info("", "v", v)
		json.Info("", "v", v)
	}
	fmt.Fprintf(&out, "%s", station.Callback.Security.SK)
	if strings.Contains(out.String(), "hush") || !strings.Contains(out.String(), "(secret)") {
		t.Error(out.String())
	}
	bare, err := wire.Marshal(wire.JSON, station.Callback.WithoutSecret())
	if err != nil || strings.Contains(string(bare), "sk\":") || station.Callback.Security.SK != "hush" {
		t.Errorf("%s, %v", bare, err)
	}
	if (*Callback)(nil).WithoutSecret() != nil {
		t.Error("nothing becomes something")
	}
}
