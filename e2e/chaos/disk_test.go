//go:build linux

package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// blkio is the folder of the kernel's limits on the write rate of processes.
const blkio = "/sys/fs/cgroup/blkio"

// A slowDisk is a group of processes that may write a limited number of bytes a second to a
// disk.
type slowDisk string

// newSlowDisk creates a group without members, for the disk that a folder is on. It fails
// without the rights to do so, and if the folder is on no disk of its own.
func newSlowDisk(folder string, bytesPerSecond int) (slowDisk, error) {
	var on unix.Stat_t
	if err := unix.Stat(folder, &on); err != nil {
		return "", err
	}
	group, err := os.MkdirTemp(blkio, "stationmaster-chaos-")
	if err != nil {
		return "", err
	}
	limit := fmt.Sprintf("%d:%d %d", unix.Major(on.Dev), unix.Minor(on.Dev), bytesPerSecond)
	if err := os.WriteFile(filepath.Join(group, "blkio.throttle.write_bps_device"), []byte(limit), 0o600); err != nil {
		_ = os.Remove(group)
		return "", err
	}
	return slowDisk(group), nil
}

// take has a process write slowly from now on.
func (d slowDisk) take(pid int) error { return d.move(string(d), pid) }

// release lets it write as fast as it can, and removes the group.
func (d slowDisk) release(pid int) error {
	if err := d.move(blkio, pid); err != nil {
		return err
	}
	return os.Remove(string(d))
}

func (slowDisk) move(to string, pid int) error {
	return os.WriteFile(filepath.Join(to, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600)
}

// slowable reports whether the disks of the nats-servers can be slowed.
func slowable(in *installation) bool {
	d, err := newSlowDisk(in.servers()[0].dir, 1<<20)
	return err == nil && os.Remove(string(d)) == nil
}

// slowDisk limits a nats-server to a quarter of a megabyte a second, or up to four times as
// much, for some seconds.
func (n *nemesis) slowDisk(ctx context.Context, f *fault) {
	servers := n.in.servers()
	s := servers[n.chance.IntN(len(servers))]
	speed := 1 << (18 + n.chance.IntN(3))
	f.At, f.Target = time.Now(), fmt.Sprintf("%s: %d KiB/s", s.name, speed>>10)
	d, err := newSlowDisk(s.dir, speed)
	if err == nil {
		err = d.take(s.pid())
	}
	if err != nil {
		n.in.t.Fatalf("slow the disk of %s: %v", s.name, err)
	}
	rest(ctx, time.Duration(1000+n.chance.IntN(5000))*time.Millisecond)
	if err := d.release(s.pid()); err != nil {
		n.in.t.Errorf("let %s write again: %v", s.name, err)
	}
}
