package main

import (
	"context"
	"io/fs"
	"os"
)

// An input is standard input whose reads end with the context, because a signal would otherwise end no
// command that reads without an end, as from yes, or waits for a line.
type input struct {
	ctx  context.Context //nolint:containedctx // a Read takes none
	file *os.File
}

func (in *input) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	type outcome struct {
		body []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		body := make([]byte, len(p)) // p is the caller's again when the context ends
		n, err := in.file.Read(body)
		done <- outcome{body[:n], err}
	}()
	select {
	case is := <-done:
		return copy(p, is.body), is.err
	case <-in.ctx.Done():
		return 0, in.ctx.Err()
	}
}

// Stat tells whether it is a terminal.
func (in *input) Stat() (fs.FileInfo, error) { return in.file.Stat() }
