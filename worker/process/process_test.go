//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
	"github.com/stationmaster-io/stationmaster/worker/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sh runs a shell script as the program.
func sh(ctx context.Context, x *worker.Execution, script string) (any, error) {
	return process.Handler([]string{"/bin/sh", "-c", script})(ctx, x)
}

func execution(messages ...wire.Value) *worker.Execution {
	return &worker.Execution{Execution: schema.Execution{Messages: messages}}
}

// The items of a queue reach the program, because its ok removes them.
func TestItems(t *testing.T) {
	x := execution(wire.Text(wire.JSON, "first"))
	x.Items = []wire.Value{wire.Trust(wire.JSON, []byte(`{"n":1}`)), wire.Text(wire.JSON, "two"), wire.Trust(wire.JSON, []byte(`3`))}
	got, err := sh(t.Context(), x, "cat")
	if want := "first\n{\"n\":1}\ntwo\n3"; got != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestStdout(t *testing.T) {
	full := strings.Repeat("x", schema.MaxReplyBytes-len(`""`))
	for script, want := range map[string]any{
		`printf 'hi'`:                          "hi",
		`echo hi`:                              "hi",
		`printf 'hi\r\n'`:                      "hi",
		`printf 'hi\r'`:                        "hi\r",
		`printf 'a\nb\n\n'`:                    "a\nb\n",
		`true`:                                 "",
		`printf '\377\n'`:                      []byte("\xff\n"),
		`echo no >&2; echo yes`:                "yes",
		`printf '%s' "` + "é\"":                "é",
		`yes | head -c 262142 | tr 'y\n' 'xx'`: full,
		`yes | head -c 999999 | tr 'y\n' 'xx'`: "…" + full[len("…"):],
	} {
		got, err := sh(t.Context(), execution(), script)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%.200s", script, err, diff)
		}
	}
}

// An output too large for a result loses its beginning. Its size counts as JSON, in which a line
// end takes two bytes.
func TestOfTooMuchTheEndIsKept(t *testing.T) {
	for script, end := range map[string]string{
		`seq -f 'é%g' 1 60000`:                         "é59999\né60000",
		`yes '' | head -c 300000; echo end`:            "\nend",
		`seq 1 60000; echo no >&2; exit 4`:             "59999\n60000",
		`yes 'a"b' | head -n 60000; printf '\303\251'`: "a\"b\né",
	} {
		got, err := sh(t.Context(), execution(), script)
		text, _ := got.(string)
		size := len(wire.Text(wire.JSON, text).Raw())
		if !strings.HasPrefix(text, "…") || !strings.HasSuffix(text, end) || !utf8.ValidString(text) || size > schema.MaxReplyBytes || size < schema.MaxReplyBytes/5*4 {
			t.Errorf("%s: %d bytes, %d as JSON, %.20q to %q", script, len(text), size, text, text[max(0, len(text)-20):])
		}
		if failed := strings.Contains(script, "exit"); failed != (err != nil) || failed && err.Error() != "no (exit status 4)" {
			t.Errorf("%s: %v", script, err)
		}
	}
	if got, err := sh(t.Context(), execution(), `yes | head -c 500000 | tr 'y\n' '\377\376'`); err != nil || len(got.([]byte)) != (schema.MaxReplyBytes-2)/4*3 {
		t.Errorf("bytes: %T, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("0123456789", 2000)
	for script, want := range map[string]string{
		`exit 3`:                                 "/bin/sh: exit status 3",
		`echo out; echo '  so so  ' >&2; exit 1`: "so so (exit status 1)",
		`printf ` + long + ` >&2; exit 1`:        "…" + long[len(long)-4096:] + " (exit status 1)",
		`i=0; while [ $i -lt 2000 ]; do printf 0123456789 >&2; i=$((i+1)); done; exit 1`: "…" + long[len(long)-4096:] + " (exit status 1)",
		`printf '\377bad' >&2; exit 1`: "\uFFFDbad (exit status 1)",
		`kill -9 $$`:                   "/bin/sh: signal: killed",
	} {
		content, err := sh(t.Context(), execution(), script)
		var printed any
		if strings.HasPrefix(script, "echo out") {
			printed = "out"
		}
		if content != printed || err == nil || err.Error() != want {
			t.Errorf("%.80s: %v, %v", script, content, err)
		}
	}
	if _, err := process.Handler([]string{"/no/such/program"})(t.Context(), execution()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no program: %v", err)
	}
}

func TestStdin(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		x := execution(
			wire.Text(enc, "as it is"),
			wire.Text(enc, "two\nlines"),
			wire.Text(enc, ""),
			wire.Text(enc, `"quoted"`),
			value(t, enc, map[string]any{"a": []any{1, nil, true}}),
			value(t, enc, 1.5),
			wire.Binary(enc, []byte{1, 2}),
		)
		got, err := sh(t.Context(), x, "cat")
		want := "as it is\n\"two\\nlines\"\n\n\"quoted\"\n{\"a\":[1,null,true]}\n1.5\n"
		if enc == wire.JSON {
			want += "AQI=" // in JSON a text like any other
		} else {
			want += `"AQI="`
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v: %v (-want +got):\n%s", enc, err, diff)
		}
	}
	lines, err := wire.Scan([]byte("{\n \"a\":\r\n1}"), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sh(t.Context(), execution(lines), "wc -l | tr -d ' '"); got != "1" || err != nil {
		t.Errorf("a message that was sent over lines has %v, %v", got, err)
	}
	// A program need not read its input.
	many := make([]wire.Value, 10_000)
	for i := range many {
		many[i] = wire.Text(wire.JSON, "a message that nobody reads")
	}
	if got, err := sh(t.Context(), execution(many...), "echo done"); got != "done" || err != nil {
		t.Errorf("unread: %v, %v", got, err)
	}
}

func value(t *testing.T, enc wire.Encoding, v any) wire.Value {
	t.Helper()
	w, err := wire.ValueOf(enc, v)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestEnvironment(t *testing.T) {
	t.Setenv("PLAN_KEY", "from elsewhere")
	t.Setenv("OTHER", "stays")
	t.Setenv("EXECUTION_COMMAND", "from elsewhere")
	t.Setenv("STATIONMASTER_NATS_URL", "nats://worker:pw@127.0.0.1:4222")
	t.Setenv("STATIONMASTER_NATS_CREDS", "worker.creds")
	x := execution()
	x.Command = "nightly"
	x.MsgHeader = nats.Header{
		"Plan-Command": {schema.CommandProxy}, "Plan-Id": {"P1"}, "Plan-Start-By": {"2026-01-01T00:00:00Z"}, "Plan-Title": {"a\x00b"},
		"Plan-Odd=Name": {"x"}, "Content-Type": {"application/json"},
	}
	got, err := sh(t.Context(), x, `env | grep -e ^PLAN -e ^EXECUTION -e ^OTHER -e ^CONTENT -e ^STATIONMASTER | sort`)
	want := "EXECUTION_COMMAND=nightly\nOTHER=stays\nPLAN_COMMAND=proxy\nPLAN_ID=P1\nPLAN_START_BY=2026-01-01T00:00:00Z\nPLAN_TITLE=ab"
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestHandlerWantsAProgram(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	process.Handler(nil)
}
