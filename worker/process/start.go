package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Check reports why a program cannot be started, in words for a person, as far as that shows without
// a start; nil: it is there.
func Check(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return unstarted(program, err)
	}
	return nil
}

// mostPath bounds the PATH that an error shows.
const mostPath = 100

// A startError is that of package exec, whose words are for programmers, in other words.
type startError struct {
	text string
	err  error
}

func (e *startError) Error() string { return e.text }
func (e *startError) Unwrap() error { return e.err }

// unstarted explains why a program did not start.
func unstarted(program string, err error) error {
	return &startError{whyUnstarted(program, err), err}
}

func whyUnstarted(program string, err error) string {
	is, statErr := os.Stat(program)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, exec.ErrDot):
		path := os.Getenv("PATH")
		if len(path) > mostPath {
			path = path[:mostPath] + "…"
		}
		remedy := "give its path, or put its folder into PATH"
		if statErr == nil && !is.IsDir() && filepath.Base(program) == program {
			remedy = "that of this folder is ./" + program
		}
		return fmt.Sprintf("no folder of PATH (%s) has a program %s: %s", path, program, remedy)
	case statErr == nil && is.IsDir():
		return fmt.Sprintf("%s is a folder, and no program", program)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("%s may not be executed: chmod +x lets it be", program)
	case errors.Is(err, fs.ErrNotExist) && statErr == nil:
		return fmt.Sprintf("%s did not start, because the program that its first line names is not there", program)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no file %s", program)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("%s is no program of this machine; a script begins with a line such as #!/bin/sh", program)
	}
	if at, is := errors.AsType[*fs.PathError](err); is {
		err = at.Err // without the call that failed
	}
	return fmt.Sprintf("%s did not start: %v", program, err)
}
