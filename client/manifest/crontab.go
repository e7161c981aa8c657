package manifest

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Crontab says what becomes of the lines of a crontab.
type Crontab struct {
	// Station gets the lines that are commands: a worker there runs them, such as
	// `stationmaster work --station NAME -- sh`. Empty: they are refused.
	Station string
	// Timezone of lines that stand before any CRON_TZ. Empty: UTC.
	Timezone string
}

// lineCommand is the command of plans that were made of commands.
const lineCommand = "run"

// ReadCrontab adds what a user's crontab says: five fields or a macro such as @daily,
// and behind them an address or a curl of one, which makes a task of station http, or
// any other command, which makes a plan of o.Station whose only message is that
// command. A comment right above a line is its name; without one it is named by what
// it does. CRON_TZ and TZ set the zone of the lines below.
func (s *Set) ReadCrontab(name string, in io.Reader, o Crontab) error {
	c := crontab{set: s, options: o, zone: o.Timezone}
	lines := bufio.NewScanner(in)
	var errs []error
	number := 1
	for ; lines.Scan(); number++ {
		where := fmt.Sprintf("%s:%d", name, number)
		if err := c.line(where, strings.TrimSpace(lines.Text())); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, number, err))
	}
	return errors.Join(errs...)
}

// A crontab is one that is being read.
type crontab struct {
	set     *Set
	options Crontab
	zone    string
	comment string // right above
}

var (
	assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$`)
	fiveFields = regexp.MustCompile(`^(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.+)$`)
	macro      = regexp.MustCompile(`^(@\w+)\s+(.+)$`)
	// quiet ends a line that throws away what it prints: runs keep that.
	quiet = regexp.MustCompile(`\s*(>\s*/dev/null)?\s*(2>\s*(&1|/dev/null))?\s*$`)
)

// ownVariables are cron's, and mean nothing here.
var ownVariables = map[string]bool{"MAILTO": true, "MAILFROM": true, "SHELL": true, "PATH": true, "HOME": true, "LOGNAME": true, "USER": true}

func (c *crontab) line(where, text string) error {
	comment := c.comment
	c.comment = ""
	if rest, is := strings.CutPrefix(text, "#"); is {
		c.comment = strings.TrimSpace(rest)
		return nil
	}
	if text == "" {
		return nil
	}
	if m := assignment.FindStringSubmatch(text); m != nil {
		return c.assign(m[1], strings.Trim(m[2], `"'`))
	}
	m := fiveFields.FindStringSubmatch(text)
	if strings.HasPrefix(text, "@") {
		m = macro.FindStringSubmatch(text)
	}
	switch {
	case m == nil:
		return fmt.Errorf("%q is neither a comment, nor a variable, nor five fields and a command", text)
	case m[1] == "@reboot":
		return errors.New("@reboot has nothing to do with the clock; leave the line out")
	}
	command, err := unescape(m[2])
	if err != nil {
		return err
	}
	return c.job(where, m[1], command, comment)
}

func (c *crontab) assign(name, value string) error {
	switch {
	case name == "CRON_TZ" || name == "TZ":
		c.zone = value
		_, err := schema.LoadZone(value)
		return err
	case ownVariables[name]:
		return nil
	}
	return fmt.Errorf("variable %s is not carried over: set it where the worker runs, or in the command", name)
}

// unescape undoes cron's own escape; an unescaped % would begin the command's input.
func unescape(command string) (string, error) {
	const mark = "\x00"
	command = strings.ReplaceAll(command, `\%`, mark)
	if strings.Contains(command, "%") {
		return "", errors.New(`input behind a % is not carried over; write \% for the sign itself`)
	}
	return strings.ReplaceAll(command, mark, "%"), nil
}

// job adds a line with a schedule.
func (c *crontab) job(where, schedule, command, comment string) error {
	call, isCall, err := parseCall(command)
	if err != nil {
		return err
	}
	if isCall {
		call["name"], call["cron_expr"] = comment, schedule
		if comment == "" {
			call["name"] = fmt.Sprintf("%s %s", call["http_method"], call["target_url"])
		}
		if c.zone != "" {
			call["timezone"] = c.zone
		}
		v, err := wire.ValueOf(wire.JSON, call)
		if err != nil {
			return err
		}
		return c.set.addTask(where, v)
	}
	if c.options.Station == "" {
		return fmt.Errorf("%q is a command; say at which station it runs (--station), or make it a URL", command)
	}
	plan := map[string]any{
		"station": c.options.Station, "plan_id": lineID(comment, command), "command": lineCommand, "messages": []any{command},
		"plan_type": "cron", "cron": schedule,
	}
	if comment != "" {
		plan["description"] = comment
	}
	if c.zone != "" {
		plan["timezone"] = c.zone
	}
	v, err := wire.ValueOf(wire.JSON, plan)
	if err != nil {
		return err
	}
	return c.set.addPlan(where, v)
}

// lineID names the plan of a command: by the comment, as far as that can be an id,
// with a hash of what it stands for.
func lineID(comment, command string) string {
	from := comment
	if from == "" {
		from = command
	}
	word := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_':
			return r
		}
		return '-'
	}, from)
	sum := sha256.Sum256([]byte(from))
	return strings.Trim(word[:min(len(word), 40)], "-") + "-" + hex.EncodeToString(sum[:4])
}
