package main

import (
	"strings"
	"testing"
)

// A flag that does nothing beside the type is refused in words, and never left out.
func TestFlagsThatDoNothingBesideTheirType(t *testing.T) {
	for flags, message := range map[string]string{
		"--type none --time 2h":                        "--time: a plan of type none runs at once; --type time runs once, at --time",
		"--type none --repet 5":                        "--repet: a plan of type none runs at once, and once; --type second,",
		"--type none --repet -1":                       "--repet: a plan of type none",
		"--type none --value 5":                        "--value: a plan of type none runs at once, and once; --type second,",
		"--type none --value 0":                        "--value: a plan of type none",
		"--type time --time 1h --repet 5":              "--repet: a plan of type time runs once, at --time; --type second,",
		"--type time --time 1h --value 5":              "--value: a plan of type time runs once, at --time; --type second,",
		"--type cron --cron @daily --value 5":          "--value: a plan of type cron runs at the times of --cron",
		"--type cron --cron @daily --time 1h":          "--time: a plan of type cron runs at the times of --cron, of which only @every",
		"--retry none --max-error-count 3":             "--max-error-count does nothing, because --retry is none: leave one of them out",
		"--retry exponential --retry-sequence 1,2":     "--retry-sequence does nothing, because --retry is exponential",
		"--retry none --need-manual":                   "",
		"--retry exponential --max-error-count 3":      "",
		"--type none --repet 1":                        "",
		"--type time --time 1h --repet 1":              "",
		"--type cron --cron @every_90s --time 1h":      "",
		"--type cron --cron @daily --repet 5":          "",
		"--type second --value 5 --repet 5 --time 1h":  "",
		"--type month --value 1 --repet -1 --time 10m": "",
		"--time 1h --repet 5 --value 1":                "", // without a type
	} {
		for _, command := range []string{"plan create --station s --command c", "plan preview", "plan update s/p"} {
			args := strings.Fields(command + " " + flags + " --nats-url nats://127.0.0.1:1 --timeout 10ms")
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "_", " ")
			}
			code, _, errs := try(t, "", args...)
			if refused := code == exitUsage; refused != (message != "") || !strings.Contains(errs, message) {
				t.Errorf("%s %s: exit code %d, %q; want %q", command, flags, code, errs, message)
			}
		}
	}
	// The scheduler judges a file.
	code, _, errs := try(t, `{"station":"s","command":"c","plan_type":"none","plan_repet":5}`, "plan", "create", "-f", "-", "--nats-url", "nats://127.0.0.1:1", "--timeout", "10ms")
	if code != exitFailed {
		t.Errorf("a file: exit code %d, %q", code, errs)
	}
}
