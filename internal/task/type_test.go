package task_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func value(t *testing.T, text string) wire.Value {
	t.Helper()
	v, err := wire.Scan([]byte(text), wire.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// fields are those of the errors in err, with their codes where they are unusual.
func fields(err error) string {
	var all schema.Errors
	if err != nil && !errors.As(err, &all) {
		return err.Error()
	}
	var out []string
	for _, e := range all {
		name := e.Field
		if e.Code != schema.CodeInvalidRequest {
			name += " " + string(e.Code)
		}
		if e.Field == "" || !strings.Contains(e.Message, e.Field) {
			name += ": " + e.Message
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// A type's retries, timeouts and kind are those of its station.
func TestATaskTypeIsAStation(t *testing.T) {
	for _, c := range []struct{ config, station string }{
		{`{}`, `"kind":"pull","retry":{"strategy":"none","max_error_count":0}`},
		{`{"retry_strategy":"none","max_error_count":0,"retry_interval":5,"need_manual":true}`,
			`"kind":"pull","retry":{"strategy":"none","max_error_count":0,"need_manual":true}`},
		{`{"retry_strategy":"fixed_period","retry_interval":30,"max_error_count":3,"timeout":2}`,
			`"kind":"pull","retry":{"strategy":"fixed_period","interval":30,"max_error_count":3,"jitter":0},"exec_timeout":120`},
		{`{"retry_strategy":"sequence","retry_sequence":[1,10],"timeout":2,"timeout_seconds":1.5,"retry_jitter":0.5}`,
			`"kind":"pull","retry":{"strategy":"sequence","sequence":[1,10],"jitter":0.5},"exec_timeout":1.5`},
		{`{"retry_strategy":"exponential","retry_interval":2,"kind":"api","need_manual":false}`,
			`"kind":"api","retry":{"strategy":"exponential","interval":2}`},
		{`{"ping_timeout_ms":3000,"max_unexpected_retries":2,"unexpected_retry_delay_ms":10}`,
			`"kind":"pull","retry":{"strategy":"none","max_error_count":0},"ping_timeout_ms":3000,"max_unexpected_retries":2,"unexpected_retry_delay_ms":10`},
	} {
		record := `{"id":"7","code":"a.b","name":"A","category":"c","config":` + c.config + `}`
		s, secret, err := task.ParseType(value(t, record))
		if err != nil || secret != "" {
			t.Errorf("%s: error %v, secret %q", c.config, err, secret)
			continue
		}
		own, _ := task.TypeOf(s)
		read, err := wire.ValueOf(wire.JSON, own)
		if diff := cmp.Diff(value(t, record).Any(), read.Any()); diff != "" || err != nil {
			t.Errorf("%s is read back otherwise: %v %s", c.config, err, diff)
		}
		plain := *s
		plain.TaskType = nil
		got, err := wire.ValueOf(wire.JSON, plain)
		want := value(t, `{"station":"a.b","description":"A","start_timeout":0,`+c.station+`}`)
		if diff := cmp.Diff(want.Any(), got.Any()); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.config, err, diff)
		}
	}
	if _, ok := task.TypeOf(&schema.Station{Station: "plain"}); ok {
		t.Error("a plain station is taken for a task type")
	}
}

// A secret is no part of the record, and the record never shows one.
func TestTheSecretOfATaskTypeIsKeptApart(t *testing.T) {
	s, secret, err := task.ParseType(value(t, `{"code":"a","config":{"callback":{
		"success":{"url":"https://example.org/done","method":"PUT"},"security":{"type":"aksk","ak":"A","sk":"hush"}}}}`))
	if err != nil || secret != "hush" {
		t.Fatalf("error %v, secret %q", err, string(secret))
	}
	record, err := wire.ValueOf(wire.JSON, s)
	if err != nil || strings.Contains(record.String(), "hush") || strings.Count(record.String(), `"ak":"A"`) != 2 {
		t.Errorf("the record is %s, %v", record, err)
	}
}

func TestErrorsOfATaskTypeNameTheField(t *testing.T) {
	for _, c := range []struct{ record, want string }{
		{`{}`, "code"},
		{`{"code":"a..b","name":7,"config":{"kind":"vote","timeout":-1}}`, "name, code, config.kind, config.timeout"},
		{`{"code":"http"}`, "code"},
		{`{"code":"callback.a","config":{"kind":"api"}}`, "code"},
		{`{"code":"` + strings.Repeat("a", 120) + `"}`, "code"},
		{`{"code":"a","name":"` + strings.Repeat("n", 5000) + `"}`, "name too_large"},
		{`{"code":"a","conifg":{}}`, "conifg"},
		{`{"code":"a","config":{"retry_interval":5}}`, "config.retry_strategy"},
		{`{"code":"a","config":{"retry_strategy":"never"}}`, "config.retry_strategy"},
		{`{"code":"a","config":{"retry_strategy":"none","max_error_count":1}}`, "config.max_error_count"},
		{`{"code":"a","config":{"retry_strategy":"fixed_period","max_error_count":0}}`, "config.retry_interval, config.max_error_count"},
		{`{"code":"a","config":{"retry_strategy":"fixed_period","retry_interval":0}}`, "config.retry_interval"},
		{`{"code":"a","config":{"retry_strategy":"sequence","max_error_count":-1}}`, "config.retry_sequence, config.max_error_count"},
		{`{"code":"a","config":{"retry_strategy":"sequence","retry_sequence":[1,-1],"retry_jitter":2}}`, "config.retry_sequence, config.retry_jitter"},
		{`{"code":"a","config":{"timeout_seconds":-1,"ping_timeout_ms":0}}`, "config.timeout_seconds, config.ping_timeout_ms"},
		{`{"code":"a","config":{"callback":{"success":{"method":"GET"},"security":{"type":"aksk"}}}}`,
			"config.callback.success.url, config.callback.success.method, config.callback.security.ak"},
	} {
		if _, _, err := task.ParseType(value(t, c.record)); fields(err) != c.want {
			t.Errorf("%.60s: errors of %s, want %s", c.record, fields(err), c.want)
		}
	}
}
