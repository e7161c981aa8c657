package manifest

import "regexp"

// looksSecret matches a probable credential of a command line: the value of an option, a
// variable or a parameter of such a name, a password in an address, and a long word of letters
// and digits mixed, as keys are. The group is the value.
var looksSecret = regexp.MustCompile(`(?i)` +
	names + `\s*[=:]\s*["']?([^\s"']+)` +
	`|\s--?[\w-]*` + names + `\s+["']?([^\s"'-][^\s"']*)` +
	`|bearer\s+([^\s"']+)` +
	`|://[^\s/:@]+:([^\s/@]+)@`)

// names are those of options and variables with credentials.
const names = `(?:pass(?:word|wd|phrase)?|pwd|token|secret|(?:api|access|private)[-_]?key|auth|credentials?)`

var (
	longWord = regexp.MustCompile(`[A-Za-z0-9+=]{20,}`)
	digits   = regexp.MustCompile(`[0-9].*[0-9].*[0-9].*[0-9]`)
	letters  = regexp.MustCompile(`[A-Za-z].*[A-Za-z].*[A-Za-z].*[A-Za-z]`)
)

// secretAt is where a probable credential begins in a command; -1: there is none.
func secretAt(command string) int {
	at := -1
	if m := looksSecret.FindStringSubmatchIndex(command); m != nil {
		for i := 2; i < len(m); i += 2 {
			at = max(at, m[i]) // one of them matched
		}
	}
	for _, m := range longWord.FindAllStringIndex(command, -1) {
		word := command[m[0]:m[1]]
		if digits.MatchString(word) && letters.MatchString(word) && (at < 0 || m[0] < at) {
			at = m[0]
		}
	}
	return at
}

// noteSecret warns of a line without a comment whose own text names it, with a probable
// credential among the first bytes of it that others see. Another rule for such ids would make
// second plans of the lines that were applied before.
func (c *crontab) noteSecret(where, comment, command string, seen int) {
	if at := secretAt(command); comment == "" && at >= 0 && at < seen {
		c.set.note(where, "what looks like a credential becomes part of the plan's name, which is in ids, subjects and logs: a comment right above the line names the plan in its place, and is another plan (--prune removes the one that was)")
	}
}
