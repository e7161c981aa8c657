//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

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

func TestStdout(t *testing.T) {
	full := strings.Repeat("x", schema.MaxReplyBytes)
	for script, want := range map[string]any{
		`printf 'hi'`:           "hi",
		`echo hi`:               "hi",
		`printf 'hi\r\n'`:       "hi",
		`printf 'hi\r'`:         "hi\r",
		`printf 'a\nb\n\n'`:     "a\nb\n",
		`true`:                  "",
		`printf '\377\n'`:       []byte("\xff\n"),
		`echo no >&2; echo yes`: "yes",
		`printf '%s' "` + "é\"": "é",
		`head -c 262144 | tr -d '' < /dev/null; yes | head -c 262144 | tr 'y\n' 'xx'`: full,
	} {
		got, err := sh(t.Context(), execution(), script)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%.200s", script, err, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("0123456789", 2000)
	for script, want := range map[string]string{
		`exit 3`:                                 "/bin/sh: exit status 3",
		`echo out; echo '  so so  ' >&2; exit 1`: "so so",
		`printf ` + long + ` >&2; exit 1`:        "…" + long[len(long)-4096:],
		`i=0; while [ $i -lt 2000 ]; do printf 0123456789 >&2; i=$((i+1)); done; exit 1`: "…" + long[len(long)-4096:],
		`printf '\377bad' >&2; exit 1`: "\uFFFDbad",
		`kill -9 $$`:                   "/bin/sh: signal: killed",
		`yes | head -c 262145`:         "/bin/sh was stopped: it printed more than 262144 bytes, which is all that a result can hold: too large",
		`yes`:                          "/bin/sh was stopped: it printed more than 262144 bytes, which is all that a result can hold: too large",
	} {
		content, err := sh(t.Context(), execution(), script)
		if content != nil || err == nil || err.Error() != want {
			t.Errorf("%.80s: %v, %v", script, content, err)
		}
		if errors.Is(err, worker.ErrTooLarge) != strings.HasSuffix(want, "too large") {
			t.Errorf("%.80s: it is too large: %v", script, err)
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
	// A program need not read what it gets.
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
	x := execution()
	x.Header = nats.Header{
		"Plan-Id": {"P1"}, "Plan-Start-By": {"2026-01-01T00:00:00Z"}, "Plan-Title": {"a\x00b"},
		"Plan-Odd=Name": {"x"}, "Content-Type": {"application/json"},
	}
	got, err := sh(t.Context(), x, `env | grep -e ^PLAN -e ^OTHER -e ^CONTENT | sort`)
	want := "OTHER=stays\nPLAN_ID=P1\nPLAN_START_BY=2026-01-01T00:00:00Z\nPLAN_TITLE=ab"
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
