package main

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
)

// A read that waits ends with the context, and so does one that finds more and more.
func TestASignalEndsTheReadOfStandardInput(t *testing.T) {
	for name, feed := range map[string]func(io.Writer){
		"nothing comes": func(io.Writer) {},
		"it never ends": func(w io.Writer) {
			for {
				if _, err := io.WriteString(w, "y\n"); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			go feed(w)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := io.Copy(io.Discard, &input{ctx, r})
				ended <- err
			}()
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			w.Close() //nolint:errcheck,gosec // it was only written to
			r.Close() //nolint:errcheck,gosec // it was only read
		})
	}
}
