package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const defaultURL = "nats://127.0.0.1:4222"

// answerWithin is the default wait for an answer. The tests wait longer, because machines
// stall for as long.
var answerWithin = 5 * time.Second

// flagWait replaces --timeout of a connection where --timeout is a field of the request.
const flagWait = "request-timeout"

// A connection is how a command reaches an installation that runs elsewhere.
type connection struct {
	nats    node.External
	prefix  string
	timeout time.Duration
	asked   schema.Attribution // of a command that changes something: --by and --note
	user    *refusedUser       // of the connection that was opened last
}

// flags adds the connection's flags to a command and all its subcommands.
func (c *connection) flags(cmd *cobra.Command) {
	fs := cmd.PersistentFlags()
	externalFlags(fs, &c.nats, defaultURL)
	fs.StringVar(&c.prefix, "prefix", "", "the installation's prefix of subjects and buckets")
	fs.Bool(flagDetailed, false, "end with 3 when there is no such thing, 4 at a conflict, 5 when there is no answer; else each of these is 1")
	durationVar(fs, &c.timeout, "timeout", answerWithin, "how long to wait for the server and for each answer")
	durationVar(fs, &c.timeout, flagWait, answerWithin, "the same as --timeout, also for commands whose --timeout is another")
}

// externalFlags adds the flags that locate a nats-server.
func externalFlags(fs *pflag.FlagSet, e *node.External, url string) {
	fs.StringVar(&e.URL, "nats-url", url, "nats-server to use; several with commas")
	fs.StringVar(&e.Creds, "nats-creds", "", "file with the user's JWT and seed")
	fs.StringVar(&e.NKey, "nats-nkey", "", "file with the user's NKey seed")
	fs.StringVar(&e.InboxPrefix, "nats-inbox-prefix", "", "prefix of the subjects of answers, where permissions demand one (default _INBOX)")
	fs.StringVar(&e.TLSCA, "nats-tls-ca", "", "file with the certificates that sign the server's")
	fs.StringVar(&e.TLSCert, "nats-tls-cert", "", "file with our certificate")
	fs.StringVar(&e.TLSKey, "nats-tls-key", "", "file with our certificate's key")
}

// connect opens the connection; the caller closes it.
func (c *connection) connect(cmd *cobra.Command) (*nats.Conn, error) {
	if c.timeout <= 0 {
		typed := "timeout"
		if cmd.Flags().Changed(flagWait) {
			typed = flagWait
		}
		return nil, usagef("--%s %v is no time to wait: give one above 0, such as 5s", typed, c.timeout)
	}
	if c.nats.URL == "" { // a flag of the command line that is empty is refused before
		return nil, usagef("%s is empty, as an unset variable of the shell is: unset it, or give it a value", variable("nats-url"))
	}
	nc, err := c.nats.Connect(cmd.CommandPath(), c.timeout, logger(cmd))
	if errors.Is(err, nats.ErrNoServers) {
		return nil, fmt.Errorf("%w; does one run there? --nats-url names another", err)
	}
	if err != nil {
		return nil, err
	}
	c.user = &refusedUser{log: logger(cmd)}
	nc.SetErrorHandler(c.user.handle)
	return nc, nil
}

// logger writes to a command's stderr.
func logger(cmd *cobra.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
}

// do connects and calls f with a client that speaks enc.
func (c *connection) do(cmd *cobra.Command, enc wire.Encoding, f func(ctx context.Context, c *client.Client) error) error {
	nc, err := c.connect(cmd)
	if err != nil {
		return err
	}
	defer nc.Close()
	asking, err := client.New(nc, client.Options{Prefix: c.prefix, Encoding: enc, Timeout: c.timeout, Patient: true})
	if err != nil {
		return &usageError{err}
	}
	ctx, cancel := context.WithCancelCause(c.attributed(cmd.Context(), cmd))
	defer cancel(nil)
	user := c.user
	nc.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) { // no answer will come
			cancel(notAllowed(err))
			return
		}
		user.handle(nc, sub, err)
		if gone := user.why(); gone != nil {
			cancel(gone)
		}
	})
	if err := receives(nc, c.timeout); err != nil {
		return err
	}
	err = f(ctx, asking)
	if cmd.Context().Err() == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return c.withNearest(cmd, err)
}

// receives checks that the user may receive answers, because a request whose answer is refused is
// carried out all the same.
func receives(nc *nats.Conn, patience time.Duration) error {
	sub, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return err
	}
	if err := nc.FlushTimeout(patience); err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	if err := nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		if u, wrong := url.Parse(nc.ConnectedUrl()); wrong == nil && u.User.Username() != "" {
			return fmt.Errorf("%w, which --nats-users-file calls _INBOX.%s", notAllowed(err), u.User.Username())
		}
		return notAllowed(err)
	}
	return sub.Unsubscribe()
}

// notAllowed is a refusal by permissions, with a hint where the subject is one of answers.
func notAllowed(err error) error {
	hint := ""
	if strings.Contains(err.Error(), `"_INBOX.`) {
		hint = "; where users have inboxes of their own, --nats-inbox-prefix names this user's"
	}
	return fmt.Errorf("this user may not do that: %w%s", err, hint)
}

// doPlan is do for the one of several plans that exists. It calls f with the first name at once,
// because most plans have that and need no second request.
func (c *connection) doPlan(cmd *cobra.Command, enc wire.Encoding, names []schema.PlanName, f func(ctx context.Context, c *client.Client, name schema.PlanName) error) error {
	noPlan := func(name schema.PlanName, err error) error { return c.noPlan(cmd, name, err) }
	return c.do(cmd, enc, func(ctx context.Context, c *client.Client) error {
		err := f(ctx, c, names[0])
		if !errors.Is(err, client.ErrNotFound) {
			return err
		}
		other, failed := c.Plans().Which(ctx, names)
		if failed != nil || other == names[0] {
			return noPlan(names[0], err)
		}
		return asTyped(f(ctx, c, other), other, names[0])
	})
}

// asTyped is a refusal that names a plan as it was typed.
func asTyped(err error, name, typed schema.PlanName) error {
	refused, is := errors.AsType[*schema.Error](err)
	if !is {
		return err
	}
	before, whole := strings.CutSuffix(err.Error(), refused.Error())
	if !whole {
		return err
	}
	said := *refused
	said.Message = strings.ReplaceAll(said.Message, name.String(), typed.String())
	return fmt.Errorf("%s%w", before, &said)
}

// planArgument reads STATION/ID, for doPlan.
func planArgument(arg string) ([]schema.PlanName, error) {
	if names := knownBy(arg); len(names) > 0 {
		return names, nil
	}
	_, err := nameArgument(arg, "plan as STATION/ID")
	return nil, err
}

// nameArgument reads a name; called is its kind, for messages.
func nameArgument(arg, called string) (schema.PlanName, error) {
	name, err := schema.ParsePlanName(arg)
	if refused := new(schema.Error); errors.As(err, &refused) {
		return name, usagef("name the %s: %s", called, refused.Message)
	}
	if err != nil {
		return name, usagef("name the %s: %w", called, err)
	}
	return name, nil
}
