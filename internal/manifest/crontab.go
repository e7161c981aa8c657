package manifest

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Crontab has the options for reading a crontab.
type Crontab struct {
	// Station gets the lines that are commands: a worker there runs them, such as
	// `stationmaster work --station NAME -- sh`. Empty: they are refused.
	Station string
	// Timezone of lines that stand before any CRON_TZ. Empty: UTC.
	Timezone string
	// User means that lines have a column for the user before the command, as those of
	// /etc/crontab, and selects the lines of this user. Empty: there is no such column.
	User string
}

// lineCommand is the command of plans that were made from commands.
const lineCommand = "run"

// ReadCrontab adds the lines of a user's crontab: five fields or a macro such as @daily,
// and behind them an address or a curl of one, which makes a task of station http, or any
// other command, which makes a plan of o.Station whose only message is that command,
// preceded by the settings of PATH, HOME, SHELL and TZ. A comment right above a line is its
// name; without one the command names it. CRON_TZ sets the zone of the lines below. A line
// that cannot be carried over is an error; a line that is dropped without an effect on
// others is one of the notes of s.
func (s *Set) ReadCrontab(name string, in io.Reader, o Crontab) error {
	c := crontab{set: s, options: o, zone: o.Timezone, system: strings.HasPrefix(name, "/etc/cron")}
	lines := bufio.NewScanner(in)
	var errs []error
	number := 1
	for ; lines.Scan(); number++ {
		where := fmt.Sprintf("%s:%d", name, number)
		if !utf8.Valid(lines.Bytes()) {
			errs = append(errs, fmt.Errorf("%s: it is not UTF-8: write the file so, or the line would be another", where))
			continue
		}
		if err := c.line(where, strings.TrimSpace(lines.Text())); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, number, err))
	}
	return errors.Join(errs...)
}

// A crontab is the state of reading one.
type crontab struct {
	set     *Set
	options Crontab
	zone    string
	comment string // right above
	system  bool   // it has a column for the user

	path, home, shell, tz string
}

var (
	assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$`)
	fiveFields = regexp.MustCompile(`^(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.+)$`)
	macro      = regexp.MustCompile(`^(@\w+)\s+(.+)$`)
	// quiet ends a line that discards its output, which runs keep anyway.
	quiet  = regexp.MustCompile(`\s*(>\s*/dev/null)?\s*(2>\s*(&1|/dev/null))?\s*$`)
	column = regexp.MustCompile(`^(\S+)\s+(.+)$`)
)

func (c *crontab) line(where, text string) error {
	comment := c.comment
	c.comment = ""
	if rest, is := strings.CutPrefix(text, "#"); is {
		if c.comment = strings.TrimSpace(rest); isCommentedOut(c.comment) {
			c.comment = ""
		}
		return nil
	}
	if text == "" {
		return nil
	}
	if m := assignment.FindStringSubmatch(text); m != nil {
		return c.assign(where, m[1], strings.Trim(m[2], `"'`))
	}
	m := fiveFields.FindStringSubmatch(text)
	if strings.HasPrefix(text, "@") {
		m = macro.FindStringSubmatch(text)
	}
	switch {
	case m == nil:
		return fmt.Errorf("%q is neither a comment, nor a variable, nor five fields and a command", text)
	case m[1] == "@reboot":
		return errors.New("@reboot names no time; leave the line out")
	}
	command, err := unescape(m[2])
	if err != nil {
		return err
	}
	command, err = c.ofUser(where, command)
	if command == "" || err != nil {
		return err
	}
	schedule := strings.Join(strings.Fields(m[1]), " ")
	if err := sameDays(schedule); err != nil {
		return err
	}
	return c.job(where, schedule, command, comment)
}

func (c *crontab) assign(where, name, value string) error {
	switch name {
	case "CRON_TZ":
		c.zone = value
		_, err := schema.LoadZone(value)
		return err
	case "TZ":
		c.tz = value
		c.set.note(where, "TZ is for the commands alone, as under cron: CRON_TZ sets the zone of the times")
	case "PATH":
		c.path = value
	case "HOME":
		c.home = value
	case "SHELL":
		c.shell = value
	case "MAILTO", "MAILFROM":
		if value != "" {
			c.set.note(where, name+" is left out: no mail is sent; a callback of the station, or plan runs --failed, shows failures")
		}
	case "LOGNAME", "USER":
		c.set.note(where, name+" is left out: commands run as the user of the worker")
	default:
		return fmt.Errorf("variable %s is not carried over: set it where the worker runs, or in the command", name)
	}
	return nil
}

// ofUser cuts the column for the user off; the command is empty when it is another user's.
func (c *crontab) ofUser(where, command string) (string, error) {
	user := c.options.User
	m := column.FindStringSubmatch(command)
	switch {
	case user == "" && c.system, user == "" && m != nil && m[1] == "root":
		return "", errors.New("a crontab of the system has a column for the user before the command: choose the user of the lines (--user root), and have a worker of that user at the station")
	case user == "":
		return command, nil
	case m == nil:
		return "", fmt.Errorf("%q is either a user or a command, and with a column for the user (--user) a line has both", command)
	case m[1] != user:
		c.set.note(where, "left out: it is a line of "+m[1])
		return "", nil
	}
	return m[2], nil
}

// script is the script for sh, so that a command has the settings of the crontab. It is one
// line, because a worker hands a text with line ends to its program as JSON.
func (c *crontab) script(command string) string {
	var b strings.Builder
	for _, v := range []struct{ name, value string }{{"PATH", c.path}, {"HOME", c.home}, {"TZ", c.tz}} {
		if v.value != "" {
			fmt.Fprintf(&b, "export %s=%s; ", v.name, quoted(v.value))
		}
	}
	if c.shell == "" || c.shell == "sh" || c.shell == "/bin/sh" {
		return b.String() + command
	}
	return b.String() + "exec " + quoted(c.shell) + " -c " + quoted(command)
}

// quoted is a text as one word of sh.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

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
	call, more, err := parseCall(command)
	if err != nil {
		return err
	}
	if call != nil {
		if call["timeout_seconds"] == nil && !isAddress.MatchString(command) {
			c.set.note(where, fmt.Sprintf("the call may take %v, because no --max-time stands there, without which curl waits for ever", new(schema.HTTPCall).Timeout()))
		}
		call["cron_expr"] = schedule
		c.noteSecret(where, comment, fmt.Sprint(call["target_url"]), len(command))
		if comment == "" {
			comment = fmt.Sprintf("%s %s", call["http_method"], call["target_url"])
		}
		if c.zone != "" {
			call["timezone"] = c.zone
		}
		return c.distinct(where, comment, schedule, command, func(name string) error {
			call["name"] = name
			v, err := wire.ValueOf(wire.JSON, call)
			if err != nil {
				return err
			}
			return c.set.addTask(where, v)
		})
	}
	if c.options.Station == "" {
		if more != "" {
			more = ", because " + more
		}
		return fmt.Errorf("%q is a command%s; choose the station where it runs (--station), or make it a URL", command, more)
	}
	c.noteSecret(where, comment, command, shownOfCommand)
	plan := map[string]any{
		"station": c.options.Station, "command": lineCommand, "messages": []any{c.script(command)},
		"plan_type": "cron", "cron": schedule,
		"retry": map[string]any{"strategy": string(schema.RetryNone)}, // because cron does not retry
	}
	if comment != "" {
		plan["description"] = comment
	}
	if c.zone != "" {
		plan["timezone"] = c.zone
	}
	return c.distinct(where, cmp.Or(comment, command), schedule, command, func(name string) error {
		plan["plan_id"] = lineID(name)
		v, err := wire.ValueOf(wire.JSON, plan)
		if err != nil {
			return err
		}
		return c.set.addPlan(where, v)
	})
}
