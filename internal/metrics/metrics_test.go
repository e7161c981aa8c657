package metrics_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

// busy is a set of a node that leads a partition and has done something of every kind.
func busy() *metrics.Set {
	s := metrics.New("1.2.3")
	s.Watch(func() bool { return true }, func() []metrics.Standing {
		return []metrics.Standing{{Partition: 0, Leads: true, Epoch: 7, Plans: 3}, {Partition: 1}}
	})
	s.Partition(0).Published(time.Millisecond)
	s.Endpoint("plans", "create").OK(time.Millisecond)
	s.API.Answered(http.MethodGet, "/api/v1/tasks/{id}", 200, false, time.Millisecond)
	return s
}

func page(t *testing.T, s *metrics.Set) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func families(t *testing.T, s *metrics.Set) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	found, err := parser.TextToMetricFamilies(strings.NewReader(page(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ours are the names of the metrics that are not the Go runtime's or the process's.
func ours(t *testing.T, s *metrics.Set) []string {
	t.Helper()
	names := slices.Sorted(maps.Keys(families(t, s)))
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, "stationmaster_") })
}

func TestThePageListsAllMetrics(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(stationmaster_[a-z_]+)` \\| (.*?) \\|").FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, m[1])
		var labels []string
		for _, l := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(m[2], -1) {
			labels = append(labels, l[1])
		}
		family := families(t, busy())[m[1]]
		if family == nil {
			continue // the comparison below reports it
		}
		var has []string
		for _, l := range family.GetMetric()[0].GetLabel() {
			has = append(has, l.GetName())
		}
		slices.Sort(labels)
		slices.Sort(has)
		if diff := cmp.Diff(has, labels); diff != "" {
			t.Errorf("the labels of %s (- there are, + the page has):\n%s", m[1], diff)
		}
	}
	slices.Sort(listed)
	if diff := cmp.Diff(ours(t, busy()), listed); diff != "" {
		t.Errorf("metrics (- there are, + the page has):\n%s", diff)
	}
}

func TestNamesFollowTheConventions(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(page(t, busy()))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// An alert on a metric that does not exist never comes.
func TestAlertsAreAboutWhatThereIs(t *testing.T) {
	file, err := os.ReadFile("../../deploy/prometheus-rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(file, &rules); err != nil {
		t.Fatal(err)
	}
	help, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	there := families(t, busy())
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if !strings.Contains(string(help), "| `"+r.Alert+"` |") {
				t.Errorf("docs/metrics.md lacks the remedy for %s", r.Alert)
			}
			named := regexp.MustCompile(`stationmaster_\w+`).FindAllString(r.Expr, -1)
			if len(named) == 0 {
				t.Errorf("%s asks for nothing: %s", r.Alert, r.Expr)
			}
			for _, n := range named {
				if there[strings.TrimSuffix(n, "_bucket")] == nil {
					t.Errorf("%s asks for %s, which does not exist", r.Alert, n)
				}
			}
			for _, m := range regexp.MustCompile(`(\w+)=~?"([^"]+)"`).FindAllStringSubmatch(r.Expr, -1) {
				for word := range strings.SplitSeq(m[2], "|") {
					if !strings.Contains(page(t, busy()), m[1]+`="`+word+`"`) {
						t.Errorf("%s asks for %s %q, which nothing has", r.Alert, m[1], word)
					}
				}
			}
		}
	}
	if len(rules.Groups) == 0 || len(rules.Groups[0].Rules) < 5 {
		t.Errorf("%d groups of rules", len(rules.Groups))
	}
}

// A kind that the list lacks would never be counted.
func TestEveryKindOfEventIsListed(t *testing.T) {
	source, err := os.ReadFile("../../schema/execution.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared []schema.NoticeKind
	for _, m := range regexp.MustCompile(`(?m)^\tNotice\w+ +NoticeKind += "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		declared = append(declared, schema.NoticeKind(m[1]))
	}
	if diff := cmp.Diff(declared, schema.NoticeKinds); diff != "" {
		t.Errorf("kinds (- there are, + are listed):\n%s", diff)
	}
}

// The number of series is bounded, independently of requests.
func TestNoTextOfAUserBecomesALabel(t *testing.T) {
	s := busy()
	before := strings.Count(page(t, s), "\nstationmaster_")
	p := s.Partition(0)
	for _, word := range []string{"a", "b", "c", "d"} {
		s.API.Answered("METHOD-"+word, "", 405, false, 0)
		p.Result(schema.State(word), schema.Reason(word), 1, 0)
		p.Event(schema.NoticeKind(word))
		s.HTTPCalls.Ended(word, schema.HTTPOK, 0)
	}
	text := page(t, s)
	if strings.Contains(text, "METHOD") {
		t.Error("a made-up method has a series")
	}
	// One more counter, and one more histogram, of the method other.
	if after := strings.Count(text, "\nstationmaster_"); after-before > 20 {
		t.Errorf("%d series have become %d", before, after)
	}
}

func TestOnlyTheLeaderReportsAPartition(t *testing.T) {
	found := families(t, busy())
	if n := len(found["stationmaster_plans"].GetMetric()); n != 1 {
		t.Errorf("%d nodes hold the plans", n)
	}
	leading := map[string]float64{}
	for _, m := range found["stationmaster_leading"].GetMetric() {
		leading[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
	}
	if diff := cmp.Diff(map[string]float64{"0": 1, "1": 0}, leading); diff != "" {
		t.Error(diff)
	}
}

// An occurrence that waited by its policy is not late.
func TestAnOccurrenceThatHadToWaitIsNotLate(t *testing.T) {
	s := metrics.New("")
	p := s.Partition(0)
	p.Published(-1)
	p.Published(3 * time.Second)
	h := families(t, s)["stationmaster_dispatch_lateness_seconds"].GetMetric()[0].GetHistogram()
	if h.GetSampleCount() != 1 || h.GetSampleSum() != 3 {
		t.Errorf("%d, %v seconds", h.GetSampleCount(), h.GetSampleSum())
	}
}
