// Package process makes any program a worker: for each execution it runs the
// program once, with the plan's messages on stdin, and takes its output.
//
//	w.Handle("hello", "*", process.Handler([]string{"./greet.sh", "--loud"}))
//
// Into the program go, on stdin, the messages, and behind them the items of a queue, one per
// line: a text without a line end as it is, all else as JSON; and the Plan-… headers of the
// execution as variables (Plan-Id is PLAN_ID, Plan-Key is PLAN_KEY), and the plan's command
// as EXECUTION_COMMAND. It inherits the environment of this process but for variables
// that begin with PLAN_ or with STATIONMASTER_, because there may be a password in
// STATIONMASTER_NATS_URL, and others see the output of a program. Out of it come, on
// stdout, the content of the result: a text, without its last line end; and the
// exit code: 0 is ok, any other an error, which has the end of stderr and that code.
// An output beyond the 256 KiB of a result loses its beginning, which becomes a "…".
//
// When the context of the handler ends, the program and all that it started in its
// process group get SIGTERM, and SIGKILL 5 s later. On systems without process groups only
// the program itself is killed. A program that exits with 0 all the same is ok, because it
// has done its work; one that does not is an error.
//
// The package uses no connection and knows no scheduler, only package worker.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

const (
	// maxStderr is the number of bytes at the end of stderr that become the error.
	maxStderr = 4 << 10
	// termGrace is the time that a program may take to end after SIGTERM, and that its pipes
	// may stay open after it has ended, held by its children.
	termGrace = 5 * time.Second
)

// Handler runs the program argv[0], found as [exec.LookPath] finds it, with the arguments behind
// it. The program inherits this process's folder and most of its environment. Handler panics
// when argv is empty. A program that cannot start is an error of each execution.
func Handler(argv []string, options ...Option) worker.Handler {
	if len(argv) == 0 || argv[0] == "" {
		panic("process: no program to run")
	}
	p := program{argv: argv, grace: termGrace, kill: context.Background()}
	for _, set := range options {
		set(&p)
	}
	return p.handle
}

// An Option changes how programs run.
type Option func(*program)

// KillAt has the end of ctx kill the programs under way, each with all of its process group, and
// without SIGTERM before it. Their executions end with an error that has the cause of ctx, and
// those that come later do so without a run. Each such error wraps [worker.ErrStopping].
func KillAt(ctx context.Context) Option { return func(p *program) { p.kill = ctx } }

// A program is a command line, the time that it may take to end after SIGTERM, and when it is
// killed without one.
type program struct {
	argv  []string
	grace time.Duration
	kill  context.Context
}

func (p program) handle(ctx context.Context, x *worker.Execution) (any, error) {
	if cause := context.Cause(p.kill); cause != nil {
		return nil, fmt.Errorf("%s was not run: %w: %w", p.argv[0], worker.ErrStopping, cause)
	}
	stdout, stderr := &tail{limit: schema.MaxReplyBytes}, &tail{limit: maxStderr}

	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.Env = environment(os.Environ(), x)
	cmd.Stdin = strings.NewReader(frames(x.Messages) + frames(x.Items))
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = p.grace
	ownGroup(cmd)

	err := p.run(cmd)
	if cause := context.Cause(p.kill); cause != nil && !succeeded(cmd) {
		return remains(stdout), fmt.Errorf("%s was killed: %w: %w", p.argv[0], worker.ErrStopping, cause)
	}
	if cause := context.Cause(ctx); cause != nil {
		killGroup(cmd) // those that ignored SIGTERM, or started meanwhile
		// A program that ends with 0 after SIGTERM has done its work, though Run returns the
		// context's error, and would do it again after a reported error.
		if !succeeded(cmd) {
			return remains(stdout), fmt.Errorf("%s was stopped: %w", p.argv[0], cause)
		}
		err = nil
	}
	if cmd.Process == nil {
		return nil, unstarted(p.argv[0], err)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return remains(stdout), complaint(p.argv[0], err, stderr.text())
	}
	return content(stdout, schema.MaxReplyBytes), nil
}

// succeeded reports that a program that was started ended with 0.
func succeeded(cmd *exec.Cmd) bool { return cmd.ProcessState != nil && cmd.ProcessState.Success() }

// run runs cmd to its end, or kills it when that is asked for.
func (p program) run(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	unwatch := context.AfterFunc(p.kill, func() { killGroup(cmd) })
	err := cmd.Wait()
	if !unwatch() {
		killGroup(cmd) // the processes that the program started while it was killed
	}
	return err
}

// complaint makes the error of a program from its stderr and its exit.
func complaint(program string, err error, stderr string) error {
	if _, exited := errors.AsType[*exec.ExitError](err); exited && stderr != "" {
		return fmt.Errorf("%s (%w)", stderr, err)
	}
	return fmt.Errorf("%s: %w", program, err)
}

// errorRoom bounds an error, because each byte of stderr may take six in JSON.
const errorRoom = 6*maxStderr + 1<<10

// content is the output: text without its last line end, else bytes. An output of more than most
// bytes as JSON, in which results may travel, loses its beginning.
func content(stdout *tail, most int) any {
	printed, cut := stdout.kept()
	if cut {
		printed = wholeRunes(printed)
	}
	if !utf8.Valid(printed) {
		return printed[max(0, len(printed)-(most-2)/4*3):] // as base64, in quotes
	}
	text, ended := strings.CutSuffix(string(printed), "\n")
	if ended {
		text = strings.TrimSuffix(text, "\r")
	}
	if !cut && sizeAsJSON(text) <= most {
		return text
	}
	const mark = "…"
	from := sort.Search(len(text), func(i int) bool { return sizeAsJSON(text[i:])+len(mark) <= most })
	return mark + string(wholeRunes([]byte(text[from:])))
}

func sizeAsJSON(text string) int { return len(wire.Text(wire.JSON, text).Raw()) }

// remains returns the output of a program that failed, which is the content beside its error;
// nil: it printed nothing.
func remains(stdout *tail) any {
	if len(stdout.bytes) == 0 {
		return nil
	}
	return content(stdout, schema.MaxReplyBytes-errorRoom)
}

// wholeRunes is b without the rest of a character that was cut in two.
func wholeRunes(b []byte) []byte {
	for i := range min(len(b), utf8.UTFMax) {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// frames are messages, or items, as the program reads them.
func frames(messages []wire.Value) string {
	var b []byte
	for _, m := range messages {
		if text, ok := m.Text(); ok && !strings.ContainsAny(text, "\r\n") {
			b = append(b, text...)
		} else {
			b = append(b, wire.OneLine(m.AppendTo(nil, wire.JSON))...)
		}
		b = append(b, '\n')
	}
	return string(b)
}

const (
	headerPrefix = "Plan-"
	// commandVariable is the plan's command, by which a program chooses its work. The header
	// Plan-Command is another, because it is "proxy" for every execution.
	commandVariable = "EXECUTION_COMMAND"
)

// ownPrefix begins the variables of stationmaster's own connection.
const ownPrefix = "STATIONMASTER_"

// environment adds the headers of an execution, and its command. An inherited variable of such a
// name is not passed on, because the program would take it for a header. The variables of this
// process's connection are not passed on either, because they may hold a password, and a
// program that prints its environment would put it into its result.
func environment(inherited []string, x *worker.Execution) []string {
	header := x.Headers()
	env := make([]string, 0, len(inherited)+len(header)+1)
	for _, v := range inherited {
		if strings.HasPrefix(v, "PLAN_") || strings.HasPrefix(v, commandVariable+"=") || strings.HasPrefix(v, ownPrefix) {
			continue
		}
		env = append(env, v)
	}
	for name, values := range header {
		if len(values) == 0 || !strings.HasPrefix(name, headerPrefix) || strings.ContainsAny(name, "=\x00") {
			continue
		}
		name = strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		env = append(env, variable(name, values[0]))
	}
	return append(env, variable(commandVariable, x.Command))
}

// variable makes a variable of an environment, without zero bytes, because it may hold none.
func variable(name, value string) string {
	return name + "=" + strings.ReplaceAll(value, "\x00", "")
}
