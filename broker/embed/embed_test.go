package embed_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/embed"
)

// patience bounds operations that should take milliseconds.
const patience = time.Minute

func start(t *testing.T, o embed.Options) *embed.Server {
	t.Helper()
	s, err := embed.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestServesInProcessAndByASocket(t *testing.T) {
	s := start(t, embed.Options{StoreDir: t.TempDir(), Listen: "127.0.0.1:0", Name: "n1"})
	if err := s.Healthz(); err != nil {
		t.Errorf("health: %v", err)
	}
	inside, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	outside, err := nats.Connect(s.ClientURL(), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	sub, err := inside.SubscribeSync("greetings")
	if err != nil {
		t.Fatal(err)
	}
	if err := inside.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := outside.Publish("greetings", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if m, err := sub.NextMsg(patience); err != nil || string(m.Data) != "hello" {
		t.Errorf("got %v, %v", m, err)
	}
	if name := outside.ConnectedServerName(); name != "n1" {
		t.Errorf("server is called %q", name)
	}
}

func TestWithoutAddressItIsReachedInProcessOnly(t *testing.T) {
	s := start(t, embed.Options{StoreDir: t.TempDir()})
	if url := s.ClientURL(); url != "" {
		t.Errorf("client URL %q", url)
	}
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}

func TestAnAddressInUseIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = embed.Start(t.Context(), embed.Options{StoreDir: t.TempDir(), Listen: l.Addr().String()})
	if err == nil || !strings.HasPrefix(err.Error(), l.Addr().String()+" is in use") {
		t.Errorf("got %v", err)
	}
}

func TestAFolderInUseIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, embed.Options{StoreDir: dir})
	// By any path to it.
	link, above := filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "above")
	if err := errors.Join(os.Symlink(dir, link), os.Symlink(filepath.Dir(dir), above)); err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{dir, dir + "/.", link, filepath.Join(above, "data")} {
		_, err := embed.Start(t.Context(), embed.Options{StoreDir: way})
		if err == nil || !strings.Contains(err.Error(), way+" is in use by another process") {
			t.Errorf("%s: %v", way, err)
		}
	}
	if err := first.Shutdown(); err != nil {
		t.Fatal(err)
	}
	start(t, embed.Options{StoreDir: dir})
}

func TestRefusesOptionsThatCannotBe(t *testing.T) {
	for _, o := range []embed.Options{
		{},
		{StoreDir: t.TempDir(), Listen: "nonsense"},
		{StoreDir: t.TempDir(), Listen: "127.0.0.1:http"},
		{StoreDir: t.TempDir(), Cluster: embed.Cluster{Name: "c"}},
	} {
		if s, err := embed.Start(t.Context(), o); err == nil {
			t.Errorf("%+v was accepted", o)
			s.Shutdown() //nolint:errcheck // the test has failed
		}
	}
}

func TestRestartKeepsAddressStreamsAndConnections(t *testing.T) {
	s := start(t, embed.Options{StoreDir: t.TempDir(), Listen: "127.0.0.1:0", SyncAlways: true})
	url := s.ClientURL()
	back := make(chan struct{}, 1)
	nc, err := s.Connect(nats.ReconnectHandler(func(*nats.Conn) { back <- struct{}{} }))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, "s", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case <-back:
	case <-ctx.Done():
		t.Fatal("the connection did not come back")
	}
	if s.ClientURL() != url {
		t.Errorf("listens on %s, before on %s", s.ClientURL(), url)
	}
	stream, err := js.Stream(ctx, "S")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := stream.GetMsg(ctx, 1); err != nil || string(m.Data) != "kept" {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestInterestIsASubscription(t *testing.T) {
	s := start(t, embed.Options{StoreDir: t.TempDir()})
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	const subject = "plan.event.created.s.p"
	if s.HasInterest(subject) {
		t.Error("interest without a subscription")
	}
	for _, pattern := range []string{subject, "plan.event.>", "*.event.*.s.*", "plan.event.created.*.p"} {
		sub, err := nc.QueueSubscribeSync(pattern, "group")
		if err != nil {
			t.Fatal(err)
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		if !s.HasInterest(subject) || s.HasInterest("plan.event.closed.t.q") != (pattern == "plan.event.>") {
			t.Errorf("%s: interest %v, another %v", pattern, s.HasInterest(subject), s.HasInterest("plan.event.closed.t.q"))
		}
		if err := errors.Join(sub.Unsubscribe(), nc.Flush()); err != nil {
			t.Fatal(err)
		}
		if s.HasInterest(subject) {
			t.Errorf("%s: interest of a subscription that has ended", pattern)
		}
	}
	if err := s.Shutdown(); err != nil {
		t.Fatal(err)
	}
	if !s.HasInterest(subject) {
		t.Error("a server that is gone cannot know that there is no subscription")
	}
}

func TestBatchesUpToTheLimitAreTaken(t *testing.T) {
	s := start(t, embed.Options{StoreDir: t.TempDir()})
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	cfg := jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}, AllowAtomicPublish: true}
	if _, err := js.CreateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{s.MaxBatch(), s.MaxBatch() + 1} {
		for i := 1; i < size; i++ {
			msg := nats.NewMsg("s")
			msg.Header.Set("Nats-Batch-Id", strconv.Itoa(size))
			msg.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i))
			if err := nc.PublishMsg(msg); err != nil {
				t.Fatal(err)
			}
		}
		last := nats.NewMsg("s")
		last.Header.Set("Nats-Batch-Id", strconv.Itoa(size))
		last.Header.Set("Nats-Batch-Sequence", strconv.Itoa(size))
		last.Header.Set("Nats-Batch-Commit", "1")
		answer, err := nc.RequestMsg(last, patience)
		if err != nil {
			t.Fatal(err)
		}
		if taken := !strings.Contains(string(answer.Data), "error"); taken != (size == s.MaxBatch()) {
			t.Errorf("a batch of %d: %s", size, answer.Data)
		}
	}
}
