//go:build linux

package chaos

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAReadOnlyDiskIsToldAtOnce: an ext4 that has found an error takes no write any more. The
// node says that it is not ready, and that nobody leads, and who asks is told that nobody
// knows, before the leader gives up: ten seconds later.
func TestAReadOnlyDiskIsToldAtOnce(t *testing.T) {
	t.Parallel()
	disk := newExt4(t)
	in := buildOn(t, disk.folder)
	n := in.nodes[0]
	nc := in.connect("publisher")
	disk.fail(t)
	m, err := nc.Request("plans.create", []byte(`{"station":"w","plan_id":"p","command":"c","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"}`), patience)
	if err != nil || !strings.Contains(string(m.Data), `"code":"unavailable"`) {
		t.Errorf("who asks is told %v: %s", err, m.Data)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		code, body := n.readyz(t)
		if code == http.StatusServiceUnavailable && strings.Contains(body, "nobody is known to lead it") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("/readyz says %d %s", code, body)
		}
	}
	if said := n.log.grep(n.since, "stood down"); len(said) > 0 {
		t.Errorf("it was told only when the leader had given up: %q", said)
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

// An ext4 is a folder on a file system of its own that can be made to find an error.
type ext4 struct {
	folder  string
	trigger string // a file of the kernel: what is written there is the error
}

// newExt4 makes one, in a file.
func newExt4(t *testing.T) ext4 {
	t.Helper()
	dir := t.TempDir()
	image, folder := filepath.Join(dir, "image"), filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 256<<20); err != nil {
		t.Fatal(err)
	}
	before := mounted(t)
	for _, args := range [][]string{
		{"mkfs.ext4", "-q", image}, {"mount", "-o", "loop,errors=remount-ro", image, folder},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no disk can be had here that fails: %s: %v %s", strings.Join(args, " "), err, out)
		}
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	for device := range mounted(t) {
		if !before[device] {
			return ext4{filepath.Join(folder, "data"), filepath.Join("/sys/fs/ext4", device, "trigger_fs_error")}
		}
	}
	t.Skip("no disk can be had here that fails: the kernel does not show it")
	return ext4{}
}

// mounted are the devices with an ext4 on them.
func mounted(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	devices, err := filepath.Glob("/sys/fs/ext4/loop*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		all[filepath.Base(d)] = true
	}
	return all
}

// fail has the file system find an error, after which it can only be read.
func (d ext4) fail(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(d.trigger, []byte("planted"), 0o200); err != nil {
		t.Fatal(err)
	}
}
