package broker

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

var (
	// ErrFenced means that another holder writes here now, so that the caller's message is not
	// stored and never will be.
	ErrFenced = errors.New("another holder writes here now")

	// ErrGap means that appends are missing from the journal, because a purge passed the
	// reader. It must load the bucket before it can follow again.
	ErrGap = errors.New("the journal no longer has the next append")

	// ErrNewer means that a newer release wrote an append that this one cannot read.
	ErrNewer = errors.New("written by a newer release")

	// ErrNotFound means that a bucket has no such key.
	ErrNotFound = errors.New("no such key")

	// ErrTooLarge means that a body can never be stored, because it is above Pen.MaxBody.
	ErrTooLarge = errors.New("larger than the server takes")
)

// A ChangedError means that a stream is no longer the one that is remembered: it was
// deleted, made anew, purged, or came back from an older disk. The caller must stop,
// because old sequences may become valid again in such a stream.
type ChangedError struct {
	Stream string
	What   string // a whole clause: "ends at 17, which is below 42"
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("stream %s changed under us: %s", e.Stream, e.What)
}

// settingPartitions is the setting of an installation that never changes.
const settingPartitions = "number of partitions"

// A Difference is one setting that differs from the configuration.
type Difference struct {
	Stream   string // the stream's name; empty for the installation and the server
	Setting  string
	Is       string
	ShouldBe string
	AtStake  uint64 // messages that are there, where an edit removes those beyond a tighter limit
}

func (d Difference) String() string {
	if d.Stream == "" {
		return fmt.Sprintf("%s is %s, should be %s", d.Setting, d.Is, d.ShouldBe)
	}
	return fmt.Sprintf("stream %s: %s is %s, should be %s", d.Stream, d.Setting, d.Is, d.ShouldBe)
}

// A MismatchError lists all settings that Provision found to differ from the configuration.
// Provision changes none of it, because a person must decide which side is wrong.
type MismatchError struct {
	Differences []Difference
}

// Editable reports that editing the streams ends all differences, and that none comes from a flag,
// because another start would then find the same.
func (e *MismatchError) Editable() bool {
	for _, d := range e.Differences {
		results := strings.HasSuffix(d.Stream, schema.Space{}.ResultsStream()) && strings.HasPrefix(d.Setting, "max_")
		if d.Command() == "" || results || d.Setting == "replicas" {
			return false
		}
	}
	return true
}

func (e *MismatchError) Error() string {
	lines := make([]string, len(e.Differences))
	var commands []string
	for i, d := range e.Differences {
		lines[i] = d.String()
		if command := d.Command(); command != "" {
			commands = append(commands, command)
		}
	}
	text := "NATS holds something else than configured: " + strings.Join(lines, "; ")
	if slices.ContainsFunc(e.Differences, func(d Difference) bool { return d.Setting == settingPartitions }) {
		text += "; an installation keeps the number of partitions that it was made with: leave --partitions as it was"
	}
	if len(commands) > 0 {
		text += "; set the streams back with: " + strings.Join(commands, " && ")
	}
	for _, d := range e.Differences {
		if d.AtStake > 0 {
			text += fmt.Sprintf("; that removes at once those of the %d messages of %s that are beyond %s %s", d.AtStake, d.Stream, d.Setting, d.ShouldBe)
		}
	}
	return text
}
