package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newExport() *cobra.Command {
	var conn connection
	var out string
	var secrets bool
	cmd := &cobra.Command{
		Use:   "export [--out FILE]",
		Short: "Write a backup of all plans with their states, and of all stations",
		Long: `Write a backup of everything that is planned: the stations, and the plans with all
that the scheduler keeps of them, merge queues with the items that wait in them among
them, as JSON lines. Plans go on meanwhile: each is as it was at one moment, but not all
at the same. Not in it are results, the secrets that callbacks are signed with, and
callbacks that no worker has taken yet, whose number is on stderr. Nor are headers of HTTP
calls that are secrets by nature, unless --with-secrets says so, which takes an operator's
right; plans without them cannot be restored. Values that are put by name (stationmaster
secret put) are in no backup.

The file appears under its name when it is whole, and only you may read it. Behind a
link its target is replaced; a pipe or a device is written to as it is.`,
		Example: "  stationmaster export --with-secrets --out backup.jsonl",
		Args:    takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			// In MessagePack definitions of either encoding travel without base64.
			return conn.do(cmd, wire.MsgPack, func(ctx context.Context, c *client.Client) error {
				var had backupCount
				var left leftOut
				write := func(w io.Writer) (err error) {
					had, left, err = writeBackup(ctx, c, conn.prefix, secrets, w)
					return err
				}
				if out == "" || out == "-" || isStdout(out) {
					return errors.Join(write(cmd.OutOrStdout()), left.warn(cmd.ErrOrStderr()))
				}
				if err := refuseLoss(out, nil); err != nil {
					return err
				}
				var kept string
				err := writeOut(out, func(w io.Writer) (err error) {
					if err := cmp.Or(write(w), refuseLoss(out, &had)); err != nil {
						return err
					}
					kept, err = keepLarger(out, had)
					return err
				})
				if err != nil {
					return err
				}
				if kept != "" {
					cmd.PrintErrf("note: the backup that was there has more than twice as many plans, and is kept as %s\n", kept)
				}
				if err := left.warn(cmd.ErrOrStderr()); err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "exported %s to %s\n", had, out)
				return err
			})
		},
	}
	conn.flags(cmd)
	cmd.Flags().BoolVar(&secrets, "with-secrets", false, "with the headers of HTTP calls that are secrets, such as Authorization")
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write (default: stdout)")
	return cmd
}

// A leftOut counts the callbacks that a backup leaves out, and the plans with hidden
// headers in it. Callbacks are left out because a restore of them could have callbacks
// signed that never came from a worker.
type leftOut struct{ callbacks, hidden int64 }

// warn prints a warning if there are any.
func (l leftOut) warn(w io.Writer) error {
	if l.hidden > 0 {
		if _, err := fmt.Fprintf(w, "the backup leaves out secret headers of %s: import refuses what lacks them; --with-secrets writes them\n", counted64(l.hidden, "plan")); err != nil {
			return err
		}
	}
	if l.callbacks == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%d callbacks that are not delivered yet are not in the backup: a copy of the data folder of a program that was stopped holds them\n", l.callbacks)
	return err
}

// writeBackup writes a whole backup, and returns the counts of its content and its
// omissions.
func writeBackup(ctx context.Context, c *client.Client, installation string, secrets bool, w io.Writer) (had backupCount, left leftOut, err error) {
	buffered := bufio.NewWriterSize(w, 256<<10)
	if err := printJSON(buffered, &backupLine{
		Kind: backupKind, Version: backupVersion, Time: time.Now().UTC(), Installation: &installation,
	}); err != nil {
		return had, left, err
	}
	line := func(l backupLine) error {
		had.add(&l)
		return printJSON(buffered, &l)
	}
	calendars, err := manifest.Calendars(ctx, c)
	if err != nil {
		return had, left, err
	}
	for _, record := range calendars {
		if err := line(backupLine{Calendar: record}); err != nil {
			return had, left, err
		}
	}
	for station, err := range c.Stations().All(ctx) {
		if err != nil {
			return had, left, err
		}
		station.Revision = 0 // another installation counts anew
		record, err := wire.ValueOf(wire.JSON, &station)
		if err == nil {
			err = line(backupLine{Station: record})
		}
		if err != nil {
			return had, left, err
		}
	}
	export := c.Plans().Export
	if secrets {
		export = c.Plans().ExportWithSecrets
	}
	for plan, err := range export(ctx) {
		if err == nil {
			err = left.writeCopy(ctx, c, plan, line)
		}
		if err != nil {
			return had, left, err
		}
	}
	if err := printJSON(buffered, &backupLine{End: &had}); err != nil {
		return had, left, err
	}
	return had, left, buffered.Flush()
}

// writeCopy writes the line of a plan, or of a plan with an inbox as many as its items
// take. An inbox that has become empty is left out.
func (l *leftOut) writeCopy(ctx context.Context, c *client.Client, plan schema.PlanCopy, line func(backupLine) error) error {
	if plan.Inbox == nil {
		if definition, err := plan.Definition(); err == nil && schema.HasHidden(definition) {
			l.hidden++
		}
		copied, err := inBackup(plan)
		if err != nil {
			return err
		}
		return line(backupLine{PlanCopy: copied})
	}
	name, err := nameOfCopy(plan)
	if err != nil {
		return err
	}
	if _, is := schema.CalledBack(name.Station); is {
		l.callbacks += plan.Inbox.Length
		return nil
	}
	for items, err := range c.PlanNamed(name).Items(ctx) {
		if err != nil {
			return err
		}
		plan.Items = &items
		part, err := inBackup(plan)
		if err != nil {
			return err
		}
		if itemsIn(part) == 0 {
			continue
		}
		if err := line(backupLine{PlanCopy: part}); err != nil {
			return err
		}
	}
	return nil
}
