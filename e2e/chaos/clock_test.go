//go:build linux

package chaos

import (
	"bytes"
	"context"
	"debug/elf"
	endian "encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A wallClock is the time of day that one process sees. It goes with the machine's, a set
// time ahead of it or behind; the clock for durations (CLOCK_MONOTONIC) stays as it is.
//
// Go asks for the time in the vDSO, code of the kernel that is mapped into each process.
// A process that is still to run its first instruction gets other code there, in its own
// copy of the page: a system call, and an addition to its answer.
type wallClock struct {
	pid    int
	memory *os.File
	ahead  int64 // the address of the added seconds, then nanoseconds
}

// aheadCode takes the place of clock_gettime(edi = the clock, rsi = a timespec).
var aheadCode = []byte{
	0xb8, 0xe4, 0, 0, 0, // mov $228, %eax: clock_gettime
	0x0f, 0x05, // syscall
	0x85, 0xff, // test %edi, %edi: CLOCK_REALTIME is 0
	0x75, 0x30, // jne done
	0x85, 0xc0, // test %eax, %eax
	0x75, 0x2c, // jne done
	0x48, 0x8b, 0x0d, 0x32, 0, 0, 0, // mov nanoseconds(%rip), %rcx
	0x48, 0x03, 0x4e, 0x08, // add 8(%rsi), %rcx
	0x48, 0x8b, 0x15, 0x1f, 0, 0, 0, // mov seconds(%rip), %rdx
	0x48, 0x81, 0xf9, 0x00, 0xca, 0x9a, 0x3b, // cmp $1000000000, %rcx
	0x7c, 0x0a, // jl store
	0x48, 0x81, 0xe9, 0x00, 0xca, 0x9a, 0x3b, // sub $1000000000, %rcx
	0x48, 0xff, 0xc2, // inc %rdx
	0x48, 0x89, 0x4e, 0x08, // store: mov %rcx, 8(%rsi)
	0x48, 0x01, 0x16, // add %rdx, (%rsi)
	0xc3,                   // done: ret
	0x0f, 0x1f, 0x40, 0x00, // nop
	0, 0, 0, 0, 0, 0, 0, 0, // seconds
	0, 0, 0, 0, 0, 0, 0, 0, // nanoseconds
}

const aheadAt = 0x40 // of the seconds in it

var errNoClock = errors.New("the clock of a process cannot be set here")

// takeClock gives a process that was started with SysProcAttr.Ptrace a clock of its own,
// and lets it run. The caller is the thread that started it. The process runs also after an
// error.
func takeClock(pid int) (clock *wallClock, err error) {
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
		return nil, fmt.Errorf("wait for the start of %d: %w", pid, errors.Join(err, errNoClock))
	}
	defer func() {
		if e := unix.PtraceDetach(pid); e != nil {
			err = errors.Join(err, fmt.Errorf("detach %d: %w", pid, e))
		}
	}()
	if runtime.GOARCH != "amd64" {
		return nil, errNoClock
	}
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoClock, err)
	}
	at, err := findGettime(pid, memory)
	if err == nil {
		_, err = memory.WriteAt(aheadCode, at)
	}
	if err != nil {
		_ = memory.Close()
		return nil, fmt.Errorf("%w: %w", errNoClock, err)
	}
	return &wallClock{pid: pid, memory: memory, ahead: at + aheadAt}, nil
}

// findGettime finds where clock_gettime is in the memory of a process.
func findGettime(pid int, memory io.ReaderAt) (int64, error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(line, "[vdso]\n") {
			continue
		}
		var from, to int64
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
			return 0, err
		}
		image := make([]byte, to-from)
		if _, err := memory.ReadAt(image, from); err != nil {
			return 0, err
		}
		file, err := elf.NewFile(bytes.NewReader(image))
		if err != nil {
			return 0, err
		}
		symbols, err := file.DynamicSymbols()
		if err != nil {
			return 0, err
		}
		for _, s := range symbols {
			at := from + int64(s.Value)
			if s.Name == "__vdso_clock_gettime" && s.Size >= uint64(len(aheadCode)) && at%8 == 0 {
				return at, nil
			}
		}
	}
	return 0, errors.New("no vDSO with a clock_gettime to replace")
}

// close lets go of the memory of a process that has ended.
func (c *wallClock) close() {
	if c != nil {
		_ = c.memory.Close()
	}
}

// set sets the clock so much ahead of the machine's, or behind it. The process is stopped
// meanwhile, so that no thread of it reads a value that is half written.
func (c *wallClock) set(ahead time.Duration) error {
	if c == nil {
		return errNoClock
	}
	if err := unix.Kill(c.pid, unix.SIGSTOP); err != nil {
		return err
	}
	defer unix.Kill(c.pid, unix.SIGCONT) //nolint:errcheck // it is a child of ours
	if err := unix.Waitid(unix.P_PID, c.pid, nil, unix.WSTOPPED, nil); err != nil {
		return err
	}
	seconds := ahead / time.Second
	if ahead < seconds*time.Second {
		seconds-- // the added nanoseconds are never negative
	}
	words := endian.NativeEndian.AppendUint64(nil, uint64(seconds))
	words = endian.NativeEndian.AppendUint64(words, uint64(ahead-seconds*time.Second))
	_, err := c.memory.WriteAt(words, c.ahead)
	return err
}

// timed reports whether every node has a clock of its own.
func timed(in *installation) bool {
	for _, n := range in.nodes {
		if n.running() && n.clock == nil {
			return false
		}
	}
	return true
}

// wrongClock sets a node's clock, and some seconds later sets it right, or kills the node, whose
// next life has the machine's time.
func (n *nemesis) wrongClock(ctx context.Context, f *fault) {
	v := n.victim(f)
	ahead := n.jump()
	f.Target += " " + ahead.String()
	f.At = time.Now()
	n.set(v, ahead)
	rest(ctx, time.Duration(500+n.chance.IntN(3500))*time.Millisecond)
	if n.chance.IntN(4) == 0 {
		f.Target += ", and killed"
		v.kill9()
		n.in.forget(v.name)
		n.in.start(v)
	} else {
		n.set(v, 0)
	}
	s := skew{span{f.At, time.Now()}, ahead}
	n.hist.edit(func() { n.hist.skews = append(n.hist.skews, s) })
}

// jump is the error of a wrong clock. One that is ahead is so by at most the time for which plans
// wait before the check begins, because the clock is right again then; for one that is behind,
// nothing waits.
func (n *nemesis) jump() time.Duration {
	most := 20 * time.Second
	if *length == 0 {
		most = 4 * time.Second
	}
	if n.chance.IntN(2) == 0 {
		return time.Duration(n.chance.Int64N(int64(most))).Round(time.Millisecond)
	}
	return -time.Duration(n.chance.Int64N(int64(most) << n.chance.IntN(8))).Round(time.Millisecond)
}

// set sets the clock of a node, and checks the clock that it shows.
func (n *nemesis) set(v *node, ahead time.Duration) {
	if err := v.setClock(ahead); err != nil {
		n.in.t.Fatalf("set the clock of %s: %v", v.name, err)
	}
	asked := time.Now()
	resp, err := http.Get("http://" + v.http + "/healthz")
	if err != nil {
		n.in.t.Fatalf("ask %s for the time: %v", v.name, err)
	}
	_ = resp.Body.Close()
	shown, err := http.ParseTime(resp.Header.Get("Date"))
	// The header has whole seconds.
	if since := shown.Add(-ahead); err != nil || since.Before(asked.Add(-time.Second)) || since.After(time.Now()) {
		n.in.t.Errorf("%s was set %v ahead, and asked at %v it shows %v: %v", v.name, ahead, asked, shown, err)
	}
}
