package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// shownOfCommand is how much of a comment or a command is in an id.
const shownOfCommand = 40

// lineID is the id of the plan of a command, by its name: as much of it as can be an id, with a
// hash of all of it.
func lineID(name string) string {
	word := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_':
			return r
		}
		return '-'
	}, name)
	sum := sha256.Sum256([]byte(name))
	return strings.Trim(word[:min(len(word), shownOfCommand)], "-") + "-" + hex.EncodeToString(sum[:4])
}

// distinct adds a line under its name; where another line has that, because it has the same comment
// or the same command, with its schedule, and at last with its command, too. Lines that are alike in
// all of these are one line twice.
func (c *crontab) distinct(where, name, schedule, command string, add func(name string) error) error {
	if c.zone != c.options.Timezone {
		schedule += " " + c.zone
	}
	var twice *twiceError
	if errors.As(c.set.once("line "+schedule+" "+command+" # "+name, where), &twice) {
		return fmt.Errorf("the same line is at %s, too: leave one of them out", twice.before)
	}
	var err error
	for _, name := range []string{name, name + " (" + schedule + ")", name + " (" + schedule + ", " + command + ")"} {
		if err = add(name); !errors.As(err, &twice) {
			return err
		}
	}
	return fmt.Errorf("%w: put a comment above the line, which then names it", err)
}

var (
	outOfForce = regexp.MustCompile(`(?i)^(([0-9*/,?#LW-]|sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+\s+){5}\S`)
	macroOut   = regexp.MustCompile(`^@(reboot|yearly|annually|monthly|weekly|daily|midnight|hourly|every)\s+\S`)
	settingOut = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// isCommentedOut reports that a comment is a line that was put out of force, which names no other.
func isCommentedOut(comment string) bool {
	return outOfForce.MatchString(comment) || macroOut.MatchString(comment) || settingOut.MatchString(comment)
}
