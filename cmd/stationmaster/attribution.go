package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// asksIn adds --by and --note to those subcommands of a group, which change something.
func (c *connection) asksIn(group *cobra.Command, names ...string) {
	for _, cmd := range group.Commands() {
		if slices.Contains(names, cmd.Name()) {
			c.asks(cmd)
		}
	}
}

// asks adds --by and --note to a command that changes something. Without --by the requester is
// the user who runs this program.
func (c *connection) asks(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&c.asked.By, "by", "", "who asks for it, as states, events and results repeat (default \""+asksAs(cmd)+"USER@HOST\")")
	fs.StringVar(&c.asked.Note, "note", "", "why, as states, events and results repeat")
}

// asksAs is the text before the account where there is no --by.
func asksAs(cmd *cobra.Command) string {
	if cmd.Name() == "apply" || cmd.Name() == "import" {
		return "apply "
	}
	return ""
}

// attributed returns ctx with the attribution, if the command takes one.
func (c *connection) attributed(ctx context.Context, cmd *cobra.Command) context.Context {
	by := cmd.Flags().Lookup("by")
	if by == nil || cmd.Flags().Lookup("note") == nil {
		return ctx
	}
	asked := c.asked
	if !by.Changed {
		asked.By = asksAs(cmd) + account()
	}
	return client.WithAttribution(ctx, asked)
}

// account is the user who runs this program, as user@host.
func account() string {
	name := cmp.Or(os.Getenv("USER"), strconv.Itoa(os.Getuid()))
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, fmt.Sprintf("%s@%s", name, host))
	const most = schema.MaxBy - len("apply ")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
