//go:build linux

package chaos

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestAStreamThatWasTakenAwayStopsLoudly: a stream that was deleted, or that is not the
// one that it was, is nothing to go on with.
func TestAStreamThatWasTakenAwayStopsLoudly(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(context.Context, jetstream.JetStream) error{
		"deleted": func(ctx context.Context, js jetstream.JetStream) error {
			return js.DeleteStream(ctx, "PLAN_JOURNAL")
		},
		"recreated": func(ctx context.Context, js jetstream.JetStream) error {
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
		"bucket deleted": func(ctx context.Context, js jetstream.JetStream) error {
			return js.DeleteKeyValue(ctx, "plans")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := build(t, setup{name: "loud", hosts: 1, nodes: 1, partitions: 1})
			h := newHistory()
			workers := &crew{in: in, hist: h, seed: 1}
			workers.hire()
			ctx, stop := context.WithCancel(t.Context())
			load := publish(ctx, in, h, 8, 1)
			if _, ok := h.after(0, 0, patience); !ok {
				t.Fatal("nothing is executed")
			}
			js, err := jetstream.New(in.connect("harm"))
			if err != nil {
				t.Fatal(err)
			}
			if err := harm(t.Context(), js); err != nil {
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

// TestAFullDiskLosesNothing: what was acknowledged before is there, and all goes on
// when there is room.
func TestAFullDiskLosesNothing(t *testing.T) {
	if *length == 0 {
		t.Skip("it takes half a minute: -for is not given")
	}
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("no small disk can be had here: mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	in := buildOn(t, dir)
	h := newHistory()
	workers := &crew{in: in, hist: h, seed: 1}
	workers.hire()
	observe(in, h)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	load := publish(ctx, in, h, 24, 1)
	if _, ok := h.after(0, 0, patience); !ok {
		t.Fatal("nothing is executed")
	}
	filler := filepath.Join(dir, "filler")
	if err := fill(filler); err != nil {
		t.Fatal(err)
	}
	rest(ctx, 5*time.Second)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if !h.actsSince(0, time.Now(), patience) {
		t.Fatal("it does not go on, though there is room again")
	}
	stop()
	load.slots.Wait()
	left := load.finish()
	workers.busy.Wait()
	h.edit(func() { h.faults = append(h.faults, &fault{Kind: "full disk", Store: true, Over: time.Now()}) })
	v := check(h, readResults(t, in), left)
	for _, violation := range v.Violations {
		t.Error(violation)
	}
}

// fill writes until there is no room.
func fill(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for block := make([]byte, size); err == nil; {
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
func buildOn(t *testing.T, dir string) *installation {
	in := &installation{t: t, setup: setup{name: "alone", nodes: 1, partitions: 1}, leaders: map[int]lead{}}
	n := &node{http: freeAddress(t), dir: dir}
	address := freeAddress(t)
	n.process = newProcess(t, "n0", binary, []string{
		"serve", "--node", "n0", "--http-listen", n.http, "--data-dir", dir, "--nats-listen", address,
		"--results-per-plan", strconv.Itoa(1_000_000), "--results-bytes", strconv.Itoa(8 << 20),
	}, nil)
	in.nodes, in.urls = []*node{n}, urls([]string{address})
	in.start(n)
	in.awaitReady(n)
	in.watchLeaders()
	return in
}
