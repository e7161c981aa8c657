package broker

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrFenced says that another holder writes here now: what was handed over is
	// not stored and never will be.
	ErrFenced = errors.New("another holder writes here now")

	// ErrGap says that appends are missing from the journal: a purge passed the
	// reader. It must load the bucket before it can follow again.
	ErrGap = errors.New("the journal no longer holds what comes next")

	// ErrNewer says that a newer release wrote an append that this one cannot read.
	ErrNewer = errors.New("written by a newer release")

	// ErrNotFound says that a bucket has no such key.
	ErrNotFound = errors.New("no such key")

	// ErrTooLarge says that a body can never be stored: it is above Pen.MaxBody.
	ErrTooLarge = errors.New("larger than the server takes")
)

// A ChangedError says that a stream is no longer the one that is remembered: it
// was deleted, made anew, purged, or came back from an older disk. Old sequences
// may become valid again in such a stream, so whoever gets it must stop.
type ChangedError struct {
	Stream string
	What   string // a whole clause: "ends at 17, which is below 42"
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("stream %s changed under us: %s", e.Stream, e.What)
}

// A Difference is one setting that is not what the configuration says.
type Difference struct {
	Stream   string // the stream's name; empty for the installation and the server
	Setting  string
	Is       string
	ShouldBe string
}

func (d Difference) String() string {
	if d.Stream == "" {
		return fmt.Sprintf("%s is %s, should be %s", d.Setting, d.Is, d.ShouldBe)
	}
	return fmt.Sprintf("stream %s: %s is %s, should be %s", d.Stream, d.Setting, d.Is, d.ShouldBe)
}

// A MismatchError lists all that Provision found to be other than configured.
// Provision changes nothing that exists: a person decides which side is wrong.
type MismatchError struct {
	Differences []Difference
}

func (e *MismatchError) Error() string {
	lines := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		lines[i] = d.String()
	}
	return "NATS holds something else than configured: " + strings.Join(lines, "; ")
}
