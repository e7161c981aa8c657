//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives the program a process group of its own, and makes the end of
// its context a SIGTERM to all of the group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return signalGroup(cmd, syscall.SIGTERM) }
}

// killGroup kills the remaining processes of the group.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = signalGroup(cmd, syscall.SIGKILL) // mostly there is none
	}
}

func signalGroup(cmd *exec.Cmd, sig syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
