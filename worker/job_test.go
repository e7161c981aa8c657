package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

type thumbArgs struct {
	Picture string `json:"picture"`
	Width   int    `json:"width"`
}

type thumb struct {
	Bytes int `json:"bytes"`
}

var thumbs = schema.Job[thumbArgs]{Station: "images", Command: "thumb"}

func TestHandleJob(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		ran := 0
		worker.HandleJob(w, thumbs, func(ctx context.Context, args thumbArgs) (*thumb, error) {
			ran++
			if args.Picture != worker.ExecutionFrom(ctx).Key {
				return &thumb{}, worker.RetryAfter(1e9, errors.New("another picture"))
			}
			return &thumb{Bytes: 10 * args.Width}, nil
		}, worker.Retries(2, 0))
		start(t, w)
		for _, tt := range []struct {
			name     string
			messages []any
			ran      int
			want     string // that the reply begins with
		}{
			{"arguments that fit", []any{map[string]any{"picture": "K", "width": 7, "more": true}}, 1,
				`"state":"ok","content":{"bytes":70}`},
			{"an error sends no content", []any{map[string]any{"width": 7}}, 1,
				`"state":"error","error":"another picture","worker_id":`},
			{"a field that does not fit", []any{map[string]any{"picture": "K", "width": "wide"}}, 0,
				`"state":"error","error":"arguments of images/thumb: invalid_plan: messages.width: `},
			{"two fields that do not fit", []any{map[string]any{"picture": 1, "width": "wide"}}, 0,
				`"state":"error","error":"arguments of images/thumb: invalid_plan: messages.picture: `},
			{"arguments that are no map", []any{"cat.png"}, 0,
				`"state":"error","error":"arguments of images/thumb: invalid_plan: messages: `},
			{"no message", nil, 0, `"state":"error","error":"arguments of images/thumb: invalid_plan: messages: takes one message, not 0"`},
		} {
			ran = 0
			d := s.execution("images", tt.messages...)
			d.exec.Command, d.exec.Key = "thumb", "K"
			s.send(d)
			r := s.next()
			text := string(r.msg.Data)
			final := r.Retry != nil && !*r.Retry
			if !strings.HasPrefix(text, "{"+tt.want) || ran != tt.ran || final != strings.Contains(text, "arguments of") {
				t.Errorf("%s: %s after %d runs, want %s after %d", tt.name, text, ran, tt.want, tt.ran)
			}
			if strings.HasPrefix(tt.name, "two") && !strings.Contains(text, "messages.width: ") {
				t.Errorf("%s: only one is named: %s", tt.name, text)
			}
		}
	})
}

// A function for arguments of another type is refused by the compiler.
func TestAJobOfAnotherTypeDoesNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	source, err := os.ReadFile("testdata/wrongjob.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "wrongjob.go")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := exec.CommandContext(t.Context(), "go", "build", file).CombinedOutput()
	if err == nil {
		t.Fatal("it compiles")
	}
	for i, line := range bytes.Split(source, []byte("\n")) {
		wrong := bytes.HasSuffix(line, []byte("// wrong"))
		if refused := bytes.Contains(report, fmt.Appendf(nil, "wrongjob.go:%d:", i+1)); refused != wrong {
			t.Errorf("line %d, refused %t, want %t:\n%s", i+1, refused, wrong, report)
		}
	}
}

func TestHandleJobPanicsOnMistakes(t *testing.T) {
	nothing := func(context.Context, thumbArgs) (any, error) { return nil, nil }
	for name, mistake := range map[string]func(w *worker.Worker){
		"no station":  func(w *worker.Worker) { worker.HandleJob(w, schema.Job[thumbArgs]{Command: "thumb"}, nothing) },
		"no command":  func(w *worker.Worker) { worker.HandleJob(w, schema.Job[thumbArgs]{Station: "images"}, nothing) },
		"no function": func(w *worker.Worker) { worker.HandleJob[thumbArgs, any](w, thumbs, nil) },
		"a second":    func(w *worker.Worker) { worker.HandleJob(w, thumbs, nothing); worker.HandleJob(w, thumbs, nothing) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t, nil, worker.Options{})
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "worker: ") {
					t.Errorf("panic %q", text)
				}
			}()
			mistake(w)
		})
	}
}
