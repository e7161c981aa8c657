//go:build !unix

package process

import "os/exec"

// ownGroup leaves the program in our group, so that the end of its context kills it alone.
func ownGroup(*exec.Cmd) {}

// killGroup kills the program.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // mostly it has ended
	}
}
