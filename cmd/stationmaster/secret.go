package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newSecret() *cobra.Command {
	var a asker
	cmd := group("secret", "Keep the secrets of HTTP calls", newSecretPut(&a), newSecretList(&a), newSecretRemove(&a))
	cmd.Long = `A secret is a value that plans of station http use as {{secret:NAME}}, in the address, in
headers and in the body. It is put once, sent to the hosts that are named with it, and
never shown.`
	a.flags(cmd)
	return cmd
}

// mostSecretRead is more than the size limit of a secret. A value that is as long is not read to its end.
const mostSecretRead = 64 << 10

func newSecretPut(a *asker) *cobra.Command {
	var n schema.NamedSecret
	var file string
	cmd := &cobra.Command{
		Use:   "put NAME --host HOST [-f FILE]",
		Short: "Store a secret in place of the one that has its name",
		Long: `The value is read from standard input, or a file, and never from an argument, which others
on the machine could see. Line ends behind it are left out; of other white space around it there
is a warning, because it is sent, too. Hosts and tenant are replaced with the value: a
warning names those that the secret had before and has no more.`,
		Example: `  printf %s "$TOKEN" | stationmaster secret put partner-api --host api.example.org
  stationmaster secret put intranet -f token.txt --host http://10.0.0.7:8080 --tenant acme`,
		Args: takesNoValue,
		RunE: func(cmd *cobra.Command, args []string) error {
			value, err := readSecret(cmd.InOrStdin(), file)
			if err != nil {
				return err
			}
			if value == "" {
				return usagef("the value is empty: give it on standard input, as in printf %%s \"$VALUE\" | stationmaster secret put %s --host HOST, or with -f FILE", args[0])
			}
			n.Name, n.Value = args[0], value
			if cmd.Flags().Changed("file") {
				setsField(cmd.Flags().Lookup("file"), "value")
			}
			was := a.secretNamed(cmd, n.Name)
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				put, err := c.Secrets().Put(ctx, n)
				if err != nil {
					return err
				}
				done := "replaced"
				if put.Created {
					done = "put"
				} else {
					lost := lostOfSecret(was, a.secretNamed(cmd, n.Name))
					warnOf(cmd, lost)
					if len(lost) > 0 {
						a.warnUsers(cmd, n.Name)
					}
				}
				if odd := oddOfSecret(n.Value); len(odd) > 0 {
					cmd.PrintErrf("warning: the value %s; it is stored as it is: put it again if that is none of it\n", strings.Join(odd, ", and "))
				}
				return a.answer(cmd, put, done+" "+put.Name)
			})
		},
	}
	listVar(cmd.Flags(), &n.Hosts, "host", "`host` that it may be sent to, by https, or with http:// in front; may be repeated")
	setsField(cmd.Flags().Lookup("host"), "hosts")
	cmd.Flags().StringVar(&n.TenantID, "tenant", "", "`tenant_id` whose plans alone may use it (default: all may)")
	cmd.Flags().StringVarP(&file, "file", "f", "-", "`file` with the value; - is standard input")
	return cmd
}

// takesNoValue refuses a value beside the name, and does not repeat it, because errors are logged.
func takesNoValue(cmd *cobra.Command, args []string) error {
	const instead = "others on the machine see arguments, and the shell keeps them: give the value on standard input or with -f, and another value if it is in use"
	switch {
	case len(args) > 1:
		return usagef("a secret's value is no argument, because %s", instead)
	case len(args) == 1 && strings.ContainsAny(args[0], "=:"):
		return usagef("NAME has letters, digits, _ and - alone; a value behind it is none of it, because %s", instead)
	}
	return takes(1)(cmd, args)
}

// secretNamed is a secret as it is listed, its hosts as they are stored; nil: there is
// none, or it cannot be read. Like [asker.replacing] it uses a connection of its own.
func (a *asker) secretNamed(cmd *cobra.Command, name string) (found *schema.NamedSecret) {
	_ = a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
		for secret, err := range c.Secrets().All(ctx) {
			if err != nil {
				return err
			}
			if secret.Name == name {
				found = &secret
				return nil
			}
		}
		return nil
	})
	return found
}

// lostOfSecret are the bindings that a secret has lost, by their flags.
func lostOfSecret(was, is *schema.NamedSecret) (lost []string) {
	if was == nil || is == nil {
		return nil
	}
	for _, host := range was.Hosts {
		if !slices.Contains(is.Hosts, host) {
			lost = append(lost, "--host "+host)
		}
	}
	if was.TenantID != "" && is.TenantID == "" {
		lost = append(lost, fmt.Sprintf("--tenant %q (plans of all tenants may use it now)", was.TenantID))
	}
	return lost
}

func readSecret(in io.Reader, file string) (schema.Secret, error) {
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("read the secret: %w", err)
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	value, err := io.ReadAll(io.LimitReader(in, mostSecretRead))
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	if len(value) == mostSecretRead {
		return "", fmt.Errorf("the secret has %d bytes or more; at most 4096 are taken", mostSecretRead)
	}
	if !utf8.Valid(value) {
		return "", errors.New("the secret is not UTF-8: write it so, or bytes in base64")
	}
	return schema.Secret(strings.TrimRight(string(value), "\r\n")), nil // as a shell does with $(cat file)
}

// oddOfSecret describes unusual parts of a value, such as a space at its end, because the
// target receives it, and does not know such a token. It reveals nothing of the value
// itself.
func oddOfSecret(value schema.Secret) (odd []string) {
	text := string(value)
	marked := strings.TrimPrefix(text, "\uFEFF")
	if marked != text {
		odd = append(odd, "begins with a byte order mark")
	}
	if strings.TrimLeftFunc(marked, unicode.IsSpace) != marked {
		odd = append(odd, "begins with white space")
	}
	if strings.TrimRightFunc(text, unicode.IsSpace) != text {
		odd = append(odd, "ends with white space")
	}
	if strings.ContainsAny(strings.TrimSpace(text), "\r\n") {
		odd = append(odd, "has several lines, which a header makes one of, with spaces")
	}
	return odd
}

func newSecretList(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the secrets, without their values, and the plans that use them",
		Args:  takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				users, err := secretUsers(ctx, c)
				if err != nil {
					cmd.PrintErrf("note: the plans that use them could not be listed: %v\n", err)
				}
				secrets := withUsers(c.Secrets().All(ctx), users)
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "secrets", secrets)
				}
				return printTable(cmd, []string{"NAME", "HOSTS", "TENANT", "USED BY"}, secrets,
					func(s *secretInUse) []string {
						return []string{s.Name, strings.Join(s.Hosts, " "), s.TenantID, cmp.Or(manifest.Few(s.UsedBy), "-")}
					})
			})
		},
	}
}

func newSecretRemove(a *asker) *cobra.Command {
	var dry, yes bool
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Delete a secret; calls that are made with it are refused",
		Long: `Delete a secret. Calls that are made with it are refused from then on, so one that plans
use is deleted with --yes alone; secret ls and --dry-run show who uses it.`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				if dry || !yes {
					var would schema.SecretDeleted
					err := c.Do(ctx, "secrets", "delete", map[string]any{"name": args[0], "dry_run": true}, &would)
					switch {
					case err != nil:
						return err
					case dry && would.Plans > 0:
						return a.answerForeseen(cmd, &would, fmt.Sprintf("would remove %s, and %s made with it: %s", args[0], callsOf(would.Plans), manifest.Few(would.UsedBy)))
					case dry:
						return a.answerForeseen(cmd, &would, "would remove "+args[0]+", which no plan uses")
					case would.Plans > 0:
						return fmt.Errorf("nothing was done, because %s made with %s: %s; to delete it all the same, say --yes",
							callsOf(would.Plans), args[0], manifest.Few(would.UsedBy))
					}
				}
				deleted, err := c.Secrets().Delete(ctx, args[0])
				if err != nil {
					return err
				}
				return a.answer(cmd, deleted, "removed "+args[0])
			})
		},
	}
	foreseenVar(cmd.Flags(), &dry)
	cmd.Flags().BoolVar(&yes, "yes", false, "also if plans use it")
	return cmd
}
