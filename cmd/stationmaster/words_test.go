package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// libraryWords are words of Go and of libraries, which users should not see.
var libraryWords = regexp.MustCompile(`strconv|time: |json: |yaml: |toml: |msgpack: |pflag|cannot unmarshal|!!|interface \{\}|\[[a-z_]+( [a-z_]+)+\]|invalid argument`)

// No message about an invalid value has the words of a library. Every flag of every command gets
// such values.
func TestWrongInputIsReportedInPlainWords(t *testing.T) {
	seen := 0
	walk(newRoot(func() {}), nil, func(cmd *cobra.Command, path []string) {
		wrong := func(args ...string) {
			seen++
			args = append(append([]string{}, path...), args...)
			code, out, errs := try(t, "{", args...)
			if code == exitDone || errs == "" {
				t.Errorf("%q: exit code %d, %q", args, code, errs)
			}
			if found := libraryWords.FindString(errs + out); found != "" {
				t.Errorf("%q: %q in %s", args, found, errs)
			}
		}
		wrong("--no-such-flag")
		asks := cmd.Flag("nats-url") != nil && cmd.GroupID != groupRun
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.Type() {
			case "bool", "int", "int64", "duration", "durations", "size", "stringToString", "float64":
				for _, bad := range []string{"x", "1e400", "[", "99999999999999999999 "} {
					wrong("--" + f.Name + "=" + bad)
				}
			default:
				if asks && f.Name != "nats-url" && f.Name != "out" && f.Name != "prefix" {
					// The other flags do not matter, because no server is at the address.
					wrong("--"+f.Name+"=][", "--nats-url=nats://127.0.0.1:1", "--timeout=10ms", "a/b", "] [")
					wrong("--"+f.Name+"=][", "--nats-url=nats://127.0.0.1:1", "--timeout=10ms", "a/b")
					wrong("--"+f.Name+"=][", "--nats-url=nats://127.0.0.1:1", "--timeout=10ms")
				}
			}
		})
	})
	if seen < 500 {
		t.Errorf("%d command lines were tried", seen)
	}
}

// walk calls f with each command that has no subcommands.
func walk(cmd *cobra.Command, path []string, f func(*cobra.Command, []string)) {
	if !cmd.HasSubCommands() {
		cmd.InheritedFlags() // which merges them into those of cmd
		f(cmd, path)
		return
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
			walk(sub, append(path[:len(path):len(path)], sub.Name()), f)
		}
	}
}

func TestOtherNamesOfCommands(t *testing.T) {
	for line, message := range map[string]string{
		"plan lst": `did you mean "ls"`, "plan retry": `did you mean "reset"`, "periodic pause": `did you mean "offline"`,
		"plan delete": "an argument is missing", "plan show": "an argument is missing", "station remove": "an argument is missing",
		"plan create --repeat 3": `did you mean "--repet"`, "task fetch --worker w": `did you mean "--worker-id"`,
		"task report a/b c --error x": `did you mean "--error-info"`, "task type put x --retry-strategy none": `did you mean "--retry"`,
		"plan create --at 9:00": `did you mean "--time"`, "periodic put p --tz UTC": `did you mean "--timezone"`,
		"task fetch transcode": `"transcode" is one argument too many`,
	} {
		if code, _, errs := try(t, "", strings.Fields(line)...); code != exitUsage || !strings.Contains(errs, message) {
			t.Errorf("%q: exit code %d, %q; want %q", line, code, errs, message)
		}
	}
}
