package storage_test

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Data is found by its names, so they never change.
func TestNamesAreFrozen(t *testing.T) {
	plain, named := schema.Space{}, schema.Space{Prefix: "acme", Partitions: 4}
	for _, c := range []struct{ got, want string }{
		{storage.Journal(named, 2), "acme.scheduler.journal.2"},
		{storage.Stored(plain, 0), "scheduler.stored.0"},
		{storage.JournalStream(plain, 0), "PLAN_JOURNAL"},
		{storage.JournalStream(named, 2), "acme_PLAN_JOURNAL_2"},
		{storage.JournalStream(schema.Space{Partitions: 1}, 0), "PLAN_JOURNAL"},
		{storage.RepliesStream(named), "acme_PLAN_REPLIES"},
		{storage.QueuesStream(named), "acme_PLAN_QUEUES"},
		{storage.PlansBucket(plain, 0), "plans"},
		{storage.PlansBucket(named, 0), "acme_plans_0"},
		{storage.StationsBucket(named), "acme_stations"},
		{storage.WorkersBucket(plain), "workers"},
		{storage.SecretsBucket(named), "acme_secrets"},
		{storage.Queued(plain, 0), "scheduler.queued.0"},
		{storage.Inbox(plain, 0, "a.b", "P1"), "scheduler.inbox.0.a.b.P1"},
		{storage.Inbox(named, 2, "a.b", "P1"), "acme.scheduler.inbox.2.a.b.P1"},
		{storage.AllInboxes(named, 2), "acme.scheduler.inbox.2.>"},
		{storage.Kept(plain, plain.Result("a.b", "P1")), "scheduler.result.a.b.P1"},
		{storage.Kept(named, named.Result("a.b", "P1")), "acme.scheduler.result.a.b.P1"},
		{storage.AllKept(named), "acme.scheduler.result.>"},
		{storage.Presence(named), "$KV.acme_workers.>"},
		{storage.PlanKey("a.b", "P1"), "plan.a.b.P1"},
		{storage.StateKey("a.b", "P1"), "state.a.b.P1"},
		{storage.StationKey("a.b"), "station.a.b"},
		{storage.CheckpointKey, "checkpoint"},
		{storage.HeaderItem, "Plan-Item"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestParseInbox(t *testing.T) {
	for _, s := range []schema.Space{{}, {Prefix: "acme", Partitions: 4}} {
		want := schema.PlanName{Station: "a.b", PlanID: "P1"}
		if got, ok := storage.ParseInbox(s, 2, storage.Inbox(s, 2, want.Station, want.PlanID)); !ok || got != want {
			t.Errorf("with prefix %q: %v, %v", s.Prefix, got, ok)
		}
	}
	for _, subject := range []string{
		"", "scheduler.inbox.2", "scheduler.inbox.2.", "scheduler.inbox.2.P1", "scheduler.inbox.2..P1", "scheduler.inbox.2.s.",
		"scheduler.inbox.1.s.P1", "scheduler.inbox.2.s.P!", "acme.scheduler.inbox.2.s.P1", "scheduler.inbox.2." + strings.Repeat("s", 129) + ".P1",
	} {
		if n, ok := storage.ParseInbox(schema.Space{}, 2, subject); ok {
			t.Errorf("%q is %v", subject, n)
		}
	}
}

// The partition of a plan must never change.
func TestPartitionIsFrozen(t *testing.T) {
	for id, want := range map[string]int{"P1": 2, "01ARZ3NDEKTSV4RRFFQ69G5FAV": 0, "a": 4} {
		if got := storage.Partition(schema.Space{Partitions: 8}, id); got != want {
			t.Errorf("%s lives in partition %d, want %d", id, got, want)
		}
		if got := storage.Partition(schema.Space{}, id); got != 0 {
			t.Errorf("%s lives in partition %d of one", id, got)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]struct {
		kind        storage.KeyKind
		station, id string
	}{
		storage.PlanKey("a.b", "P1"):  {storage.KeyPlan, "a.b", "P1"},
		storage.StateKey("s", "P1"):   {storage.KeyState, "s", "P1"},
		storage.StationKey("a.b"):     {storage.KeyStation, "a.b", ""},
		storage.StationKey("plan.a"):  {storage.KeyStation, "plan.a", ""},
		storage.ClosedKey(170):        {storage.KeyClosed, "", "170"},
		storage.PlanKey("state", "x"): {storage.KeyPlan, "state", "x"},
	} {
		kind, station, id, ok := storage.ParseKey(key)
		if !ok || kind != want.kind || station != want.station || id != want.id {
			t.Errorf("%s is %d %q %q %v", key, kind, station, id, ok)
		}
	}
	for _, key := range []string{"", storage.CheckpointKey, "plan", "plan.a", "plan..a", "plan.a.", "state.a", "station.", "closed.", "closed.07", "closed.-1", "other.a.b"} {
		if _, _, _, ok := storage.ParseKey(key); ok {
			t.Errorf("%q is a key", key)
		}
	}
}

func TestJournalStreamNamesItsInstallation(t *testing.T) {
	for _, prefix := range []string{"", "acme", "a_b", "PLAN_JOURNAL"} {
		for _, partitions := range []int{1, 12} {
			name := storage.JournalStream(schema.Space{Prefix: prefix, Partitions: partitions}, partitions-1)
			if got, ok := storage.ParseJournalStream(name); !ok || got != prefix {
				t.Errorf("%s: %q, %v", name, got, ok)
			}
		}
	}
	for _, name := range []string{"", "PLAN_RESULTS", "acmePLAN_JOURNAL", "_PLAN_JOURNAL", "PLAN_JOURNAL_", "PLAN_JOURNAL_a", "PLAN_JOURNALS", "KV_plans"} {
		if got, ok := storage.ParseJournalStream(name); ok {
			t.Errorf("%s is that of %q", name, got)
		}
	}
}

// A key that is read as a row's is the key of that row.
func FuzzParseKey(f *testing.F) {
	for _, key := range []string{storage.PlanKey("a.b", "P1"), storage.StateKey("s", "P1"), storage.StationKey("a.b"), storage.ClosedKey(7), "closed.07", storage.CheckpointKey, "plan.", "state.a", "plan..x"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		kind, station, id, ok := storage.ParseKey(key)
		if !ok {
			return
		}
		want := map[storage.KeyKind]string{storage.KeyPlan: storage.PlanKey(station, id), storage.KeyState: storage.StateKey(station, id), storage.KeyStation: storage.StationKey(station), storage.KeyClosed: "closed." + id}[kind]
		if want != key {
			t.Fatalf("%q is read as %q", key, want)
		}
	})
}
