package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/bulk"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A many is a command that does its verb to all plans, or failed tasks, that match, where it is
// given --where in place of a name.
type many struct {
	*asker
	verb  string // as package bulk has it
	thing string // a plan or a task
	done  string // the verb, in the past
	where []string
	yes   bool
	dry   bool
	names namer
}

// orMany lets a command about one plan or task do its verb to all that match.
func (a *asker) orMany(cmd *cobra.Command, verb, done string) *cobra.Command {
	m := &many{asker: a, verb: verb, thing: "plan", done: done}
	if verb == bulk.RetryTasks {
		m.thing = "task"
	}
	one, takesOne := cmd.RunE, cmd.Args
	cmd.Flags().StringArrayVar(&m.where, "where", nil, "do it to all "+m.thing+"s of which this holds, in place of one: `KEY=VALUE` with commas between them; keys are "+strings.Join(whereKeys(verb), ", "))
	cmd.Flags().BoolVar(&m.yes, "yes", false, "with --where: do it without asking")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(m.where) == 0 && m.yes:
			return usagef("--yes answers the question that --where asks; give both")
		case len(m.where) == 0:
			return takesOne(cmd, args)
		case len(args) > 0:
			return usagef("--where names the %ss; give no %q beside it", m.thing, args[0])
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(m.where) == 0 {
			return one(cmd, args)
		}
		return m.run(cmd)
	}
	return cmd
}

// run does the verb to all that match.
func (m *many) run(cmd *cobra.Command) error {
	filter, err := readWhere(m.verb, m.where, time.Now())
	if err != nil {
		return err
	}
	if _, err := m.order(cmd, filter); err != nil {
		return err
	}
	m.dry, _ = cmd.Flags().GetBool("dry-run") // false where there is none
	return m.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
		if err := byTheirIDs(ctx, c, filter); err != nil {
			return err
		}
		order, err := m.order(cmd, filter)
		if err != nil {
			return err
		}
		m.names = namer{client: c}
		job := bulk.New(c, bulk.NewPace(), time.Now, order)
		if err := job.Collect(ctx); err != nil {
			return err
		}
		agreed, err := m.agreed(ctx, cmd, job)
		if err != nil || !agreed {
			return err
		}
		m.carryOut(ctx, cmd, job)
		return m.report(ctx, cmd, job.Progress())
	})
}

// order is what is asked for of all that a filter matches.
func (m *many) order(cmd *cobra.Command, filter map[string]any) (*bulk.Order, error) {
	order := &bulk.Order{Verb: m.verb}
	var err error
	if order.Filter, err = wire.ValueOf(wire.JSON, filter); err != nil {
		return nil, err
	}
	if count := cmd.Flags().Lookup("count"); count != nil {
		n, err := cmd.Flags().GetInt64("count")
		if err != nil {
			return nil, err
		}
		order.Count, m.done = &n, skipping(n)
	}
	if err := order.Check(); err != nil {
		return nil, &usageError{err}
	}
	return order, nil
}

// agreed shows which ones match, and reports whether the verb is to be done to them.
func (m *many) agreed(ctx context.Context, cmd *cobra.Command, job *bulk.Job) (bool, error) {
	p := job.Progress()
	n := p.Matched
	if n == 0 {
		return false, m.nothing(cmd, p)
	}
	if m.dry {
		return false, m.answer(cmd, p, m.matching(ctx, job))
	}
	if m.yes {
		return true, nil
	}
	matching := m.matching(ctx, job)
	if !isTerminal(cmd.InOrStdin()) {
		return false, usagef("%s; say --yes to do it, because there is no terminal to ask at", matching)
	}
	cmd.PrintErrf("%s\n%s %s? [y/N] ", matching, cmd.Name(), counted64(n, m.thing))
	if !saysYes(cmd.InOrStdin()) {
		return false, errors.New("nothing was done, because the answer was not y")
	}
	return true, nil
}

// nothing is the error of a filter that nothing matches, because a script that goes by the exit code
// would take a mistake in it for done; programs get the numbers all the same.
func (m *many) nothing(cmd *cobra.Command, p bulk.Progress) error {
	if m.json {
		if err := printJSON(cmd.OutOrStdout(), p); err != nil {
			return err
		}
	}
	return &schema.Error{Code: schema.CodeNotFound, Message: fmt.Sprintf("no %s matches --where %s, so nothing was done", m.thing, strings.Join(m.where, ","))}
}

// matching says how many match, and names the first ones.
func (m *many) matching(ctx context.Context, job *bulk.Job) string {
	n := job.Progress().Matched
	const shown = 3
	var names []string
	for _, name := range job.Names(shown) {
		names = append(names, m.names.name(ctx, name).String())
	}
	text := counted64(n, m.thing) + " match: " + strings.Join(names, ", ")
	if n == 1 {
		text = strings.Replace(text, " match:", " matches:", 1)
	}
	if n > shown {
		text += fmt.Sprintf(" and %d more", n-shown)
	}
	return text + kindsText(job.Progress())
}

// kindsText names the matching plans that are more than plans.
func kindsText(p bulk.Progress) string {
	var kinds []string
	if p.Queues > 0 {
		kinds = append(kinds, counted64(p.Queues, "merge queue")+" with "+counted64(p.Items, "item"))
	}
	if p.Tasks > 0 {
		kinds = append(kinds, counted64(p.Tasks, "task"))
	}
	if p.Jobs > 0 {
		kinds = append(kinds, counted64(p.Jobs, "HTTP job"))
	}
	if len(kinds) == 0 {
		return ""
	}
	return "; among them " + strings.Join(kinds, ", ")
}

// noteEnding tells of n plans that may end by what was done to them.
func (m *many) noteEnding(cmd *cobra.Command, n int64) {
	switch {
	case n == 0:
	case m.verb == "skip":
		cmd.PrintErrf("note: all occurrences that are left of %s are skipped, and with the last one it ends; --count 0 takes that back\n", counted64(n, "plan"))
	default:
		have := "have"
		if n == 1 {
			have = "has"
		}
		cmd.PrintErrf("note: %s %s a last occurrence to come; one that is paused still when that is due ends without it\n", counted64(n, "plan"), have)
	}
}

// isTerminal reports whether a person may answer.
func isTerminal(in io.Reader) bool {
	file, is := in.(interface{ Stat() (fs.FileInfo, error) })
	if !is {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

// saysYes reads one line.
func saysYes(in io.Reader) bool {
	line, _ := bufio.NewReader(in).ReadString('\n') // an end without a line is no yes
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
}

// carryOut runs the job, and shows every two seconds how far it is.
func (m *many) carryOut(ctx context.Context, cmd *cobra.Command, job *bulk.Job) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		job.Run(ctx)
	}()
	every := time.NewTicker(2 * time.Second)
	defer every.Stop()
	for {
		select {
		case <-ended:
			return
		case <-every.C:
			if p := job.Progress(); !m.json {
				cmd.PrintErrf("%d of %d %s, %d refused\n", p.Done, p.Matched, m.done, p.Refused)
			}
		}
	}
}

// report shows the end of a job; it is an error when not all was done.
func (m *many) report(ctx context.Context, cmd *cobra.Command, p bulk.Progress) error {
	done := m.done + " " + counted64(p.Done, m.thing)
	if p.Done == p.Matched { // the kinds are those of all that matched
		done += kindsText(p)
	}
	if err := m.answer(cmd, p, done); err != nil {
		return err
	}
	if !m.json {
		m.noteEnding(cmd, p.Ending)
		for _, r := range p.Refusals {
			name, text := r.Name(), inTheirWords(cmd, r.Error)
			if plan, err := schema.ParsePlanName(name); err == nil && r.Type == "" {
				name = m.names.name(ctx, plan).String()
				text = strings.ReplaceAll(text, plan.String(), name)
			}
			cmd.PrintErrf("%s: %s\n", name, text)
		}
		if p.LeftOut > 0 {
			cmd.PrintErrf("and %d more\n", p.LeftOut)
		}
	}
	switch {
	case p.Left > 0:
		return fmt.Errorf("stopped after %d of %d; %d are left as they were", p.Done+p.Refused, p.Matched, p.Left)
	case p.Refused > 0:
		return fmt.Errorf("%d of %s refused it", p.Refused, counted64(p.Matched, m.thing))
	}
	return nil
}
