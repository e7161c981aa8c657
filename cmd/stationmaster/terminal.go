package main

import (
	"bytes"
	"io"
	"os"
)

// onTerminal is out, without the sequences that control a terminal if it is one, because descriptions,
// notes and keys are texts of others, which could write over the screen of the person who lists them.
func onTerminal(out *os.File) io.Writer {
	if info, err := out.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return out
	}
	return withoutEscapes{out}
}

// A withoutEscapes writes a mark in place of each character that begins a control sequence (ECMA-48).
type withoutEscapes struct{ to io.Writer }

// Write writes all of p, or returns an error.
func (w withoutEscapes) Write(p []byte) (int, error) {
	if bytes.IndexByte(p, 0x1b) < 0 && !bytes.Contains(p, []byte("\u009b")) {
		return w.to.Write(p)
	}
	plain := bytes.ReplaceAll(bytes.ReplaceAll(p, []byte{0x1b}, []byte("�")), []byte("\u009b"), []byte("�"))
	if _, err := w.to.Write(plain); err != nil {
		return 0, err
	}
	return len(p), nil
}
