package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"
)

func TestReplySubjectsNameTheirExecution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plans := newPlans(3, 16)
		i := rapid.IntRange(0, 2).Draw(t, "plan")
		plans[i].n = rapid.Uint64().Draw(t, "n")
		subject := plans[i].reply()
		gotPlan, gotN, err := parseReply(subject)
		if err != nil || gotPlan != i || gotN != plans[i].n {
			t.Errorf("%s: plan %d, execution %d, %v", subject, gotPlan, gotN, err)
		}
		if _, nonce, _ := strings.Cut(subject, "-"); len(nonce) != 16 {
			t.Errorf("%s: nonce of %d digits", subject, len(nonce))
		}
	})
	for _, subject := range []string{
		"plan.reply.0.other.x",
		replyPrefix + "1.2-3",
		replyPrefix + strings.Repeat("0", idBytes) + ".x-3",
		replyPrefix + strings.Repeat("x", idBytes) + ".1-3",
	} {
		if _, _, err := parseReply(subject); err == nil {
			t.Errorf("%s: no error", subject)
		}
	}
}

func TestLatenciesAgreeWithSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 200).Draw(t, "samples")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		var l, half latencies
		for i, s := range samples {
			if i%2 == 0 {
				l.add(time.Duration(s))
			} else {
				half.add(time.Duration(s))
			}
		}
		l.merge(&half)
		slices.Sort(samples)
		exact := samples[max(int64(q*float64(len(samples))+0.5), 1)-1]
		if got := int64(l.quantile(q)); got < exact || got > exact+exact/subBuckets {
			t.Errorf("quantile %v of %v: %d, exactly %d", q, samples, got, exact)
		}
	})
}

func TestLatenciesAtTheEnds(t *testing.T) {
	var l latencies
	if got := l.quantile(0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	l.add(-time.Second)
	if got := l.quantile(1); got != 0 {
		t.Errorf("of a negative one: %v", got)
	}
	l.add(1<<63 - 1)
	if got := l.quantile(1); got != 1<<63-1 {
		t.Errorf("of the longest: %v", got)
	}
}

// testJournal returns a journal on a server of its own, and the subscription to its
// acknowledgements.
func testJournal(t *testing.T) (*journal[int], *nats.Subscription) {
	t.Helper()
	e, err := startEngine(leavesNothing(t), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	})
	nc, err := e.connect("test")
	if err != nil {
		t.Fatal(err)
	}
	err = createStreams(t.Context(), nc, jetstream.StreamConfig{Name: journalStream, Subjects: []string{journalSubject}})
	if err != nil {
		t.Fatal(err)
	}
	j := &journal[int]{nc: nc, subject: journalSubject, inbox: nc.NewInbox()}
	acks, err := nc.SubscribeSync(j.inbox)
	if err != nil {
		t.Fatal(err)
	}
	return j, acks
}

func TestJournalCommitsInGroups(t *testing.T) {
	j, acks := testJournal(t)
	var got [][2]int // rows of an append, its first effect
	next := 0
	commit := func() {
		msg, err := acks.NextMsg(time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		g, err := j.acknowledged(msg)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, [2]int{len(g.effects), g.effects[0]})
		for _, eff := range g.effects {
			if eff != next {
				t.Fatalf("effect %d, want %d", eff, next)
			}
			next++
		}
		if len(g.body) != 3*len(g.effects) {
			t.Errorf("body of %d bytes for %d rows", len(g.body), len(g.effects))
		}
		j.release(g)
	}
	added := 0
	add := func(n int) {
		for range n {
			j.add([]byte("row"), added)
			added++
		}
		if err := j.send(); err != nil {
			t.Fatal(err)
		}
	}

	add(1)
	add(2*maxRows + 5) // gathers while the first is in flight
	for !j.idle() {
		commit()
		add(0)
	}
	add(3)
	commit()

	want := [][2]int{{1, 0}, {maxRows, 1}, {maxRows, 1 + maxRows}, {5, 1 + 2*maxRows}, {3, 6 + 2*maxRows}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("appends (-want +got):\n%s", diff)
	}
	if rows := j.rowsPerAppend(); rows != float64(added)/5 {
		t.Errorf("%v rows an append", rows)
	}
}

func TestJournalIsFenced(t *testing.T) {
	j, acks := testJournal(t)
	if _, err := j.nc.Request(journalSubject, []byte("somebody else's"), time.Minute); err != nil {
		t.Fatal(err)
	}
	j.add([]byte("row"), 0)
	if err := j.send(); err != nil {
		t.Fatal(err)
	}
	msg, err := acks.NextMsg(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.acknowledged(msg); err == nil || !strings.Contains(err.Error(), "wrong last sequence") {
		t.Errorf("error %v", err)
	}
}
