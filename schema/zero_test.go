package schema_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Outcomes of a number, other than itself.
const (
	refused = "refused, by its name"
	none    = "none"
)

// A number of a plan is read as it stands. A zero is a zero, is refused, or is none where that is
// its meaning, and is never "not given", which is another value in each row. So are the smallest
// and the greatest, and numbers beyond them are refused. No number is left out.
func TestANumberOfAPlanIsReadAsItStands(t *testing.T) {
	const any = "" // there is no bound, but that of the encoding
	rows := []struct {
		field, base   string // base is the rest of the plan, and the plan alone when it lacks the field
		absent, zero  string
		least, most   string
		beyond, above string // refused
	}{
		{"plan_value", `"plan_type":"minute","plan_repet":1`, refused, "0", "0", "32766", "-1", "32767"},
		{"plan_repet", `"plan_type":"minute","plan_value":1`, refused, refused, "-1", "9007199254740991", "-2", any},
		{"jitter", ``, none, none, "0.001", "86400", "-0.001", "86401"},
		{"priority", ``, none, "0", "0", "9", "-1", "10"},
		// Of these two 0 is the default, 1 and 1,000.
		{"worker_count", ``, none, none, "1", "100", "-1", "101"},
		{"batch", ``, none, none, "1", "10000", "-1", "10001"},

		{"max_concurrency", ``, none, "0", "1", "9007199254740991", "-1", any},
		{"exec_timeout", ``, "7", "0", "0.001", "315360000", "-1", "315360001"},
		{"start_timeout", ``, "7", "0", "0.001", "315360000", "-1", "315360001"},
		{"voters", ``, "7", refused, "1", "64", "-1", "65"},
		{"quorum", ``, "7", refused, "1", "64", "-1", "65"},
		{"ping_interval_ms", ``, "7", refused, "1", "315360000000", "-1", "315360000001"},
		{"ping_timeout_ms", ``, "7", refused, "1", "315360000000", "-1", "315360000001"},
		{"max_unexpected_retries", ``, "7", "0", "0", "9007199254740991", "-1", any},
		{"unexpected_retry_delay_ms", ``, "7", "0", "0", "315360000000", "-1", "315360000001"},

		{"retry.interval", `"strategy":"fixed_period"`, "7", refused, "0.001", "315360000", "-1", "315360001"},
		{"retry.max_interval", `"strategy":"exponential","interval":0.001`, "70", refused, "0.001", "315360000", "-1", "315360001"},
		{"retry.max_error_count", ``, "7", "0", "0", "9007199254740991", "-1", any},
		{"retry.jitter", ``, "0.7", "0", "0", "1", "-0.1", "1.1"},
	}
	left := numbers(reflect.TypeFor[schema.Plan](), "")
	for _, r := range rows {
		left = slices.DeleteFunc(left, func(field string) bool { return field == r.field })
		for _, c := range []struct{ value, want string }{
			{"", r.absent}, {"0", r.zero}, {"0.0", r.zero}, {r.least, r.least}, {r.most, r.most}, {r.beyond, refused}, {r.above, refused},
		} {
			if c.value == any && c.want == refused && r.absent != refused {
				continue // nothing is above
			}
			if got := outcomeOf(t, r.field, r.base, c.value); got != c.want {
				t.Errorf("%s: %q is %s; want %s", r.field, c.value, got, c.want)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("the meaning of 0 is not stated for %s", left)
	}
}

// numbers are the wire names of the numbers in a struct and below it.
func numbers(of reflect.Type, prefix string) (names []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		is := field.Type
		if is.Kind() == reflect.Pointer {
			is = is.Elem()
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case is.Kind() == reflect.Int64 || is.Kind() == reflect.Float64:
			names = append(names, prefix+name)
		case field.Anonymous:
			names = append(names, numbers(is, prefix)...)
		case is == reflect.TypeFor[schema.Retry]():
			names = append(names, numbers(is, prefix+name+".")...)
		}
	}
	return names
}

// outcomeOf is a number of a plan as it is in force, or stands in the definition where
// that has no force, at a station with another value.
func outcomeOf(t *testing.T, field, base, value string) string {
	t.Helper()
	group, name, inRetry := strings.Cut(field, ".")
	if !inRetry {
		group, name = "", field
	}
	members := strings.Split(base, ",")
	if base == "" {
		members = nil
	}
	if value != "" {
		members = append(members, `"`+name+`":`+value)
	}
	known := strings.Join(members, ",")
	if inRetry {
		if value == "" {
			known = "" // retry is replaced as a whole
		} else {
			known = `"` + group + `":{` + known + `}`
		}
	}
	body := `{"station":"s","command":"c"`
	if known != "" {
		body += "," + known
	}
	v, err := wire.Scan([]byte(body+"}"), wire.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{Preview: true})
	if err != nil {
		var errs schema.Errors
		if errors.As(err, &errs) && len(errs) == 1 && errs[0].Field == field && strings.Contains(errs[0].Message, name) {
			return refused
		}
		return err.Error()
	}
	var st schema.Station
	decode(t, stationOf(field), &st)
	inForce := d.Plan.InForce(&st, schema.Defaults{ExecTimeout: time.Hour, StartTimeout: time.Hour})
	for _, from := range []any{inForce, &d.Plan} {
		raw, err := wire.Marshal(wire.JSON, from)
		if err != nil {
			t.Fatal(err)
		}
		seen := wire.Trust(wire.JSON, raw)
		if group != "" {
			seen = seen.Field(group)
		}
		if seen = seen.Field(name); !seen.IsZero() {
			return seen.String()
		}
	}
	return none
}

// stationOf is a station, of the kind that a field is of, whose value of it is 7, or 70.
func stationOf(field string) string {
	switch {
	case field == "voters" || field == "quorum":
		return `{"kind":"vote","` + field + `":7}`
	case strings.HasSuffix(field, "_ms") || strings.HasPrefix(field, "max_unexpected"):
		return `{"kind":"pull","` + field + `":7}`
	case field == "retry.jitter":
		return `{"retry":{"jitter":0.7}}`
	case strings.HasPrefix(field, "retry."):
		return `{"retry":{"interval":7,"max_interval":70,"max_error_count":7}}`
	default:
		return `{"exec_timeout":7,"start_timeout":7}`
	}
}
