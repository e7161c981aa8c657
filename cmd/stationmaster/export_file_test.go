//go:build unix

package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe or a device is written to as it is, because a new file of its name would cut its reader off.
func TestAPipeIsWrittenTo(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // does not wait for a writer
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() //nolint:errcheck // it is only read from
	if err := writeOut(pipe, hello); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Fatalf("the pipe is %v now, %v", info.Mode(), err)
	}
	got := make([]byte, len("hello"))
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
}

// Behind links the last target is replaced, also one that is not there yet.
func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "kept"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"latest": "second", "second": filepath.Join(dir, "kept", "backup"), "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the first time the target is missing
		if err := writeOut(filepath.Join(dir, "latest"), hello); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "kept", "backup")); err != nil || string(got) != "hello" {
			t.Errorf("%q, %v", got, err)
		}
		for _, link := range []string{"latest", "second"} {
			if info, err := os.Lstat(filepath.Join(dir, link)); err != nil || info.Mode().Type() != fs.ModeSymlink {
				t.Errorf("%s is %v now, %v", link, info.Mode(), err)
			}
		}
	}
	if err := writeOut(filepath.Join(dir, "loop"), hello); err == nil {
		t.Error("links that lead in a circle were written to")
	}
}

func hello(w io.Writer) error {
	_, err := io.WriteString(w, "hello")
	return err
}
