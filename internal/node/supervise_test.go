package node_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/broker/embed"
	"github.com/stationmaster-io/stationmaster/internal/node"
)

// A ward is a supervised nats-server with a stream S that holds a message.
type ward struct {
	*embed.Server
	t       *testing.T
	nc      *nats.Conn
	streams string // the folder of the streams
	log     diary  // the supervisor's
}

// supervised runs f under fake time while a server is supervised.
func supervised(t *testing.T, f func(t *testing.T, w *ward)) {
	brokertest.FakeTime(t, func(t *testing.T, _ *server.Server) {
		dir := t.TempDir()
		w := &ward{t: t, streams: filepath.Join(dir, "jetstream", "$G", "streams")}
		s, err := embed.Start(t.Context(), embed.Options{StoreDir: dir, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Shutdown(); err != nil {
				t.Error(err)
			}
		})
		w.Server = s
		if w.nc, err = s.Connect(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.nc.Close)
		_, err = w.jetStream().CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
		w.must(err)
		_, err = w.jetStream().Publish(t.Context(), "s", []byte("kept"))
		w.must(err)
		ctx, stop := context.WithCancel(t.Context())
		var supervising sync.WaitGroup
		supervising.Go(func() { node.Supervise(ctx, s, slog.New(slog.NewTextHandler(&w.log, nil))) })
		defer supervising.Wait()
		defer stop()
		f(t, w)
	})
}

func (w *ward) jetStream() jetstream.JetStream {
	w.t.Helper()
	js, err := jetstream.New(w.nc)
	w.must(err)
	return js
}

// passes lets time pass, and waits until its effects are done.
func (w *ward) passes(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// logged counts the occurrences of a text in the log.
func (w *ward) logged(what string) int { return strings.Count(w.log.String(), what) }

// must ends a test whose preparation failed.
func (w *ward) must(errs ...error) {
	w.t.Helper()
	if err := errors.Join(errs...); err != nil {
		w.t.Fatal(err)
	}
}

// Stream S stands for one that takes no writes after a full disk. Its files are intact, the
// server reports itself unhealthy, and only a restart makes it usable again.
func TestASickServerIsRestarted(t *testing.T) {
	supervised(t, func(t *testing.T, w *ward) {
		files, aside := filepath.Join(w.streams, "S"), t.TempDir()
		w.must(os.CopyFS(aside, os.DirFS(files)), w.jetStream().DeleteStream(t.Context(), "S"))
		// The server answers first, and removes the stream's files and the empty folder
		// around them after that.
		synctest.Wait()
		w.must(os.CopyFS(files, os.DirFS(aside)))
		w.passes(node.SuperviseEvery + node.SickFor - time.Second)
		if w.logged("nats-server is unhealthy") != 1 || w.logged("restarted") != 0 || w.Healthz() == nil {
			t.Errorf("shortly before it has been sick for too long, it is %v:\n%s", w.Healthz(), &w.log)
		}
		w.passes(2 * time.Second)
		if w.logged("nats-server stayed unhealthy and is restarted") != 1 || w.Healthz() != nil {
			t.Fatalf("when it has been sick for too long, it is %v:\n%s", w.Healthz(), &w.log)
		}
		stream, err := w.jetStream().Stream(t.Context(), "S")
		w.must(err)
		if m, err := stream.GetMsg(t.Context(), 1); err != nil || string(m.Data) != "kept" {
			t.Errorf("its stream holds %v, %v", m, err)
		}
		w.passes(time.Minute)
		if w.logged("restarted") != 1 {
			t.Errorf("it is well, and is restarted again:\n%s", &w.log)
		}
	})
}

func TestAHealthyServerIsLeftAlone(t *testing.T) {
	supervised(t, func(t *testing.T, w *ward) {
		w.passes(time.Minute)
		if w.log.String() != "" || w.nc.Stats().Reconnects > 0 {
			t.Errorf("it is restarted, or the log has something:\n%s", &w.log)
		}
		// A server that recovers in time is not restarted, however often it is unhealthy.
		unknown := filepath.Join(w.streams, "T")
		for range 5 {
			w.must(os.Mkdir(unknown, 0o700))
			w.passes(node.SickFor - node.SuperviseEvery)
			w.must(os.Remove(unknown))
			w.passes(node.SuperviseEvery)
		}
		if w.logged("nats-server is unhealthy") != 5 || w.logged("restarted") != 0 || w.nc.Stats().Reconnects > 0 {
			t.Errorf("it got well in time, and is restarted, or was not looked at:\n%s", &w.log)
		}
	})
}
