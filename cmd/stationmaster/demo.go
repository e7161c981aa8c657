package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/worker"
)

func newDemo() *cobra.Command {
	s := setup{node: node.Default(), logLevel: "warn"}
	var length time.Duration
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run everything in one process, with something to watch",
		Long: `Start a scheduler with an embedded nats-server, a worker and a few plans, and print
each event, line by line, until Ctrl-C. All its data is deleted at the end, unless
--data-dir names a folder, or --nats-url another server, which may only have the data of
an earlier demo. If the usual ports are taken it uses others.`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if cmd.Flags().Changed("for") && length <= 0 {
				return usagef("--for %v is no time to run: give one above 0, or leave it out", length)
			}
			if err := serverOfDemo(cmd.Flags()); err != nil {
				return err
			}
			if s.unused, err = oneServer(cmd.Flags()); err != nil {
				return err
			}
			if err := s.settleDemo(cmd.Context(), cmd.Flags(), cmd.OutOrStdout()); err != nil {
				return err
			}
			return demo(cmd.Context(), &s, length, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	durationVar(cmd.Flags(), &length, "for", 0, "end so long after all has begun (default: at Ctrl-C)")
	s.flags(cmd.Flags())
	if f := cmd.Flags().Lookup("data-dir"); f != nil {
		f.DefValue = "a temporary one"
	}
	return cmd
}

// settleDemo chooses the defaults: a temporary folder, and free ports.
func (s *setup) settleDemo(ctx context.Context, flags *pflag.FlagSet, out io.Writer) error {
	if !flags.Changed("http-allow") {
		s.node.HTTPWorker.Allow = []string{"127.0.0.1"} // its HTTP jobs call itself
	}
	if !flags.Changed("data-dir") {
		s.node.DataDir = "" // demo makes one
	}
	for _, listen := range []struct {
		flag, what string
		address    *string
	}{
		{"nats-listen", "NATS", &s.node.NATSListen},
		{"http-listen", "HTTP", &s.node.HTTPListen},
	} {
		if flags.Changed(listen.flag) || listen.flag == "nats-listen" && s.node.NATS.URL != "" {
			continue
		}
		var config net.ListenConfig
		l, err := config.Listen(ctx, "tcp", *listen.address)
		if err != nil {
			if _, err := fmt.Fprintf(out, "%s is in use, so %s gets a free port instead.\n", *listen.address, listen.what); err != nil {
				return err
			}
			*listen.address = "127.0.0.1:0"
			continue
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

func demo(ctx context.Context, s *setup, length time.Duration, stdout, stderr io.Writer) (err error) {
	if s.node.Log, err = s.logger(stderr); err != nil {
		return err
	}
	defer redirect(s.node.Log)()
	s.warnUnused(s.node.Log)
	s.node.Version = release()
	if s.node.DataDir == "" && s.node.NATS.URL == "" {
		if s.node.DataDir, err = os.MkdirTemp("", "stationmaster-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(s.node.DataDir)) }()
	}
	if err := s.node.Validate(); err != nil {
		return &usageError{err}
	}
	n, err := node.Start(ctx, s.node)
	if err != nil {
		return unasked(ctx, err)
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		err = errors.Join(err, n.Stop(stopping))
	}()
	if err := n.AwaitReady(ctx); err != nil {
		return unasked(ctx, err)
	}
	return perform(ctx, n, s, length, stdout)
}

// unasked is err, unless ctx has ended, because a requested end is a success at any point
// of the demonstration.
func unasked(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// perform is the demonstration, on a node that is ready.
func perform(ctx context.Context, n *node.Node, s *setup, length time.Duration, stdout io.Writer) error {
	nc, err := n.Connect(ctx, "demo")
	if err != nil {
		return unasked(ctx, err)
	}
	defer nc.Close()
	c, err := client.New(nc, client.Options{Prefix: s.node.Prefix, Repeats: 3})
	if err != nil {
		return err
	}
	if err := refuseOthers(ctx, c); err != nil {
		return unasked(ctx, err)
	}
	w, err := demoWorker(nc, worker.Options{ID: "demo-worker", Prefix: s.node.Prefix, Logger: s.node.Log})
	if err != nil {
		return err
	}
	if err := w.Start(); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(stdout, introduction(n))
	err = watch(ctx, c, n.HTTPAddr(), length, stdout)
	return errors.Join(err, w.Stop())
}

// watch makes the plans, prints their results until ctx ends, or for so long if that is not
// 0, and removes them again. The HTTP jobs call the node's own address.
func watch(ctx context.Context, c *client.Client, address string, length time.Duration, stdout io.Writer) error {
	work, err := demoPeople(ctx, c)
	if err != nil {
		return unasked(ctx, errors.Join(err, leave(ctx, work)))
	}
	audience := newAudience(c, stdout)
	if err := audience.open(ctx); err != nil {
		return unasked(ctx, errors.Join(err, leave(ctx, work)))
	}
	made, err := demoPlans(ctx, c, address, stdout)
	if err = unasked(ctx, err); err == nil {
		_, err = fmt.Fprintln(stdout)
		audience.begin()
		var over <-chan time.Time
		if length > 0 {
			over = time.After(length)
		}
		select {
		case <-over:
		case <-ctx.Done():
		}
	}
	audience.close()
	err = errors.Join(err, leave(ctx, append(made, work...)))
	_, _ = fmt.Fprintln(stdout, "\n"+audience.summary())
	return err
}

// leave removes parts of the demo, also when ctx has ended.
func leave(ctx context.Context, made []undo) (err error) {
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for _, undo := range made {
		err = errors.Join(err, undo(leaving))
	}
	return err
}

// calledAs is the beginning of a command line of this program in another terminal.
func calledAs() string {
	switch _, err := exec.LookPath("stationmaster"); {
	case err == nil:
		return "stationmaster"
	case strings.Contains(os.Args[0], "go-build"): // where go run puts it, as long as it runs
		return "go run ./cmd/stationmaster"
	default:
		return os.Args[0]
	}
}

// introduction lists the addresses of the demo, and commands to try.
func introduction(n *node.Node) string {
	server, other := "", ""
	if isElsewhere(n.URL()) {
		server, other = " -s "+n.URL(), " --nats-url "+n.URL()
	}
	self := calledAs()
	try := []string{
		self + " plan ls" + other,
		self + " plan create --station hello --command greet --message you" + other,
		self + " plan runs hello/every-second" + other,
		self + " work --station lonely" + other + " -- echo 'here I am'",
		"nats" + server + ` req plans.create '{"station":"hello","command":"greet","plan_type":"second","plan_value":1,"plan_repet":5}'`,
		"nats" + server + ` reply station.lonely --queue lonely '{"state":"ok","content":"here I am"}'`,
		"nats" + server + " sub 'plan.result.>'",
		"nats" + server + " kv ls plans",
	}
	return fmt.Sprintf(`Stationmaster runs: NATS at %s, console at http://%s/ui/
A worker serves the stations hello, slow, flaky and shop. Nobody serves lonely: be the first.

Try in another terminal:
  %s

Ctrl-C ends it.
`, n.URL(), n.HTTPAddr(), strings.Join(try, "\n  "))
}
