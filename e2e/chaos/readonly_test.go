//go:build linux

package chaos

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestAReadOnlyDiskIsReportedAtOnce has an ext4 find an error, after which it accepts no write
// any more. The node reports that it is not ready and that no leader is known, and requests get
// the answer that their outcome is unknown, before the leader gives up ten seconds later.
func TestAReadOnlyDiskIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	disk := newExt4(t, t.TempDir())
	in := buildOn(t, disk.folder)
	n := in.nodes[0]
	nc := in.connect("publisher")
	disk.fail(t)
	m, err := nc.Request("plans.create", []byte(`{"station":"w","plan_id":"p","command":"c","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"}`), patience)
	if err != nil || !strings.Contains(string(m.Data), `"code":"unavailable"`) {
		t.Errorf("a request is answered %v: %s", err, m.Data)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		code, body := n.readyz(t)
		if code == http.StatusServiceUnavailable && strings.Contains(body, "no leader is known") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("/readyz answers %d %s", code, body)
		}
	}
	if logged := n.log.grep(n.since, "stood down"); len(logged) > 0 {
		t.Errorf("the requests were answered only when the leader had given up: %q", logged)
	}
}

// readyz asks whether a node is ready.
func (n *node) readyz(t *testing.T) (int, string) {
	t.Helper()
	resp, err := http.Get("http://" + n.http + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// An ext4 is a folder on a file system of its own that can be made to fail.
type ext4 struct {
	image, mount string
	folder       string // on it
}

// newExt4 creates one, in a file in dir.
func newExt4(t *testing.T, dir string) *ext4 {
	t.Helper()
	d := &ext4{image: filepath.Join(dir, "image"), mount: t.TempDir()}
	d.folder = filepath.Join(d.mount, "data")
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.image, 256<<20); err != nil {
		t.Fatal(err)
	}
	for _, do := range []func() error{func() error { return execute("mkfs.ext4", "-q", d.image) }, d.attach} {
		if err := do(); err != nil {
			t.Skipf("no disk can be had here that fails: %v", err)
		}
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(d.mount, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *ext4) attach() error {
	return execute("mount", "-o", "loop,errors=remount-ro", d.image, d.mount)
}

func execute(program string, args ...string) error {
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

// fail causes an error in the file system, after which it can only be read.
func (d *ext4) fail(t *testing.T) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		_, device, is := strings.Cut(line, " - ext4 /dev/")
		if !is || strings.Fields(line)[4] != d.mount {
			continue
		}
		device, _, _ = strings.Cut(device, " ")
		if err := os.WriteFile(filepath.Join("/sys/fs/ext4", device, "trigger_fs_error"), []byte("planted"), 0o200); err != nil {
			t.Skipf("this kernel lets no ext4 find an error: %v", err)
		}
		return
	}
	t.Fatalf("%s is not mounted", d.mount)
}

// again checks the file system and mounts it anew. Pages that the kernel could not write
// are gone.
func (d *ext4) again(t *testing.T) {
	t.Helper()
	if err := syscall.Unmount(d.mount, 0); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := execute("e2fsck", "-fy", d.image); errors.As(err, &exit) && exit.ExitCode() > 1 || err != nil && exit == nil {
		t.Fatal(err) // 1: errors were corrected
	}
	if err := d.attach(); err != nil {
		t.Fatal(err)
	}
}

// Acknowledged plans are there when a failed disk is mounted again. One disk turned read-only,
// and the fsync of the other fails, because the disk under it is full.
func TestAcknowledgedWritesAreThereWhenTheDiskIsMountedAgain(t *testing.T) {
	t.Parallel()
	t.Run("read-only", func(t *testing.T) {
		t.Parallel()
		disk := newExt4(t, t.TempDir())
		outlives(t, disk, func() { disk.fail(t) }, func() {})
	})
	t.Run("fsync", func(t *testing.T) {
		t.Parallel()
		below := smallDisk(t)
		filler := filepath.Join(below, "filler")
		outlives(t, newExt4(t, below), func() {
			if err := fill(filler, 0); err != nil {
				t.Fatal(err)
			}
		}, func() {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// outlives creates plans on a disk until it fails and none is acknowledged any more, and
// checks that those acknowledged before are there when the disk is repaired.
func outlives(t *testing.T, disk *ext4, fail, repair func()) {
	t.Helper()
	in := buildOn(t, disk.folder)
	n, nc := in.nodes[0], in.connect("publisher")
	var acknowledged []string
	create := func() bool {
		id := fmt.Sprintf("p%d", len(acknowledged))
		m, err := nc.Request("plans.create", fmt.Appendf(nil, `{"station":"w","plan_id":%q,"command":"c","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"}`, id), patience)
		if err != nil || !strings.Contains(string(m.Data), `"created":true`) {
			return false
		}
		acknowledged = append(acknowledged, id)
		return true
	}
	for range 50 {
		if !create() {
			t.Fatal("a plan is not created, though the disk is whole")
		}
	}
	fail()
	for end := time.Now().Add(patience); create(); {
		if time.Now().After(end) {
			t.Fatal("plans are created on a disk that has failed")
		}
	}
	n.kill9()
	repair()
	disk.again(t)
	in.start(n)
	in.awaitReady(n)
	there, listed := (&publisher{in: in, nc: []*nats.Conn{nc}}).list()
	if !listed {
		t.Fatal("plans cannot be listed")
	}
	for _, id := range acknowledged {
		if _, is := there[id]; !is {
			t.Errorf("plan %s was acknowledged, and is gone", id)
		}
	}
	t.Logf("%d plans were acknowledged", len(acknowledged))
}
