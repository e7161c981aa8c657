package broker_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

func mismatch(t *testing.T, err error) []broker.Difference {
	t.Helper()
	var m *broker.MismatchError
	if !errors.As(err, &m) {
		t.Fatalf("got error %v, want a mismatch", err)
	}
	return m.Differences
}

func TestProvisionTwiceFindsTheSameInstallation(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	first := brokertest.Store(t, nc).Installation()
	second := brokertest.Store(t, nc).Installation()
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	if first.Partitions != 1 || first.Key == [16]byte{} || first.Created.IsZero() {
		t.Errorf("not filled in: %+v", first)
	}
}

func TestNodesThatProvisionAtOnceAgree(t *testing.T) {
	ns := brokertest.Server(t)
	ids := make([]string, 4)
	var wg sync.WaitGroup
	for i := range ids {
		nc := brokertest.Connect(t, ns)
		wg.Go(func() {
			s, err := broker.Provision(t.Context(), nc, brokertest.Config(t))
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = s.Installation().ID
		})
	}
	wg.Wait()
	if len(slices.Compact(ids)) != 1 {
		t.Errorf("several installations: %v", ids)
	}
}

func TestProvisionNamesEveryDifferenceAndChangesNothing(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	journal := jetstream.StreamConfig{
		Name: "PLAN_JOURNAL", Subjects: []string{"scheduler.journal.0"},
		Discard: jetstream.DiscardOld, MaxBytes: 1 << 20, MaxAge: time.Hour,
	}
	if _, err := js.CreateStream(t.Context(), journal); err != nil {
		t.Fatal(err)
	}
	_, err = broker.Provision(t.Context(), nc, brokertest.Config(t))
	want := []broker.Difference{
		{Stream: "PLAN_JOURNAL", Setting: "discard", Is: "DiscardOld", ShouldBe: "DiscardNew"},
		{Stream: "PLAN_JOURNAL", Setting: "max_bytes", Is: "1048576", ShouldBe: "268435456"},
		{Stream: "PLAN_JOURNAL", Setting: "max_age", Is: "1h0m0s", ShouldBe: "0s"},
	}
	if diff := cmp.Diff(want, mismatch(t, err)); diff != "" {
		t.Error(diff)
	}
	is, err := js.Stream(t.Context(), "PLAN_JOURNAL")
	if err != nil {
		t.Fatal(err)
	}
	if c := is.CachedInfo().Config; c.Discard != jetstream.DiscardOld || c.MaxBytes != 1<<20 {
		t.Errorf("the stream was changed: %+v", c)
	}
}

// A limit that is made tighter by the command of a refusal costs stored results, and one that is
// made wider does not.
func TestARefusalNamesWhatATighterLimitRemoves(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	cfg := brokertest.Config(t)
	cfg.ResultsAge, cfg.ResultsPerPlan = 2*time.Hour, 10
	if _, err := broker.Provision(t.Context(), nc, cfg); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "PLAN_RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	subject := strings.Replace(stream.CachedInfo().Config.Subjects[0], ">", "a.b", 1)
	for range 3 {
		if _, err := js.Publish(t.Context(), subject, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		age     time.Duration
		perPlan int64
		atStake []uint64
	}{{time.Hour, 10, []uint64{3}}, {3 * time.Hour, 10, []uint64{0}}, {2 * time.Hour, 5, []uint64{3}}, {2 * time.Hour, 20, []uint64{0}}} {
		cfg.ResultsAge, cfg.ResultsPerPlan = tt.age, tt.perPlan
		_, err := broker.Provision(t.Context(), nc, cfg)
		var got []uint64
		for _, d := range mismatch(t, err) {
			got = append(got, d.AtStake)
		}
		if diff := cmp.Diff(tt.atStake, got); diff != "" {
			t.Errorf("%v: %s", err, diff)
		}
		if said := strings.Contains(err.Error(), "that removes at once those of the 3 messages of PLAN_RESULTS"); said != (got[0] > 0) {
			t.Error(err)
		}
	}
}

func TestSizesThatWereNotGivenAreTakenAsTheyAre(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	brokertest.Store(t, nc)
	if _, err := broker.Provision(t.Context(), nc, broker.Config{}); err != nil {
		t.Error(err)
	}
}

func TestDefaultSizesShrinkToWhatTheServerHas(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t, func(o *server.Options) {
		o.JetStreamMaxStore, o.JetStreamMaxMemory = 5<<30, 100<<20
	}))
	if _, err := broker.Provision(t.Context(), nc, broker.Config{}); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for info := range js.ListStreams(t.Context()).Info() {
		got[info.Config.Name] = info.Config.MaxBytes >> 20
	}
	want := map[string]int64{
		"PLAN_JOURNAL": 2048, "KV_plans": 2048, "PLAN_RESULTS": 512, "PLAN_REPLIES": 32, "PLAN_QUEUES": 256,
		"KV_stations": 64, "KV_secrets": 16, "KV_workers": 64, "KV_leaders": 16,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestGivenSizesDoNotShrink(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t, func(o *server.Options) { o.JetStreamMaxStore = 1 << 30 }))
	_, err := broker.Provision(t.Context(), nc, broker.Config{JournalBytes: 2 << 30})
	if err == nil || !strings.Contains(err.Error(), "create stream PLAN_JOURNAL") {
		t.Errorf("got %v", err)
	}
}

func TestProvisionRefusesStreamsThatAnswerForWorkers(t *testing.T) {
	for _, subject := range []string{"station.>", "station.hello", "worker.*", "station.*.eu"} {
		t.Run(subject, func(t *testing.T) {
			nc := brokertest.Connect(t, brokertest.Server(t))
			js, err := jetstream.New(nc, patient)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "CURIOUS", Subjects: []string{subject}}); err != nil {
				t.Fatal(err)
			}
			_, err = broker.Provision(t.Context(), nc, brokertest.Config(t))
			for _, d := range mismatch(t, err) {
				if d.Stream != "CURIOUS" || !strings.HasPrefix(d.Setting, "capture of ") {
					t.Errorf("difference %v", d)
				}
			}
		})
	}
}

func TestThePartitionsAreFixed(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	cfg := brokertest.Config(t)
	cfg.Space = schema.Space{Prefix: "acme", Partitions: 2}
	s := brokertest.Store(t, nc, cfg)
	if n := s.Installation().Partitions; n != 2 {
		t.Errorf("made with %d partitions", n)
	}
	cfg.Space.Partitions = 3
	_, err := broker.Provision(t.Context(), nc, cfg)
	want := []broker.Difference{{Setting: "number of partitions", Is: "2", ShouldBe: "3"}}
	if diff := cmp.Diff(want, mismatch(t, err)); diff != "" {
		t.Error(diff)
	}
}

// Waiting does not help, so the error comes at once, with a remedy.
func TestReplicasOnASingleServerAreRefusedAtOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		cfg := brokertest.Config(t)
		cfg.Replicas = 3
		began := time.Now()
		_, err := broker.Provision(t.Context(), nc, cfg)
		if err == nil || !strings.Contains(err.Error(), "--replicas 1") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("refused after %v", took)
		}
	})
}

func TestProvisionWantsJetStream(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t, func(o *server.Options) { o.JetStream = false }))
	_, err := broker.Provision(t.Context(), nc, brokertest.Config(t))
	if err == nil || !strings.Contains(err.Error(), "has no JetStream") {
		t.Errorf("got %v", err)
	}
}

// A user of NATS key-value buckets can inspect ours.
func TestBucketsAreOrdinaryOnes(t *testing.T) {
	_, nc, s := newStore(t)
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), "stations")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stations().Put(t.Context(), "station.hello", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if e, err := kv.Get(t.Context(), "station.hello"); err != nil || string(e.Value()) != "{}" {
		t.Errorf("got %v, %v", e, err)
	}
	if err := s.Stations().Delete(t.Context(), "station.hello"); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Get(t.Context(), "station.hello"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("after the delete: %v", err)
	}
	if _, _, err := s.Stations().Get(t.Context(), "station.hello"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("after the delete: %v", err)
	}
	if _, err := kv.Put(t.Context(), "other", nil); err != nil {
		t.Errorf("put by others: %v", err)
	}
}
