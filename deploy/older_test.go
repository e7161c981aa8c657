package deploy_test

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
)

// With the configuration of a release that stored results on their public subjects, and
// gave no right to do otherwise, everything goes on as it did then, and one line of the log
// names the missing rights.
func TestTheFileOfAnOlderReleaseIsGoodEnough(t *testing.T) {
	const publish, change = "scheduler.result.>", "$JS.API.STREAM.UPDATE.PLAN_RESULTS"
	for name, c := range map[string]struct {
		lacks  []string
		exists bool // the stream of results, as that release made it
	}{
		"a new installation":            {[]string{publish, change}, false},
		"one that exists":               {[]string{publish, change}, true},
		"one that may not be changed":   {[]string{change}, true},
		"one that could not be written": {[]string{publish}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := startEdited(t, "", func(text string) string {
				for _, right := range c.lacks {
					if !strings.Contains(text, ` "`+right+`"`) {
						t.Fatalf("the file does not give %s", right)
					}
					text = strings.Replace(text, ` "`+right+`"`, "", 1)
				}
				return text
			})
			if c.exists {
				if _, err := broker.Provision(t.Context(), s.connect(scheduler).Conn, broker.Config{ResultsForm: broker.ResultsPublic}); err != nil {
					t.Fatal(err)
				}
			}
			warnings := s.scheduleOlder(t)
			s.plainWorker(t)
			runs, err := s.client(observer).Runs().List(t.Context(), schema.ListRuns{Station: "mail", PlanID: "post"})
			if err != nil || len(runs.Runs) != 1 {
				t.Errorf("the runs are %+v, %v", runs, err)
			}
			if warning := warnings.await(t, "the stream of results"); !strings.Contains(warning, publish) || !strings.Contains(warning, change) || !strings.Contains(warning, "form=public") {
				t.Errorf("the warning is %q", warning)
			}
		})
	}
}

// scheduleOlder runs a scheduler that may lack a right, and returns its log.
func (s *site) scheduleOlder(t *testing.T) *lines {
	t.Helper()
	log := &lines{added: make(chan struct{}, 1)}
	c := node.Default()
	c.NATS, c.HTTPListen = s.external(scheduler), ""
	c.Log = slog.New(slog.NewTextHandler(io.MultiWriter(log, t.Output()), &slog.HandlerOptions{Level: slog.LevelWarn}))
	s.run(c)
	return log
}

// lines are those of a log.
type lines struct {
	mu    sync.Mutex
	text  bytes.Buffer
	added chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.added <- struct{}{}:
	default:
	}
	return l.text.Write(p)
}

// await returns the line that contains part.
func (l *lines) await(t *testing.T, part string) string {
	t.Helper()
	late := time.After(patience)
	for {
		l.mu.Lock()
		for line := range strings.Lines(l.text.String()) {
			if strings.Contains(line, part) {
				l.mu.Unlock()
				return line
			}
		}
		l.mu.Unlock()
		select {
		case <-l.added:
		case <-late:
			t.Fatalf("no line of the log has %q", part)
		}
	}
}
