package node_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// figures are the metrics of a node.
type figures map[string]*dto.MetricFamily

func metricsOf(t *testing.T, n *node.Node) figures {
	t.Helper()
	code, page := status(t, "http://"+n.HTTPAddr()+"/metrics")
	if code != http.StatusOK {
		t.Fatalf("%d: %s", code, page)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	found, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// of returns the value of a counter or gauge with these labels, or the count of a
// histogram.
func (f figures) of(name string, labels ...string) float64 {
	for _, m := range f["stationmaster_"+name].GetMetric() {
		has := map[string]string{}
		for _, l := range m.GetLabel() {
			has[l.GetName()] = l.GetValue()
		}
		want := map[string]string{}
		for i := 0; i < len(labels); i += 2 {
			want[labels[i]] = labels[i+1]
		}
		if maps.Equal(has, want) {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return -1
}

// A figure is the wanted value of a metric.
type figure struct {
	name   string
	want   float64
	labels []string
}

// differ returns the figures with other values.
func (f figures) differ(wanted []figure) (wrong []string) {
	for _, c := range wanted {
		if got := f.of(c.name, c.labels...); got != c.want {
			wrong = append(wrong, fmt.Sprintf("%s%v is %v, not %v", c.name, c.labels, got, c.want))
		}
	}
	return wrong
}

// replyCount counts the replies of workers.
type replyCount struct {
	mu         sync.Mutex
	all, final int
}

func countReplies(t *testing.T, s *site) *replyCount {
	t.Helper()
	h, space := new(replyCount), schema.Space{}
	note := func(r schema.Reply) {
		h.all++
		if r.State != schema.StateRunning {
			h.final++
		}
	}
	if _, err := s.nc.Subscribe(space.AllReplies(), func(m *nats.Msg) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if first, several := schema.Unjoined(m.Subject); several {
			all, _ := space.ParseJoined(first, m.Data)
			for _, j := range all {
				note(j.Reply)
			}
			return
		}
		var r schema.Reply
		if err := wire.Decode(wire.Trust(wire.Detect(m.Data), m.Data), &r); err != nil {
			t.Errorf("reply %q: %v", m.Data, err)
		}
		note(r)
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *replyCount) count() (all, final float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return float64(h.all), float64(h.final)
}

// The metrics agree with the executions, replies and requests of a run.
func TestMetricsAgreeWithWhatWasDone(t *testing.T) {
	target := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	s := open(t, local(t))
	defer http.DefaultClient.CloseIdleConnections()
	replies := countReplies(t, s)
	const well, badly = 7, 3
	for i := range well {
		s.create(t, fmt.Sprintf("yes-%d", i), `{"target_url":"`+target.URL+`/yes"}`)
	}
	for i := range badly {
		s.create(t, fmt.Sprintf("no-%d", i), `{"target_url":"`+target.URL+`/no"}`)
	}
	for range well + badly {
		s.result(t)
	}
	rest(t, s.Node, http.MethodGet, "/api/v1/plans/http/none", "", 404)
	rest(t, s.Node, http.MethodPost, "/api/v1/nowhere", "", 404)

	// A worker that gets no acknowledgement of its reply for a second sends it again, and
	// one with a long call sends progress; so the replies are counted on the wire.
	wanted := func() []figure {
		all, final := replies.count()
		return []figure{
			{"ready", 1, nil},
			{"leading", 1, []string{"partition", "0"}},
			{"takeovers_total", 1, []string{"partition", "0"}},
			{"takeover_duration_seconds", 1, nil},
			{"executions_total", well + badly, []string{"partition", "0", "by", "publish"}},
			{"dispatch_lateness_seconds", well + badly, nil},
			{"execution_duration_seconds", well + badly, nil},
			{"results_total", well, []string{"partition", "0", "state", "ok"}},
			{"results_total", badly, []string{"partition", "0", "state", "error"}},
			{"events_total", well + badly, []string{"partition", "0", "kind", "created"}},
			{"replies_total", all, []string{"partition", "0"}},
			{"replies_ignored_total", final - well - badly, []string{"partition", "0", "reason", "late"}},
			{"executions_under_way", 0, []string{"partition", "0"}},
			{"overdue_seconds", 0, []string{"partition", "0"}},
			{"plans", badly, []string{"partition", "0"}}, // the plans that succeeded have closed
			{"requests_total", well + badly, []string{"service", "plans", "verb", "create", "outcome", "ok"}},
			{"request_duration_seconds", well + badly, []string{"service", "plans", "verb", "create"}},
			{"requests_total", 1, []string{"service", "plans", "verb", "get", "outcome", "not_found"}},
			{"api_requests_total", 1, []string{"method", "GET", "route", "/api/v1/plans/{station}/{plan_id}", "code", "404"}},
			{"api_requests_total", 1, []string{"method", "POST", "route", "none", "code", "404"}},
			{"http_calls_total", well, []string{"kind", "plan", "class", "ok"}},
			{"http_calls_total", badly, []string{"kind", "plan", "class", "status"}},
			{"http_call_duration_seconds", well + badly, nil},
		}
	}
	// A gauge that goes down is counted a moment later.
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	f, wrong := metricsOf(t, s.Node), []string(nil)
	for deadline := time.Now().Add(patience); ; f = metricsOf(t, s.Node) {
		wrong = f.differ(wanted())
		appends, last := f.of("journal_appends_total", "partition", "0"), f.of("journal_last_sequence", "partition", "0")
		if appends < 2 || last < appends || f.of("journal_append_duration_seconds") != appends || f.of("journal_append_bytes_total", "partition", "0") < 10*100 {
			wrong = append(wrong, fmt.Sprintf("%v appends, the last of them %v", appends, last))
		}
		if len(wrong) == 0 || time.Now().After(deadline) {
			break
		}
		<-tick.C
	}
	for _, w := range wrong {
		t.Error(w)
	}
	if f.of("epoch", "partition", "0") < 1 || f["go_goroutines"] == nil || f["process_start_time_seconds"] == nil {
		t.Error("the epoch, or the process, is missing")
	}
}

// A monitoring system has no token, and reads the metrics all the same.
func TestMetricsAskForNoToken(t *testing.T) {
	c := config(t)
	c.HTTPTokenFile = filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(c.HTTPTokenFile, []byte("a-token-that-looks reader\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := start(t, c)
	if got := metricsOf(t, n).of("ready"); got != 1 {
		t.Errorf("ready is %v", got)
	}
	if code, _ := status(t, "http://"+n.HTTPAddr()+"/api/v1/plans"); code != http.StatusUnauthorized {
		t.Errorf("REST answers %d without a token", code)
	}
}
