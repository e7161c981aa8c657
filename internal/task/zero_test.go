package task_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A zero in a type's config is a zero at its station, or refused by its name; it is never
// "not given". None of its numbers is left out.
func TestAZeroOfATypeIsRead(t *testing.T) {
	const refused = "" // otherwise: where the station has it
	means := map[string]string{
		"retry_interval": refused, "ping_timeout_ms": refused, "max_error_count": refused, // no retry is a strategy
		"retry_jitter": "retry.jitter",
		"timeout":      "exec_timeout", "timeout_seconds": "exec_timeout",
		"max_unexpected_retries": "max_unexpected_retries", "unexpected_retry_delay_ms": "unexpected_retry_delay_ms",
	}
	config := reflect.TypeFor[schema.TaskConfig]()
	for i := range config.NumField() {
		f := config.Field(i)
		if f.Type.Kind() != reflect.Pointer || f.Type.Elem().Kind() != reflect.Int64 && f.Type.Elem().Kind() != reflect.Float64 {
			if kind := f.Type.Kind(); kind == reflect.Int64 || kind == reflect.Float64 {
				t.Errorf("%s cannot tell a zero from nothing", f.Name)
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		at, listed := means[name]
		if !listed {
			t.Errorf("the meaning of 0 in %s is not decided", name)
			continue
		}
		body := `{"code":"t","config":{"retry_strategy":"exponential","` + name + `":0}}`
		v, err := wire.Scan([]byte(body), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		station, _, err := task.ParseType(v)
		if at == refused {
			var errs schema.Errors
			if !errors.As(err, &errs) || len(errs) != 1 || errs[0].Field != "config."+name {
				t.Errorf("%s of 0: %v; want it refused by its name", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s of 0: %v", name, err)
			continue
		}
		raw, err := wire.Marshal(wire.JSON, station)
		if err != nil {
			t.Fatal(err)
		}
		seen := wire.Trust(wire.JSON, raw)
		for part := range strings.SplitSeq(at, ".") {
			seen = seen.Field(part)
		}
		if seen.String() != "0" {
			t.Errorf("%s of 0 is %s at the station, %s", name, seen, raw)
		}
	}
}
