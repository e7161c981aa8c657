package gateway_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
	"github.com/stationmaster-io/stationmaster/schema"
)

var flood = flag.Duration("flood", 2*time.Second, "how long a reader of summaries gets 10,000 results a second")

// counted is the sum of summaries.
type counted struct {
	Results, Skips, Events map[string]int64
	Stations               []struct {
		Station string
		Results map[string]int64
	}
	Items   []map[string]any
	LeftOut int64 `json:"left_out"`
	Time    time.Time
}

// add adds the next summary, and returns its items.
func (c *counted) add(w *watch) []map[string]any {
	w.t.Helper()
	e := w.next()
	if e.event != "summary" || e.id != "" {
		w.t.Fatalf("%+v", e)
	}
	var one counted
	text, err := json.Marshal(e.data)
	if err == nil {
		err = json.Unmarshal(text, &one)
	}
	if err != nil || one.Time.IsZero() {
		w.t.Fatalf("%s: %v", text, err)
	}
	if c.Results == nil {
		c.Results, c.Skips, c.Events = map[string]int64{}, map[string]int64{}, map[string]int64{}
	}
	for _, m := range [][2]map[string]int64{{c.Results, one.Results}, {c.Skips, one.Skips}, {c.Events, one.Events}} {
		for word, n := range m[1] {
			m[0][word] += n
		}
	}
	c.Items, c.LeftOut, c.Stations = append(c.Items, one.Items...), c.LeftOut+one.LeftOut, append(c.Stations, one.Stations...)
	return one.Items
}

func sum(of map[string]int64) (n int64) {
	for _, one := range of {
		n += one
	}
	return n
}

// Summaries show or leave out each result and event, with results and skips under load.
func TestSummariesAddUp(t *testing.T) {
	s := newSite(t, nil)
	s.pub("hello")
	results, err := s.client.Results().Follow("")
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.client.Events().Follow("")
	if err != nil {
		t.Fatal(err)
	}
	w := s.watch("?summary=1s&sample=7", "")
	const plans, runs, skips = 10, 100, 50
	for i := range plans {
		s.run("hello", fmt.Sprint("p", i), runs)
	}
	// An execution that waits for a claim is not sent again and again, which would happen meanwhile.
	if _, err := s.client.Stations().Put(t.Context(), schema.Station{Station: "nobody", Kind: schema.KindPull}); err != nil {
		t.Fatal(err)
	}
	s.do(http.MethodPost, "/api/v1/plans", map[string]any{
		"station": "nobody", "plan_id": "waits", "command": "c", "start_timeout": 0, "overlap": "skip", "plan_type": "cron", "cron": "0 0 1 1 *",
	}).want(http.StatusCreated)
	for range skips + 1 {
		s.do(http.MethodPost, "/api/v1/plans/nobody/waits/trigger", map[string]any{}).want(http.StatusAccepted)
	}
	// Another subscription hears the same.
	want := counted{Results: map[string]int64{}, Events: map[string]int64{}}
	for r, err := range results.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		want.Results[string(r.State)]++
		if sum(want.Results) == plans*runs+skips {
			break
		}
	}
	for e, err := range events.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		want.Events[string(e.Kind)]++
		if want.Events["closed"] == plans && want.Events["skipped"] == skips {
			break
		}
	}
	if want.Results["ok"] != plans*runs || want.Results["skipped"] != skips {
		t.Fatalf("the load was %v", want.Results)
	}
	var got counted
	for sum(got.Results) < sum(want.Results) || sum(got.Events) < sum(want.Events) {
		if n := len(got.add(w)); n > 7 {
			t.Errorf("%d items of a sample of 7", n)
		}
	}
	if diff := cmp.Diff(want.Results, got.Results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Events, got.Events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"overlap": skips}, got.Skips); diff != "" {
		t.Errorf("skips (-want +got):\n%s", diff)
	}
	if happened := sum(want.Results) + sum(want.Events); int64(len(got.Items))+got.LeftOut != happened || got.LeftOut == 0 {
		t.Errorf("%d items and %d left out; %d happened", len(got.Items), got.LeftOut, happened)
	}
	by := map[string]int64{}
	for _, one := range got.Stations {
		by[one.Station] += sum(one.Results)
	}
	if diff := cmp.Diff(map[string]int64{"hello": plans * runs, "nobody": skips}, by); diff != "" {
		t.Errorf("stations (-want +got):\n%s", diff)
	}
}

// A reader of one station's summaries costs nothing for other stations.
func TestSummariesOfAStationFollowItsSubjectAlone(t *testing.T) {
	s := newSite(t, nil)
	nc := connect(t, s.node)
	asking, err := client.New(nc, client.Options{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	s.serve(func(c *gateway.Config) { c.Client = asking })
	s.pub("eu.a")
	s.pub("us.b")
	w := s.watch("?summary=1s&station=eu.a&kind=result", "")
	below := s.watch("?summary=1s&station=eu.>&kind=result", "")
	const runs = 50
	s.run("us.b", "x", runs)
	s.run("eu.a", "y", runs)
	for _, w := range []*watch{w, below} {
		var got counted
		for sum(got.Results) < runs {
			got.add(w)
		}
		for _, item := range got.Items {
			if item["station"] != "eu.a" || item["plan_id"] != "y" {
				t.Errorf("%v", item)
			}
		}
		if sum(got.Results) != runs || len(got.Events) > 0 {
			t.Errorf("%+v", got)
		}
	}
	// Two readers: a result and its event each, and some more for the plan itself.
	if n := nc.Stats().InMsgs; n > 2*2*runs+50 {
		t.Errorf("the gateway received %d messages for %d results of the station", n, runs)
	}
}

// A reader that gets 10,000 results a second stays, and hears of each.
func TestAReaderOfSummariesIsNotDropped(t *testing.T) {
	s := newSite(t, nil)
	w := s.watch("?summary=1s", "")
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	began, n := time.Now(), int64(0)
	for took := time.Duration(0); took < *flood; took = time.Since(began) {
		<-pace.C
		for ; n < int64(10_000*time.Since(began).Seconds()); n++ {
			state, reason := "ok", ""
			if n%3 == 0 {
				state, reason = "skipped", `,"reason":"overlap","count":2`
			}
			data := fmt.Sprintf(`{"station":"mail","plan_id":"p%d","occurrence":1,"attempt":1,"n":%d,"state":%q%s}`, n%1000, n, state, reason)
			if err := s.nats.Publish(fmt.Sprintf("plan.result.mail.p%d", n%1000), []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got counted
	for sum(got.Results) < n {
		got.add(w)
	}
	if sum(got.Results) != n || int64(len(got.Items))+got.LeftOut != n || got.Skips["overlap"] != 2*got.Results["skipped"] {
		t.Errorf("%v, %v, %d items and %d left out of %d results", got.Results, got.Skips, len(got.Items), got.LeftOut, n)
	}
	t.Logf("%d results in %v", n, time.Since(began))
}

func TestSummariesComeAlsoWhenNothingHappens(t *testing.T) {
	s := newSite(t, nil)
	w := s.watch("?summary=1s", "")
	var got counted
	for range 2 {
		got.add(w)
	}
	if len(got.Items) > 0 || got.LeftOut != 0 || sum(got.Results)+sum(got.Events) != 0 {
		t.Errorf("%+v", got)
	}
	for query, field := range map[string]string{
		"?summary=2s": "summary", "?summary=": "summary", "?sample=5": "sample", "?summary=1s&sample=101": "sample", "?summary=1s&sample=-1": "sample",
		"?summary=1s&sample=x": "sample", "?summary=1s&kind=nope": "kind",
	} {
		if fields := s.do(http.MethodGet, "/api/v1/events"+query, nil).want(http.StatusBadRequest).fields(); len(fields) != 1 || fields[0] != field {
			t.Errorf("%s: %v", query, fields)
		}
	}
	if err := s.gateway.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for e := w.next(); ; e = w.next() {
		if e.event == "bye" && strings.Contains(e.data["reason"].(string), "stopped") {
			break
		}
	}
	s.do(http.MethodGet, "/api/v1/events?summary=1s", nil).want(http.StatusServiceUnavailable)
}

// Items that are too large together are left out, and counted.
func TestASummaryIsBounded(t *testing.T) {
	s := newSite(t, nil)
	w := s.watch("?summary=1s", "")
	const n = 5
	for i := range n {
		data := fmt.Sprintf(`{"station":"mail","plan_id":"p%d","occurrence":1,"attempt":1,"n":%d,"state":"ok","content":%q}`, i, i, strings.Repeat("x", 100_000))
		if err := s.nats.Publish("plan.result.mail.p", []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	var got counted
	for sum(got.Results) < n {
		for size, items := 0, got.add(w); len(items) > 0; items = items[1:] {
			if size += len(items[0]["content"].(string)); size > 256_000 {
				t.Errorf("the items of a summary have %d bytes", size)
			}
		}
	}
	if int64(len(got.Items))+got.LeftOut != n {
		t.Errorf("%d items and %d left out of %d", len(got.Items), got.LeftOut, n)
	}
}
