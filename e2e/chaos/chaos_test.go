//go:build linux

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestFaults causes faults under load, and has the checker look at the history.
func TestFaults(t *testing.T) {
	for _, s := range setups {
		if *setupList != "" && !slices.Contains(strings.Split(*setupList, ","), s.name) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			list := tricks(*faultList)
			if len(list) == 0 {
				t.Fatalf("-faults %s: none of them is known", *faultList)
			}
			storm(t, s, list)
		})
	}
}

// TestClocksAreSet causes only faults of clocks, each of a leader's or a follower's.
func TestClocksAreSet(t *testing.T) {
	t.Parallel()
	storm(t, setup{name: "clocks", hosts: 1, nodes: 2, partitions: 1}, tricks("clock"))
}

func storm(t *testing.T, s setup, list []trick) {
	chosen := *seed
	if chosen == 0 {
		chosen = rand.Uint64() >> 1
	}
	lasts, count := *length, *plans
	if lasts == 0 {
		lasts = short
	}
	if count == 0 {
		count = longPlans
		if *length == 0 {
			count = shortPlans
		}
	}
	s.timed = slices.ContainsFunc(list, func(t trick) bool { return t.name == "clock" })
	in := build(t, s)
	if !slices.ContainsFunc(list, func(t trick) bool { return t.of(in) }) {
		t.Skip("nothing of this can be done here")
	}
	t.Logf("%s; -seed %d", in, chosen)
	h := newHistory()
	workers := &workers{in: in, hist: h, seed: chosen}
	for range 4 {
		workers.hire()
	}
	observe(in, h)
	began := time.Now()
	loading, stop := context.WithCancel(t.Context())
	defer stop()
	load := publish(loading, in, h, count, chosen)
	doze(loading, in)

	n := &nemesis{in: in, hist: h, workers: workers, chance: rand.New(rand.NewPCG(chosen, 1))}
	// An interrupt ends the faults early; the history is checked all the same.
	storming, calm := signal.NotifyContext(t.Context(), os.Interrupt)
	defer calm()
	if *killsOnly == 0 {
		storming, calm = context.WithTimeout(storming, lasts)
		defer calm()
	}
	n.run(storming, list, *killsOnly)
	n.calm()
	took := time.Since(began)

	stop()
	load.slots.Wait()
	in.dozing.Wait()
	left := load.finish()
	workers.busy.Wait()
	stored := readResults(t, in)
	v := check(h, stored, left)
	report(t, s, chosen, took, h, v)
	for i, violation := range v.Violations {
		if i == 40 {
			t.Errorf("and %d more", len(v.Violations)-i)
			break
		}
		t.Error(violation)
	}
	in.nothingIsReportedLost()
	for _, node := range in.nodes {
		if panics := node.log.grep(0, "panic:"); len(panics) > 0 {
			t.Errorf("%s: %s", node.name, panics[0])
		}
	}
}

// nothingIsReportedLost fails if a leader has reported damage, because these faults destroy
// nothing that was stored, and workers that outlive leaders know no epoch that is not
// stored.
func (in *installation) nothingIsReportedLost() {
	in.t.Helper()
	leaders, err := in.jetStream("damage").KeyValue(in.t.Context(), "leaders")
	if err != nil {
		in.t.Fatal(err)
	}
	keys, err := leaders.ListKeysFiltered(in.t.Context(), "damage.>")
	if err != nil {
		in.t.Fatal(err)
	}
	for key := range keys.Keys() {
		row, err := leaders.Get(in.t.Context(), key)
		if err != nil {
			in.t.Fatal(err)
		}
		in.t.Errorf("%s is reported: %s", key, row.Value())
	}
}

// finish closes the plans without an end of their own, waits for the rest to end and for
// their results to be stored, and returns the plans that are left all the same.
func (p *publisher) finish() map[string]bool {
	for until := time.Now().Add(2 * patience); ; {
		left, listed := p.list()
		if listed && len(left) == 0 || time.Now().After(until) {
			p.awaitResults()
			return left
		}
		for id := range left {
			if plan := p.hist.plans[id]; plan != nil && plan.Changes && plan.created != refused {
				p.ask(0, "resume", plan, body{"station": plan.Station, "plan_id": id}, 0)
				p.ask(0, "close", plan, body{"station": plan.Station, "plan_id": id}, 0)
			}
		}
		rest(context.Background(), 300*time.Millisecond)
	}
}

// awaitResults waits until all decided results are stored, some moments after the last plan
// has ended, because a list of history is answered after all earlier decisions of every
// partition.
func (p *publisher) awaitResults() {
	for until := time.Now().Add(patience); ; {
		msg, err := p.nc[0].Request("tasks.list", []byte(`{"history":true,"limit":1}`), askWithin)
		if err == nil && msg.Header.Get("Nats-Service-Error") == "" {
			return
		}
		if time.Now().After(until) {
			p.in.stuck("the results are not stored: %v", err)
		}
		rest(context.Background(), 300*time.Millisecond)
	}
}

// list names the plans that exist.
func (p *publisher) list() (left map[string]bool, ok bool) {
	left = map[string]bool{}
	for cursor := ""; ; {
		request, _ := json.Marshal(body{"limit": 1000, "cursor": cursor}) // of text
		msg, err := p.nc[0].Request("plans.list", request, askWithin)
		if err != nil || msg.Header.Get("Nats-Service-Error") != "" {
			return left, false
		}
		var page struct {
			Plans []struct {
				Plan struct {
					PlanID string `json:"plan_id"`
				} `json:"plan"`
			} `json:"plans"`
			Next string `json:"next"`
		}
		if err := json.Unmarshal(msg.Data, &page); err != nil {
			p.in.t.Errorf("plans.list: %v", err)
			return left, false
		}
		for _, one := range page.Plans {
			left[one.Plan.PlanID] = true
		}
		if cursor = page.Next; cursor == "" {
			return left, true
		}
	}
}

// readResults reads the whole stream.
func readResults(t *testing.T, in *installation) []*result {
	t.Helper()
	var all []*result
	stream, err := in.jetStream("reader").Stream(t.Context(), "PLAN_RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := stream.OrderedConsumer(t.Context(), jetstream.OrderedConsumerConfig{FilterSubjects: []string{"plan.result.>"}})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := consumer.Messages()
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Stop()
	last := uint64(0)
	for left := uint64(1); left > 0; {
		m, err := messages.Next(jetstream.NextMaxWait(patience))
		if err != nil {
			t.Fatalf("read the results: %v", err)
		}
		meta, err := m.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		left = meta.NumPending
		for last++; last < meta.Sequence.Stream; last++ {
			passedOver(t, stream, last)
		}
		r := &result{body: string(m.Data()), stored: meta.Timestamp}
		if err := json.Unmarshal(m.Data(), r); err != nil {
			t.Errorf("%s: %q: %v", m.Subject(), m.Data(), err)
			continue
		}
		all = append(all, r)
	}
	return all
}

// passedOver tells of a message that a consumer of results left out: there is none of that number,
// it has another subject, or nats-server has the result and does not send it.
func passedOver(t *testing.T, stream jetstream.Stream, seq uint64) {
	t.Helper()
	m, err := stream.GetMsg(t.Context(), seq)
	if err != nil {
		t.Logf("PLAN_RESULTS: no message %d: %v", seq, err)
	} else if strings.HasPrefix(m.Subject, "plan.result.") {
		t.Errorf("PLAN_RESULTS: message %d, %s of %v, is stored, and no consumer of plan.result.> receives it", seq, m.Subject, m.Time)
	}
}

// report prints the figures.
func report(t *testing.T, s setup, chosen uint64, took time.Duration, h *history, v *verdict) {
	byKind := map[string][]time.Duration{}
	count := map[string]int{}
	for _, f := range h.faults {
		count[f.Kind]++
		byKind[f.Kind] = append(byKind[f.Kind], f.Resumed...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nsetup %s: %v, seed %d\n", s.name, took.Round(time.Second), chosen)
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&b, "  %-10s %5d", kind, count[kind])
		if d := byKind[kind]; len(d) > 0 {
			slices.Sort(d)
			fmt.Fprintf(&b, "   acts again after p50 %v, p99 %v, max %v (%d times)", share(d, 50), share(d, 99), d[len(d)-1], len(d))
		}
		b.WriteByte('\n')
	}
	over := 0
	for _, d := range v.Late {
		if d > time.Second {
			over++
		}
	}
	fmt.Fprintf(&b, "  plans %d, executions %d, lost %d, violations %d\n", v.Plans, v.Executions, v.Lost, len(v.Violations))
	fmt.Fprintf(&b, "  occurrences due %d, settled %d; results stored %d, received %d\n", v.Due, v.Settled, v.Results, v.Received)
	fmt.Fprintf(&b, "  executed again: %v; skipped: %v\n", v.Twice, v.Skipped)
	fmt.Fprintf(&b, "  late: p50 %v, p99 %v, max %v, more than a second %d of %d\n",
		share(v.Late, 50).Round(time.Millisecond/10), share(v.Late, 99).Round(time.Millisecond), share(v.Late, 100).Round(time.Millisecond), over, len(v.Late))
	fmt.Fprintf(&b, "  executions of an older epoch behind a newer: %d; results not received by the observer: %d\n", v.Ghosts, v.Unheard)
	fmt.Fprintf(&b, "  requests: %v; unknown: %v\n", v.Outcomes, v.Doubts)
	fmt.Fprintf(&b, "chaos setup=%s seconds=%.0f faults=%d executions=%d lost=%d violations=%d again=%d late_over_1s=%d",
		s.name, took.Seconds(), len(h.faults), v.Executions, v.Lost, len(v.Violations), total(v.Twice), over)
	if d := byKind["kill"]; len(d) > 0 {
		fmt.Fprintf(&b, " takeover_p50=%v takeover_p99=%v takeover_max=%v", share(d, 50), share(d, 99), d[len(d)-1])
	}
	t.Log(b.String())
}

func total(m map[string]int) int {
	sum := 0
	for _, n := range m {
		sum += n
	}
	return sum
}

// share is the value that so many of a hundred do not exceed.
func share(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}
