//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestARemovedStreamStopsTheNodeWithAnError shows that no leader goes on with a stream that was
// deleted or replaced.
func TestARemovedStreamStopsTheNodeWithAnError(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(context.Context, *installation, *history, jetstream.JetStream) error{
		"deleted": func(ctx context.Context, _ *installation, _ *history, js jetstream.JetStream) error {
			return js.DeleteStream(ctx, "PLAN_JOURNAL")
		},
		"recreated": func(ctx context.Context, _ *installation, _ *history, js jetstream.JetStream) error {
			s, err := js.Stream(ctx, "PLAN_JOURNAL")
			if err != nil {
				return err
			}
			was := s.CachedInfo().Config
			if err := js.DeleteStream(ctx, "PLAN_JOURNAL"); err != nil {
				return err
			}
			_, err = js.CreateStream(ctx, was)
			return err
		},
		"bucket deleted": func(ctx context.Context, _ *installation, _ *history, js jetstream.JetStream) error {
			return js.DeleteKeyValue(ctx, "plans")
		},
		"older": func(_ context.Context, in *installation, h *history, _ jetstream.JetStream) error {
			return in.rollBack(h)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := build(t, setup{name: "loud", hosts: 1, nodes: 1, partitions: 1})
			h := newHistory()
			workers := &workers{in: in, hist: h, seed: 1}
			workers.hire()
			ctx, stop := context.WithCancel(t.Context())
			load := publish(ctx, in, h, 8, 1)
			if _, ok := h.after(0, 0, patience); !ok {
				t.Fatal("nothing is executed")
			}
			if err := harm(t.Context(), in, h, in.jetStream("harm")); err != nil {
				t.Fatal(err)
			}
			n := in.nodes[0]
			code, err := n.exit()
			stop()
			load.slots.Wait()
			if err != nil || code != 1 {
				t.Fatalf("it ended with %d: %v", code, err)
			}
			if last := n.log.tail(1); !strings.HasPrefix(last, "stationmaster: ") {
				t.Errorf("its last line is %q", last)
			}
		})
	}
}

// rollBack restarts the nats-server with its disk as it was some executions ago.
func (in *installation) rollBack(h *history) error {
	host, older := in.hosts[0], filepath.Join(in.t.TempDir(), "older")
	host.kill9()
	if err := os.CopyFS(older, os.DirFS(host.dir)); err != nil {
		return err
	}
	if err := host.spawn(); err != nil {
		return err
	}
	if !h.actsSince(0, time.Now(), patience) {
		return errors.New("it does not act again after a restart of its nats-server")
	}
	host.kill9()
	if err := os.RemoveAll(host.dir); err != nil {
		return err
	}
	if err := os.CopyFS(host.dir, os.DirFS(older)); err != nil {
		return err
	}
	return host.spawn()
}

// TestADiskThatLosesRowsIsNoticed has a disk damage the bucket, so that nats-server silently
// drops the messages that it cannot read. The running node stops; the next one reports the
// missing rows, and has all those that the journal still holds.
func TestADiskThatLosesRowsIsNoticed(t *testing.T) {
	t.Parallel()
	in := build(t, setup{name: "damaged", hosts: 1, nodes: 1, partitions: 1})
	nc, host, n := in.connect("publisher"), in.hosts[0], in.nodes[0]
	const plans = 200
	createAtOnce(t, nc, plans, `"station":"w","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"`) // the journal keeps them for ten seconds
	blocks := in.awaitRows(plans)
	host.kill9()
	for _, file := range blocks {
		if err := damage(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := host.spawn(); err != nil {
		t.Fatal(err)
	}
	if code, err := n.exit(); err != nil || code != 1 {
		t.Fatalf("it ended with %d: %v", code, err)
	}
	in.start(n)
	in.awaitReady(n)
	if logged := n.log.grep(n.since, "the end of a stream is gone"); len(logged) == 0 {
		t.Errorf("no node reports the loss")
	}
	there, listed := (&publisher{in: in, nc: []*nats.Conn{nc}}).list()
	if !listed || len(there) != plans {
		t.Errorf("%d plans of %d", len(there), plans)
	}
}

// createAtOnce creates plans p0, p1, … which are alike, and waits until all exist. It
// repeats a request that is unavailable, because the leader changes on a machine that
// stalls, and one that comes before a server has a subscriber for it.
func createAtOnce(t *testing.T, nc *nats.Conn, plans int, alike string) {
	t.Helper()
	answers, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	for until, left := time.Now().Add(patience), plans; left > 0; {
		for i := range plans {
			if err := nc.PublishRequest("plans.create", answers.Subject, fmt.Appendf(nil, `{"plan_id":"p%d","command":"c","on_conflict":"keep",%s}`, i, alike)); err != nil {
				t.Fatal(err)
			}
		}
		left = 0
		for range plans {
			m, err := answers.NextMsg(patience)
			if errors.Is(err, nats.ErrNoResponders) {
				left++
				continue
			}
			if err != nil {
				t.Fatalf("create: %v", err)
			}
			switch m.Header.Get("Nats-Service-Error-Code") {
			case "":
			case "503":
				left++
			default:
				t.Fatalf("create: %v %s", m.Header, m.Data)
			}
		}
		if left > 0 && time.Now().After(until) {
			t.Fatalf("%d of %d plans are not created", left, plans)
		}
	}
}

// awaitRows waits until the bucket has so many plans, and returns its files.
func (in *installation) awaitRows(plans int) []string {
	in.t.Helper()
	bucket, err := in.jetStream("rows").Stream(in.t.Context(), "KV_plans")
	if err != nil {
		in.t.Fatal(err)
	}
	for until := time.Now().Add(patience); ; rest(in.t.Context(), 50*time.Millisecond) {
		info, err := bucket.Info(in.t.Context(), jetstream.WithSubjectFilter("$KV.plans.plan.>"))
		if err != nil {
			in.t.Fatal(err)
		}
		if len(info.State.Subjects) == plans {
			break
		}
		if time.Now().After(until) {
			in.t.Fatalf("%d plans are in the bucket", len(info.State.Subjects))
		}
	}
	files, err := filepath.Glob(filepath.Join(in.hosts[0].dir, "jetstream", "*", "streams", "KV_plans", "msgs", "*.blk"))
	if err != nil || len(files) == 0 {
		in.t.Fatalf("no files of the bucket: %v", err)
	}
	return files
}

// damage changes eight bytes in the last part of a file.
func damage(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for i := range 8 {
		raw[len(raw)*3/4+i] ^= 0xff
	}
	return os.WriteFile(file, raw, 0o600)
}

// TestAFullDiskLosesNothing shows that requests get the answer that nothing was stored, that
// acknowledged plans from before and meanwhile are there, and that all goes on by itself when
// there is space. With -for the disk is full for that time.
func TestAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	in := buildOn(t, dir)
	n := in.nodes[0]
	h := newHistory()
	workers := &workers{in: in, hist: h, seed: 1}
	workers.hire()
	observe(in, h)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	load := publish(ctx, in, h, 24, 1)
	if _, ok := h.after(0, 0, patience); !ok {
		t.Fatal("nothing is executed")
	}
	filler, filled := filepath.Join(dir, "filler"), &fault{Kind: "full disk", Store: true, At: time.Now()}
	if err := fill(filler, smallDiskBytes/24); err != nil { // below the space that the node leaves free itself
		t.Fatal(err)
	}
	if !n.log.await(n.since, "the disk of "+dir+" is full", n.gone()) {
		t.Fatal("no node notices that the disk is full")
	}
	if a := load.untilNotMade(); a.Outcome != unknown || !strings.HasPrefix(a.Code, "unavailable: ") {
		t.Errorf("a publisher gets %s, %q; want unavailable", a.Outcome, a.Code)
	}
	if err := fill(filler, 0); err != nil {
		t.Fatal(err)
	}
	rest(ctx, *length)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	room := time.Now()
	if !h.actsSince(0, room, patience) {
		t.Fatal("it does not go on, though there is room again")
	}
	stop()
	load.slots.Wait()
	left := load.finish()
	workers.busy.Wait()
	filled.Over = time.Now()
	h.edit(func() { h.faults = append(h.faults, filled) })
	v := check(h, readResults(t, in), left)
	for _, violation := range v.Violations {
		t.Error(violation)
	}
}

const smallDiskBytes = 24 << 20

// smallDisk is a folder on a file system of its own, which is soon full.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", smallDiskBytes)); err != nil {
		t.Skipf("no small disk can be had here: to mount a tmpfs takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill appends to a file until so many bytes of its disk are free.
func fill(file string, leave int64) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for block := make([]byte, size); err == nil; {
			var disk syscall.Statfs_t
			if err := syscall.Fstatfs(int(f.Fd()), &disk); err != nil {
				return err
			}
			if int64(disk.Bavail)*disk.Bsize <= leave {
				return nil
			}
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		err = nil
	}
	return nil
}

// buildOn is one node with an embedded nats-server on a folder.
func buildOn(t *testing.T, dir string, flags ...string) *installation {
	in := newInstallation(t, setup{name: "alone", nodes: 1, partitions: 1})
	n := &node{http: freeAddress(t)}
	address := freeAddress(t)
	n.process = newProcess(t, "n0", binary, dir, append([]string{
		"serve", "--node", "n0", "--http-listen", n.http, "--data-dir", dir, "--nats-listen", address,
		"--results-per-plan", strconv.Itoa(1_000_000), "--results-bytes", strconv.Itoa(8 << 20),
	}, flags...), nil)
	in.nodes, in.addresses = []*node{n}, []string{address}
	in.start(n)
	in.awaitReady(n)
	in.watchLeaders()
	return in
}
