package main

import (
	"bytes"
	"log"
	"log/slog"
	"strings"
)

// packageLog is the output of package log, to which net/http writes about connections of calls.
// It writes each line to a logger without the line's quotations, because net/http quotes bytes
// of an answer there, which may repeat a secret of the request.
type packageLog struct{ to *slog.Logger }

// Write is that of [io.Writer]; each call is one line.
func (p packageLog) Write(line []byte) (int, error) {
	text, _, _ := strings.Cut(string(bytes.TrimSpace(line)), `"`)
	if _, is := strings.CutPrefix(text, "Unsolicited response received on idle HTTP channel"); is {
		p.to.Info("the target of a call sent bytes behind its answer; the connection is closed")
		return len(line), nil
	}
	p.to.Warn("a library logged", "line", strings.TrimSpace(text))
	return len(line), nil
}

// redirect makes package log write to a logger until restore is called.
func redirect(to *slog.Logger) (restore func()) {
	output, flags := log.Writer(), log.Flags()
	log.SetOutput(packageLog{to})
	log.SetFlags(0)
	return func() {
		log.SetOutput(output)
		log.SetFlags(flags)
	}
}
