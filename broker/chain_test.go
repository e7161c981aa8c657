package broker_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

func upTo(seq uint64) protocol.Mark { return protocol.Mark{Seq: seq} }

func rows(s *broker.Store, keys ...string) []*nats.Msg {
	var msgs []*nats.Msg
	for _, k := range keys {
		msgs = append(msgs, s.Table(0).Set(k, []byte("v")))
	}
	return msgs
}

func TestBatchesMoveTheFence(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	chain := s.TableChain(0)
	if found := fence(t, chain, p, "a"); found.Epoch != 0 || found.UpTo != (protocol.Mark{}) {
		t.Errorf("a new bucket has the fence %+v", found)
	}
	batches := [][]*nats.Msg{
		rows(s, "plan.s.1", "plan.s.2"),
		nil, // the fence alone
		{s.Table(0).Unset("plan.s.1"), s.Table(0).Set("plan.s.3", []byte("w"))},
	}
	for i, b := range batches {
		write(t, p, "x")
		if err := chain.Write(deadline(t), b, protocol.Mark{Seq: uint64(i) + 2, Row: 7}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"plan.s.2=v", "plan.s.3=w"}, scan(t, s)); diff != "" {
		t.Error(diff)
	}
	b := seize(t, s, "b")
	want := broker.FenceRecord{Epoch: p.Epoch(), Holder: "a", Number: 3, UpTo: protocol.Mark{Seq: 4, Row: 7}, Behind: 2, After: 5}
	found := fence(t, chain, b, "b")
	found.JournalCreated = want.JournalCreated
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

func TestTheLargestBatch(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	chain := s.TableChain(0)
	fence(t, chain, p, "a")
	keys := make([]string, chain.MaxBatch()+1)
	for i := range keys {
		keys[i] = fmt.Sprintf("plan.s.%04d", i)
	}
	if err := chain.Write(deadline(t), rows(s, keys...), upTo(2)); err == nil {
		t.Error("a message too many was taken")
	}
	if err := chain.Write(deadline(t), rows(s, keys[1:]...), upTo(2)); err != nil {
		t.Error(err)
	}
	if err := chain.Write(deadline(t), rows(s, keys[0]), upTo(3)); err != nil {
		t.Errorf("the batch after it: %v", err)
	}
	if got := len(scan(t, s)); got != len(keys) {
		t.Errorf("%d rows", got)
	}
}

// Without the fence a late put of an older leader lands over newer rows.
func TestALateBatchOfAnOlderLeaderIsRefusedWhole(t *testing.T) {
	_, nc, s := newStore(t)
	a := seize(t, s, "a")
	old := s.TableChain(0)
	fence(t, old, a, "a")
	if err := old.Write(deadline(t), rows(s, "plan.s.1"), upTo(2)); err != nil {
		t.Fatal(err)
	}
	other := brokertest.Store(t, nc)
	b := seize(t, other, "b")
	fence(t, other.TableChain(0), b, "b")

	wantIs(t, old.Write(deadline(t), rows(s, "plan.s.2", "plan.s.3"), upTo(9)), broker.ErrFenced)
	wantIs(t, old.Write(deadline(t), nil, upTo(9)), broker.ErrFenced)
	_, err := old.Fence(deadline(t), a.Epoch(), "a")
	wantIs(t, err, broker.ErrFenced)
	if diff := cmp.Diff([]string{"plan.s.1=v"}, scan(t, s)); diff != "" {
		t.Error(diff)
	}
	if err := other.TableChain(0).Write(deadline(t), rows(s, "plan.s.4"), upTo(3)); err != nil {
		t.Error(err)
	}
}

func TestABatchWhoseAnswerIsLostIsNotStoredTwice(t *testing.T) {
	ns, _, other := newStore(t)
	s, deaf := deafStore(t, ns)
	p := seize(t, s, "a")
	chain := s.ResultsChain(0)
	fence(t, chain, p, "a")
	for i := range 6 {
		deaf.Store(i%2 == 1)
		if err := chain.Write(deadline(t), resultsOf(fmt.Sprint(i)), upTo(2)); err != nil {
			t.Fatal(err)
		}
	}
	wantResults(t, other, "0", "1", "2", "3", "4", "5")
}

func results(t *testing.T, s *broker.Store, station, id string) []string {
	t.Helper()
	var got []string
	err := s.Results().Of(deadline(t), station, id, func(r broker.StoredResult) error {
		got = append(got, string(r.Body))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAFenceTwiceInOneEpoch(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	chain := s.TableChain(0)
	fence(t, chain, p, "a")
	if err := chain.Write(deadline(t), rows(s, "plan.s.1"), upTo(2)); err != nil {
		t.Fatal(err)
	}
	if found := fence(t, chain, p, "a"); found.UpTo != upTo(2) {
		t.Errorf("found %+v", found)
	}
	if err := chain.Write(deadline(t), rows(s, "plan.s.2"), upTo(3)); err != nil {
		t.Error(err)
	}
}

// The stream of results evicts its oldest messages, and with several partitions that may be
// the fence of an idle one.
func TestTheFenceOfResultsMayBePurged(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	chain := s.ResultsChain(0)
	fence(t, chain, p, "a")
	purgeStream(t, nc, "PLAN_RESULTS")
	kept := resultsOf("kept")
	if err := chain.Write(deadline(t), kept, upTo(2)); err != nil {
		t.Fatal(err)
	}
	purgeStream(t, nc, "PLAN_RESULTS")
	b := seize(t, s, "b")
	wantIs(t, chain.Write(deadline(t), kept, upTo(3)), broker.ErrFenced)
	if found := fence(t, chain, b, "b"); found.Epoch != 0 {
		t.Errorf("found %+v", found)
	}
}

func TestTheFenceOfABucketMayNot(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	chain := s.TableChain(0)
	fence(t, chain, p, "a")
	write(t, p, "one")
	if err := s.Journal(0).Purge(deadline(t), 1); err != nil {
		t.Fatal(err)
	}
	purgeStream(t, nc, "KV_plans")
	wantChanged(t, chain.Write(deadline(t), rows(s, "plan.s.1"), upTo(2)), "KV_plans")
	_, err := chain.Fence(deadline(t), p.Epoch()+1, "b")
	wantChanged(t, err, "KV_plans")
}

// A bucket that was removed is taken over only by who accepts the loss, which is reported; the
// journal is read from its beginning.
func TestABucketThatWasRemovedIsTakenOverByWhoAcceptsTheLoss(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	chain := s.TableChain(0)
	fence(t, chain, p, "a")
	write(t, p, "one")
	write(t, p, "two")
	if err := s.Journal(0).Purge(deadline(t), 2); err != nil {
		t.Fatal(err)
	}
	removeStream(t, nc, "KV_plans")
	s = brokertest.Store(t, nc) // as a start makes it anew
	chain, p = s.TableChain(0), seize(t, s, "b")
	_, err := chain.Fence(deadline(t), p.Epoch(), "b")
	wantChanged(t, err, "KV_plans")
	if !strings.Contains(err.Error(), "--accept-rollback") {
		t.Error(err)
	}
	wantDamage(t, s)
	chain.AcceptLoss = true
	if found := fence(t, chain, p, "b"); found.UpTo != upTo(3) {
		t.Errorf("taken up to %+v; the journal begins at 3", found.UpTo)
	}
	wantDamage(t, s, "end.KV_plans 3 0")
	if err := chain.Write(deadline(t), rows(s, "plan.s.1"), upTo(4)); err != nil {
		t.Error(err)
	}
}

// A stream of results that was removed has lost them, unlike one that was purged.
func TestAStreamOfResultsThatWasRemovedIsReported(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	fence(t, s.TableChain(0), p, "a")
	fence(t, s.ResultsChain(0), p, "a")
	write(t, p, "one")
	if err := s.Journal(0).Purge(deadline(t), 1); err != nil {
		t.Fatal(err)
	}
	purgeStream(t, nc, "PLAN_RESULTS")
	fence(t, s.ResultsChain(0), seize(t, s, "b"), "b")
	wantDamage(t, s)
	removeStream(t, nc, "PLAN_RESULTS")
	s = brokertest.Store(t, nc)
	fence(t, s.ResultsChain(0), seize(t, s, "c"), "c")
	wantDamage(t, s, "end.PLAN_RESULTS 2 0")
}

func removeStream(t *testing.T, nc *nats.Conn, name string) {
	t.Helper()
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), name); err != nil {
		t.Fatal(err)
	}
}

func purgeStream(t *testing.T, nc *nats.Conn, name string) {
	t.Helper()
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The last appends have no results and no items, so the fences of these streams stay behind
// the purge.
func TestAFenceOfResultsBehindThePurgeIsNoLoss(t *testing.T) {
	var log strings.Builder
	cfg := brokertest.Config(t)
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := brokertest.Store(t, brokertest.Connect(t, brokertest.Server(t)), cfg)
	a := seize(t, s, "a")
	fence(t, s.TableChain(0), a, "a")
	fence(t, s.ResultsChain(0), a, "a")
	fence(t, s.ItemsChain(0), a, "a")
	for range 5 {
		write(t, a, "x")
	}
	if err := s.TableChain(0).Write(deadline(t), nil, upTo(6)); err != nil {
		t.Fatal(err)
	}
	if err := s.Journal(0).Purge(deadline(t), 5); err != nil {
		t.Fatal(err)
	}
	b := seize(t, s, "b")
	fence(t, s.TableChain(0), b, "b")
	for _, c := range []*broker.Chain{s.ResultsChain(0), s.ItemsChain(0)} {
		if found := fence(t, c, b, "b"); found.UpTo != upTo(6) {
			t.Errorf("taken up to %+v; the journal begins at 6", found.UpTo)
		}
	}
	if strings.Contains(log.String(), "lost") {
		t.Errorf("nothing is lost, but the log is\n%s", &log)
	}
}

// When a disk loses the end of the bucket, and with it a part of the last batch, but not
// the fence before that, the appends that the journal still has are taken once more.
func TestABucketThatLostTheEndOfABatchIsReadAgain(t *testing.T) {
	var log strings.Builder
	cfg := brokertest.Config(t)
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	nc := brokertest.Connect(t, brokertest.Server(t))
	s := brokertest.Store(t, nc, cfg)
	a := seize(t, s, "a")
	chain := s.TableChain(0)
	fence(t, chain, a, "a")
	for range 5 {
		write(t, a, "x")
	}
	if err := s.Journal(0).Purge(deadline(t), 2); err != nil {
		t.Fatal(err)
	}
	if err := chain.Write(deadline(t), rows(s, "plan.s.1", "plan.s.2", "plan.s.3"), upTo(6)); err != nil {
		t.Fatal(err)
	}
	if found, _, err := chain.Peek(deadline(t)); err != nil || found.UpTo != upTo(6) {
		t.Errorf("before: taken up to %+v: %v", found.UpTo, err)
	}
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.Stream(t.Context(), "KV_plans")
	if err != nil {
		t.Fatal(err)
	}
	last, err := bucket.GetLastMsgForSubject(t.Context(), "$KV.plans.checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), last.Subject, last.Data); err != nil { // the same message, and nothing behind it
		t.Fatal(err)
	}
	if found, _, err := chain.Peek(deadline(t)); err != nil || found.UpTo != upTo(3) {
		t.Errorf("a follower begins at %+v: %v", found.UpTo, err)
	}
	if found := fence(t, chain, seize(t, s, "b"), "b"); found.UpTo != upTo(3) {
		t.Errorf("a leader begins at %+v", found.UpTo)
	}
	if !strings.Contains(log.String(), "messages=3") {
		t.Errorf("the log is\n%s", &log)
	}
	wantDamage(t, s, "end.KV_plans 9 6")
	if found, _, err := chain.Peek(deadline(t)); err != nil || found.UpTo != upTo(3) {
		t.Errorf("whoever comes next begins at %+v: %v", found.UpTo, err)
	}
}

// A disk loses the end of the bucket while its server is away for a moment, and the leader
// writes its next batch over the gap before it checks.
func TestABatchOverAGapReportsTheGap(t *testing.T) {
	dir := t.TempDir()
	stored := func(o *server.Options) { o.StoreDir = dir }
	ns := brokertest.Server(t, stored)
	nc, at := connectToWhicheverRuns(t, ns)
	s := brokertest.Store(t, nc, quiet(t))
	a := seize(t, s, "a")
	chain := s.TableChain(0)
	fence(t, chain, a, "a")
	for range 3 {
		write(t, a, "x")
	}
	if err := chain.Write(deadline(t), rows(s, "plan.s.1", "plan.s.2", "plan.s.3"), upTo(4)); err != nil {
		t.Fatal(err)
	}
	ns.Shutdown()
	ns.WaitForShutdown()
	damageLastRow(t, filepath.Join(dir, "jetstream", "$G", "streams", "KV_plans", "msgs"))
	at.Runs(brokertest.Server(t, stored))
	wantChanged(t, chain.Write(deadline(t), rows(s, "plan.s.4"), upTo(5)), "KV_plans")

	again := brokertest.Store(t, nc, quiet(t))
	if found, _, err := again.TableChain(0).Peek(deadline(t)); err != nil || found.UpTo != upTo(1) {
		t.Errorf("a follower begins at %+v: %v", found.UpTo, err)
	}
	if found := fence(t, again.TableChain(0), seize(t, again, "b"), "b"); found.UpTo != upTo(1) {
		t.Errorf("a leader begins at %+v", found.UpTo)
	}
	if found, _, err := again.TableChain(0).Peek(deadline(t)); err != nil || found.UpTo != upTo(1) {
		t.Errorf("whoever comes next begins at %+v: %v", found.UpTo, err)
	}
}

// connectToWhicheverRuns opens a connection to ns, and to another server once that runs.
func connectToWhicheverRuns(t *testing.T, ns *server.Server) (*nats.Conn, *brokertest.Place) {
	t.Helper()
	at := new(brokertest.Place)
	at.Runs(ns)
	return brokertest.Connect(t, at, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond)), at
}

// damageLastRow changes the last bytes of a stream's only block, and removes the index by
// which the server would notice the change.
func damageLastRow(t *testing.T, msgs string) {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(msgs, "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("blocks %v: %v", blocks, err)
	}
	raw, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		raw[len(raw)-1-i] ^= 0xff
	}
	if err := os.WriteFile(blocks[0], raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(msgs, "index.db")); err != nil {
		t.Fatal(err)
	}
}

// An old disk came back. Sequences that count as taken are not assigned again.
func TestAJournalThatEndsBelowTheCheckpointIsRaised(t *testing.T) {
	_, nc, s := newStore(t)
	a := seize(t, s, "a")
	fence(t, s.TableChain(0), a, "a")
	fence(t, s.ResultsChain(0), a, "a")
	for range 5 {
		write(t, a, "x")
	}
	if err := s.ResultsChain(0).Write(deadline(t), nil, upTo(7)); err != nil {
		t.Fatal(err)
	}
	if err := s.TableChain(0).Write(deadline(t), nil, upTo(4)); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), "PLAN_JOURNAL"); err != nil {
		t.Fatal(err)
	}
	again := brokertest.Store(t, nc, quiet(t))
	b := seize(t, again, "b")
	if b.Seq() != 7 {
		t.Errorf("seized at %d, though all up to 6 is taken", b.Seq())
	}
	wantDamage(t, again, "short.PLAN_JOURNAL 6 0")
	for _, c := range []*broker.Chain{again.TableChain(0), again.ResultsChain(0)} {
		if found := fence(t, c, b, "b"); found.UpTo != upTo(7) {
			t.Errorf("taken up to %+v; only 7 is left to replay", found.UpTo)
		}
	}
	wantDamage(t, again, "short.PLAN_JOURNAL 6 0", "gap.PLAN_JOURNAL 3 7") // the bucket had less of it
	if diff := cmp.Diff([]string{"b+"}, replay(t, again, upTo(7).From())); diff != "" {
		t.Error(diff)
	}
	c := seize(t, again, "c")
	if found := fence(t, again.TableChain(0), c, "c"); c.Seq() != 8 || found.UpTo != upTo(7) {
		t.Errorf("the next leader: seized at %d, taken up to %+v", c.Seq(), found.UpTo)
	}
	wantDamage(t, again, "short.PLAN_JOURNAL 6 0", "gap.PLAN_JOURNAL 3 7") // the report stays, and is counted once
}
