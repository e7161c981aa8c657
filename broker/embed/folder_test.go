package embed_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/embed"
	"github.com/stationmaster-io/stationmaster/e2e/port"
)

// refused starts a server that has to fail with this text in its error.
func refused(t *testing.T, o embed.Options, message string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := embed.Start(ctx, o)
	if err == nil {
		err = errors.Join(errors.New("it starts"), s.Shutdown())
	}
	if !strings.Contains(err.Error(), message) {
		t.Errorf("%s: %v, want %q", o.StoreDir, err, message)
	}
}

// filled is a store folder in which a server alone has made a stream; it runs on.
func filled(t *testing.T) (dir string, s *embed.Server) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	s = start(t, embed.Options{StoreDir: dir})
	onlyStream(t, s, true)
	return dir, s
}

// onlyStream creates a stream, or checks that it exists.
func onlyStream(t *testing.T, s *embed.Server, makes bool) {
	t.Helper()
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	if makes {
		_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	} else {
		_, err = js.Stream(t.Context(), "S")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func shutdown(t *testing.T, s *embed.Server) {
	t.Helper()
	if err := s.Shutdown(); err != nil {
		t.Fatal(err)
	}
}

// A folder within a store folder is refused to a server, by any path to it, because its
// nats-server would take the store of the other apart, or begin an empty one unseen.
func TestAPartOfAStoreFolderIsRefused(t *testing.T) {
	dir, s := filled(t)
	links := t.TempDir()
	link, inner := filepath.Join(links, "data"), filepath.Join(links, "inner")
	if err := errors.Join(os.Symlink(dir, link), os.Symlink(filepath.Join(dir, "jetstream"), inner)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"jetstream", "jetstream/.", "jetstream/$G", "jetstream/new", "jetstream/$G/streams/S", "other", "other/deeper", "empty", "empty/."} {
		for _, way := range []string{dir, link} {
			refused(t, embed.Options{StoreDir: way + "/" + part}, "is a part of store folder "+dir)
		}
	}
	refused(t, embed.Options{StoreDir: inner}, "is a part of store folder "+dir)
	if _, err := os.Stat(filepath.Join(dir, "jetstream", "LOCK")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a lock was left there: %v", err)
	}
	shutdown(t, s)
	refused(t, embed.Options{StoreDir: filepath.Join(dir, "jetstream")}, "is a part of store folder "+dir)
	s = start(t, embed.Options{StoreDir: dir})
	onlyStream(t, s, false)
	shutdown(t, s)
	// A store folder of its own, which was there before, goes on.
	within := filepath.Join(dir, "within")
	if err := os.MkdirAll(filepath.Join(within, "jetstream"), 0o700); err != nil {
		t.Fatal(err)
	}
	start(t, embed.Options{StoreDir: within})

	// Without the folder above, its content shows that it is a part.
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(dir, "jetstream"))); err != nil {
		t.Fatal(err)
	}
	refused(t, embed.Options{StoreDir: copied}, "it holds $G: give the folder above it")
	start(t, embed.Options{StoreDir: filepath.Dir(filepath.Dir(dir))}) // the test's own, above all of it
}

// A folder that was mistyped begins as an empty installation, which looks healthy.
func TestANewStoreIsLogged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data ")
	for _, want := range []bool{true, false} {
		var log strings.Builder
		s, err := embed.Start(t.Context(), embed.Options{StoreDir: dir, Listen: "127.0.0.1:0", Name: "n1", Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		nc, err := s.Connect()
		if err != nil {
			t.Fatal(err)
		}
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "A"}); err != nil {
			t.Fatal(err)
		}
		nc.Close()
		if err := s.Shutdown(); err != nil {
			t.Fatal(err)
		}
		if is := strings.Contains(log.String(), "a new store was made") && strings.Contains(log.String(), dir); is != want {
			t.Errorf("a new store is logged: %t, want %t\n%s", is, want, log.String())
		}
	}
}

// When an older release was started on a part of a store folder, the start fails with this
// reason, because its server would never be healthy.
func TestAMovedStoreIsReportedAndGoesOn(t *testing.T) {
	dir, s := filled(t)
	shutdown(t, s)
	in := filepath.Join(dir, "jetstream")
	deeper, lock := filepath.Join(in, "jetstream"), filepath.Join(in, "LOCK")
	err := errors.Join(os.Mkdir(deeper, 0o700), os.Rename(filepath.Join(in, "$G"), filepath.Join(deeper, "$G")), os.WriteFile(lock, nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	refused(t, embed.Options{StoreDir: dir}, "the store is in "+deeper+" now")
	// The part is a store folder now.
	s = start(t, embed.Options{StoreDir: in})
	onlyStream(t, s, false)
	shutdown(t, s)
	if err := errors.Join(os.Rename(filepath.Join(deeper, "$G"), filepath.Join(in, "$G")), os.RemoveAll(deeper)); err != nil {
		t.Fatal(err)
	}
	refused(t, embed.Options{StoreDir: dir}, "remove "+lock)
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	onlyStream(t, start(t, embed.Options{StoreDir: dir}), false)
}

// A folder that a server alone has filled is refused to a cluster, also when a server of a
// cluster that was never complete has run on it before; alone it goes on.
func TestAFolderOfAServerAloneIsNoneForACluster(t *testing.T) {
	dir := t.TempDir()
	var at [2]string
	for i := range at {
		var err error
		if at[i], err = port.Free(); err != nil {
			t.Fatal(err)
		}
	}
	cluster := embed.Options{
		StoreDir: dir, Name: "a", Listen: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler),
		Cluster: embed.Cluster{Name: "c", Listen: at[0], Routes: []string{"nats://" + at[0], "nats://" + at[1]}},
	}
	waiting, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if s, err := embed.Start(waiting, cluster); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("one of two is a cluster: %v, %v", s, err)
	}
	s := start(t, embed.Options{StoreDir: dir})
	onlyStream(t, s, true)
	refused(t, cluster, "is in use") // first of all
	shutdown(t, s)
	refused(t, cluster, "was filled by a server alone")
	s = start(t, embed.Options{StoreDir: dir})
	onlyStream(t, s, false)
	shutdown(t, s)
	if err := os.RemoveAll(filepath.Join(dir, "jetstream", "$SYS")); err != nil {
		t.Fatal(err)
	}
	refused(t, cluster, "was filled by a server alone")
}
