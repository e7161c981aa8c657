package schema

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]struct{ id, station bool }{
		"a": {true, true}, "A-Z_09": {true, true}, "a.b": {false, true}, "a.b.c": {false, true}, "callback.x": {false, true},
		"": {}, ".": {}, ".a": {}, "a.": {}, "a..b": {}, "a b": {}, "a*": {}, ">": {}, "*": {}, "é": {}, "a\n": {}, "a/b": {},
		strings.Repeat("a", 128): {true, true}, strings.Repeat("a", 129): {},
	} {
		if got := CheckID(name) == nil; got != want.id {
			t.Errorf("%q is an id: %v", name, got)
		}
		if got := CheckStation(name) == nil; got != want.station {
			t.Errorf("%q is a station: %v", name, got)
		}
	}
}

func TestNewID(t *testing.T) {
	early := NewIDAt(time.UnixMilli(1000), bytes.NewReader(make([]byte, 10)))
	late := NewIDAt(time.UnixMilli(1001), bytes.NewReader(make([]byte, 10)))
	if early >= late || CheckID(early) != nil || len(early) != 26 {
		t.Errorf("%s, %s", early, late)
	}
	if a, b := NewID(), NewID(); a == b {
		t.Errorf("%s was made twice", a)
	}
}

func TestParsePlanName(t *testing.T) {
	n, err := ParsePlanName("a.b/P1")
	if err != nil || n != (PlanName{Station: "a.b", PlanID: "P1"}) || n.String() != "a.b/P1" {
		t.Errorf("%v, %v", n, err)
	}
	for _, s := range []string{"", "a", "/", "a/", "/P1", "a/b/c", "a b/P1", "a/P.1"} {
		if n, err := ParsePlanName(s); err == nil {
			t.Errorf("%q is %v", s, n)
		}
	}
}

func TestHeaderText(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain é": "plain é", "two\r\nlines\t": "two  lines ", "é\x00\x7f": "é  ",
	} {
		if got := HeaderText(s); got != want {
			t.Errorf("HeaderText(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestSpace(t *testing.T) {
	plain, named := Space{}, Space{Prefix: "acme", Partitions: 4}
	exec := "3-" + nonce
	for _, c := range []struct{ got, want string }{
		{plain.Service("plans", "create"), "plans.create"},
		{named.Service("plans", "create"), "acme.plans.create"},
		{plain.Claim("a.b"), "plans.claim.a.b"},
		{plain.Station("hello"), "station.hello"},
		{named.Station("hello"), "acme.station.hello"},
		{plain.Worker("w1"), "worker.w1"},
		{plain.Here("w1", "a.b"), "worker.here.w1.a.b"},
		{named.Here("w1", "a.>"), "acme.worker.here.w1.a.*below"},
		{named.Heres(), "acme.worker.here.>"},
		{plain.Reply(0, "a.b", "P1", exec), "plan.reply.0.a.b.*P1." + exec},
		{named.Reply(3, "a.b", "P1", exec), "acme.plan.reply.3.a.b.*P1." + exec},
		{plain.Replies(0), "plan.reply.0.>"},
		{named.AllReplies(), "acme.plan.reply.>"},
		{plain.Result("hello", "P1"), "plan.result.hello.P1"},
		{named.Result("hello", "P1"), "acme.plan.result.hello.P1"},
		{plain.AllResults(), "plan.result.>"},
		{plain.ResultsOf("hello"), "plan.result.hello.*"},
		{plain.Event(NoticeRunning, "hello", "P1"), "plan.event.running.hello.P1"},
		{named.Event(NoticeNotWorker, "hello", "P1"), "acme.plan.event.not_worker.hello.P1"},
		{named.AllEvents(), "acme.plan.event.>"},
		{plain.Cancel("hello", "P1"), "plan.cancel.hello.P1"},
		{named.Cancels("hello"), "acme.plan.cancel.hello.*"},
		{plain.Lead(0), "scheduler.lead.0"},
		{named.Journal(2), "acme.scheduler.journal.2"},
		{plain.Stored(0), "scheduler.stored.0"},
		{plain.JournalStream(0), "PLAN_JOURNAL"},
		{named.JournalStream(2), "acme_PLAN_JOURNAL_2"},
		{Space{Partitions: 1}.JournalStream(0), "PLAN_JOURNAL"},
		{plain.ResultsStream(), "PLAN_RESULTS"},
		{named.RepliesStream(), "acme_PLAN_REPLIES"},
		{named.QueuesStream(), "acme_PLAN_QUEUES"},
		{plain.PlansBucket(0), "plans"},
		{named.PlansBucket(0), "acme_plans_0"},
		{named.StationsBucket(), "acme_stations"},
		{plain.WorkersBucket(), "workers"},
		{plain.LeadersBucket(), "leaders"},
		{named.SecretsBucket(), "acme_secrets"},
		{PlanKeyOf(PlanName{Station: "a.b", PlanID: "P1"}, 7, 3), "a.b/P1/7/3"},
		{TriggerKeyOf(PlanName{Station: "a.b", PlanID: "P1"}, 7, 12), "a.b/P1/7/0.12"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestHereSubjectRoundTrip(t *testing.T) {
	for _, s := range []Space{{}, {Prefix: "acme", Partitions: 4}} {
		for _, station := range []string{"hello", "a.b", "a.b.>", "here"} {
			if id, at, ok := s.ParseHere(s.Here("w-1", station)); id != "w-1" || at != station || !ok {
				t.Errorf("%q: %s at %s, %v", station, id, at, ok)
			}
		}
	}
	for _, subject := range []string{
		"", "worker", "worker.here", "worker.here.", "worker.here.w1", "worker.here.w1.", "worker.here..s", "worker.w1",
		"worker.here.w1.*below", "worker.here.w1.a.*", "worker.here.w1.a.>", "worker.here.w1.a..b", "worker.here.w!.a",
		"acme.worker.here.w1.s", "worker.here.w1.a.*below.b", "worker.here.w1." + strings.Repeat("s", 129),
	} {
		if id, at, ok := (Space{}).ParseHere(subject); ok {
			t.Errorf("%q is %s at %s", subject, id, at)
		}
	}
}

func TestReplySubjectRoundTrip(t *testing.T) {
	station := rapid.StringMatching(`[A-Za-z0-9_-]{1,8}(\.[A-Za-z0-9_-]{1,8}){0,3}`)
	id := rapid.StringMatching(`[A-Za-z0-9_-]{1,26}`)
	rapid.Check(t, func(t *rapid.T) {
		s := Space{Prefix: rapid.SampledFrom([]string{"", "acme", "plan"}).Draw(t, "prefix"), Partitions: 16}
		want := ReplyName{
			Partition: rapid.IntRange(0, 15).Draw(t, "partition"),
			Station:   station.Draw(t, "station"), PlanID: id.Draw(t, "id"),
			N:     rapid.Int64Range(1, 1e18-1).Draw(t, "n"),
			Nonce: rapid.StringMatching(`[0-9a-f]{16}`).Draw(t, "nonce"),
		}
		subject := s.Reply(want.Partition, want.Station, want.PlanID, want.Exec())
		got, ok := s.ParseReply(subject)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Fatalf("%s: %v\n%s", subject, ok, diff)
		}
	})
}

// noReplySubjects are close to one that is.
var noReplySubjects = []string{
	"", "plan.reply", "plan.reply.", "plan.reply.0", "plan.reply.0.", "plan.reply.0.s",
	"plan.reply.0.s.*P1", "plan.reply.0.s.P1.3-" + nonce, "plan.reply.0.*P1.3-" + nonce,
	"plan.reply.0..*P1.3-" + nonce, "plan.reply.0.s.*.3-" + nonce, "plan.reply.0.s.*P1.3",
	"plan.reply.0.s.*P1.-" + nonce, "plan.reply.0.s.*P1.0-" + nonce, "plan.reply.0.s.*P1.03-" + nonce,
	"plan.reply.0.s.*P1.+3-" + nonce, "plan.reply.0.s.*P1.3-" + nonce[1:], "plan.reply.0.s.*P1.3-" + nonce + "0",
	"plan.reply.0.s.*P1.3-0123456789ABCDEF", "plan.reply.0.s.*P1.99999999999999999999-" + nonce,
	"plan.reply.1.s.*P1.3-" + nonce, "plan.reply.-1.s.*P1.3-" + nonce, "plan.reply.00.s.*P1.3-" + nonce,
	"acme.plan.reply.0.s.*P1.3-" + nonce, "plan.reply.0.s.**P1.3-" + nonce, "plan.reply.0.s p.*P1.3-" + nonce,
}

func TestParseReplySubjectRefuses(t *testing.T) {
	for _, subject := range noReplySubjects {
		if n, ok := (Space{}).ParseReply(subject); ok {
			t.Errorf("%q is %+v", subject, n)
		}
	}
	if n, ok := (Space{Prefix: "acme"}).ParseReply("acmeplan.reply.0.s.*P1.3-" + nonce); ok {
		t.Errorf("a prefix without its dot is %+v", n)
	}
}

func FuzzParseReplySubject(f *testing.F) {
	f.Add("plan.reply.0.a.b.*P1.3-"+nonce, "")
	f.Add("acme.plan.reply.0.a.b.*P1.3-"+nonce, "acme")
	for _, subject := range noReplySubjects {
		f.Add(subject, "")
	}
	f.Fuzz(func(t *testing.T, subject, prefix string) {
		s := Space{Prefix: prefix}
		if n, ok := s.ParseReply(subject); ok && s.Reply(n.Partition, n.Station, n.PlanID, n.Exec()) != subject {
			t.Fatalf("%q is %+v", subject, n)
		}
	})
}

func TestAnswerable(t *testing.T) {
	for subject, want := range map[string][2]bool{ // without a prefix, and with acme
		"_INBOX.a.b":                           {true, true},
		"_INBOX_me.b":                          {true, true},
		"my.own.place":                         {true, true},
		"":                                     {false, false},
		".":                                    {false, false},
		"$JS.API.STREAM.PURGE.PLAN_JOURNAL":    {false, false},
		"$KV.plans.checkpoint":                 {false, false},
		"$SRV.PING":                            {false, false},
		"station.hello":                        {false, true},
		"plans.create":                         {false, true},
		"scheduler.journal.0":                  {false, true},
		"plan.reply.0.s.*P1.3-" + nonce:        {false, true},
		"acme.scheduler.journal.0":             {true, false},
		"acme.station.hello":                   {true, false},
		"acmestation.hello":                    {true, true},
		"stationmaster.is.nobodys.but.a.users": {true, true},
	} {
		got := [2]bool{Space{}.Answerable(subject), Space{Prefix: "acme"}.Answerable(subject)}
		if got != want {
			t.Errorf("%q: %v, want %v", subject, got, want)
		}
	}
}

// Where a plan lives must never change.
func TestPartitionIsFrozen(t *testing.T) {
	for id, want := range map[string]int{"P1": 2, "01ARZ3NDEKTSV4RRFFQ69G5FAV": 0, "a": 4} {
		if got := (Space{Partitions: 8}).Partition(id); got != want {
			t.Errorf("%s lives in partition %d, want %d", id, got, want)
		}
		if got := (Space{}).Partition(id); got != 0 {
			t.Errorf("%s lives in partition %d of one", id, got)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]struct {
		kind        KeyKind
		station, id string
	}{
		PlanKey("a.b", "P1"):  {KeyPlan, "a.b", "P1"},
		StateKey("s", "P1"):   {KeyState, "s", "P1"},
		StationKey("a.b"):     {KeyStation, "a.b", ""},
		StationKey("plan.a"):  {KeyStation, "plan.a", ""},
		PlanKey("state", "x"): {KeyPlan, "state", "x"},
		ClosedKey(170):        {KeyClosed, "", "170"},
	} {
		kind, station, id, ok := ParseKey(key)
		if !ok || kind != want.kind || station != want.station || id != want.id {
			t.Errorf("%s is %d %q %q %v", key, kind, station, id, ok)
		}
	}
	for _, key := range []string{"", CheckpointKey, "plan", "plan.a", "plan..a", "plan.a.", "state.a", "station.", "closed.", "closed.07", "closed.-1", "other.a.b"} {
		if _, _, _, ok := ParseKey(key); ok {
			t.Errorf("%q is a key", key)
		}
	}
}

func TestHotNamesAllocateOnce(t *testing.T) {
	s := Space{Prefix: "acme"}
	subject := s.Reply(0, "hello", "P1", "3-"+nonce)
	var made string
	for name, c := range map[string]struct {
		most float64
		f    func()
	}{
		"Reply":      {1, func() { made = s.Reply(0, "hello", "P1", "3-0123456789abcdef") }},
		"Station":    {1, func() { made = s.Station("hello") }},
		"Result":     {1, func() { made = s.Result("hello", "P1") }},
		"Event":      {1, func() { made = s.Event(NoticeRunning, "hello", "P1") }},
		"ParseReply": {0, func() { s.ParseReply(subject) }},
	} {
		if n := testing.AllocsPerRun(100, c.f); n > c.most {
			t.Errorf("%s allocates %v times, want %v; it made %s", name, n, c.most, made)
		}
	}
}

func TestWhoseJournalAStreamIs(t *testing.T) {
	for _, prefix := range []string{"", "acme", "a_b", "PLAN_JOURNAL"} {
		for _, partitions := range []int{1, 12} {
			name := Space{Prefix: prefix, Partitions: partitions}.JournalStream(partitions - 1)
			if got, ok := ParseJournalStream(name); !ok || got != prefix {
				t.Errorf("%s: %q, %v", name, got, ok)
			}
		}
	}
	for _, name := range []string{"", "PLAN_RESULTS", "acmePLAN_JOURNAL", "_PLAN_JOURNAL", "PLAN_JOURNAL_", "PLAN_JOURNAL_a", "PLAN_JOURNALS", "KV_plans"} {
		if got, ok := ParseJournalStream(name); ok {
			t.Errorf("%s is that of %q", name, got)
		}
	}
}
