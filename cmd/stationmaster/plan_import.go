package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The bounds of one request of an import. The service takes this many plans, and so many bytes
// leave room for one large plan in a message of 1 MiB.
const (
	importPlans = 1000
	importBytes = 384 << 10
	// longestLine is somewhat more than the largest definition that is accepted.
	longestLine = 640 << 10
)

func newPlanImport(a *asker) *cobra.Command {
	var onConflict, from string
	var dry bool
	cmd := &cobra.Command{
		Use:   "import [-f FILE]",
		Short: "Create many plans, one JSON map a line",
		Long: `Create a plan of each line of a file, or of stdin ("-", or none given). A line that is
refused does not stop the others: it is shown on stderr with its number, and the exit
code is 1. A plan that is imported twice under one plan_id is refused, kept or
updated, as --on-conflict says. With keep and update one that came to its end by itself
is not made again, as long as its results are kept, and is named; without them it is.
Times that have passed are skipped, and a plan that has no other is gone at once; with
no_keep late occurrences run at once. Both are named, and counted.`,
		Example: `  stationmaster plan import -f plans.ndjson --on-conflict keep
  jq -c '.plans[].plan' backup.json | stationmaster plan import`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := cmd.InOrStdin()
			if len(args) == 1 { // the syntax before there was -f
				if from != "" {
					return usagef("%q and --file %q are two files; one is read", args[0], from)
				}
				from = args[0]
			}
			if from != "" && from != "-" {
				file, err := os.Open(from)
				if err != nil {
					return err
				}
				defer file.Close() //nolint:errcheck // it was only read
				in = file
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				im := importer{client: c, onConflict: schema.OnConflict(onConflict), dry: dry, complain: cmd.ErrOrStderr()}
				err := im.read(ctx, in)
				if _, other := errors.AsType[*usageError](err); other {
					return err // nothing was read
				}
				im.errs.rest(im.complain)
				t := &im.total
				if err == nil && im.sent == 0 && len(t.Errors) == 0 {
					cmd.PrintErrln("note: no plan is in it, which takes one a line, in JSON")
				}
				show, text := a.answer, importedText(t)
				if dry {
					show, text = a.answerForeseen, "would be: "+text
				}
				printed := show(cmd, t, text)
				if err == nil && len(t.Errors) > 0 {
					err = fmt.Errorf("refused: %s", counted64(int64(len(t.Errors)), "plan"))
				}
				return errors.Join(err, printed)
			})
		},
	}
	cmd.Flags().StringVarP(&from, "file", "f", "", "`file` with a JSON map a line; - is stdin, as is none")
	cmd.Flags().StringVar(&onConflict, "on-conflict", "", "when an id exists: error, keep or update")
	offer(cmd, "on-conflict", "on_conflict")
	foreseenVar(cmd.Flags(), &dry)
	return cmd
}

// importedText counts the fates of the plans of an import.
func importedText(t *schema.Imported) string {
	text := fmt.Sprintf("%d created, %d updated, %d kept, %d refused", t.Created, t.Updated, t.Kept, len(t.Errors))
	if n := len(t.Ended); n > 0 {
		text += fmt.Sprintf("; %d are gone unrun, because their times have passed", n)
	}
	if n := len(t.Dropped); n > 0 {
		text += fmt.Sprintf("; %d of the updated lost fields", n)
	}
	if n := len(t.Late); n > 0 {
		text += fmt.Sprintf("; %d of the created run at once, late", n)
	}
	return text
}

// The reports about plans whose times have passed.
const (
	goneText = ": all of its times have passed and are skipped, so it is gone; with no_keep a late occurrence runs, too"
	lateText = ": its plan_time has passed, so it runs at once, late, because of no_keep"
)

// endedText is the report about a plan that is not made again.
const endedText = " has come to its end since, and is not made again; plan create makes it anew"

// droppedText is the report about a plan that an update took fields from.
func droppedText(fields []string) string {
	return " had these before, and the line leaves them out: " + cmp.Or(strings.Join(fields, ", "), "too many to name here")
}

// An importer sends lines as they are, in requests of a bounded size.
type importer struct {
	client     *client.Client
	onConflict schema.OnConflict
	dry        bool // only ask for the outcome
	complain   io.Writer

	total schema.Imported
	errs  lineErrors

	sent  int          // plans in requests that were made
	plans []wire.Value // of the next request
	lines []int64      // their numbers
	bytes int
}

// read imports all lines of in.
func (im *importer) read(ctx context.Context, in io.Reader) error {
	r := bufio.NewReaderSize(in, longestLine)
	if err := refuseOther(r, "here each line is a plan in JSON", kindPlans); err != nil {
		return err
	}
	for number := int64(1); ; number++ {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice('\n')
			}
			im.refuse(number, &schema.Error{
				Code: schema.CodeTooLarge, Message: fmt.Sprintf("it has more than %d KiB; no plan is that large", longestLine>>10),
			})
			line = nil
		}
		if err := im.add(ctx, number, bytes.TrimSpace(line)); err != nil {
			return err
		}
		switch {
		case errors.Is(err, io.EOF):
			return im.send(ctx)
		case err != nil:
			return errors.Join(im.send(ctx), fmt.Errorf("read line %d: %w", number, err))
		}
	}
}

// add puts a line into the next request; one that has no room for it is sent before.
func (im *importer) add(ctx context.Context, number int64, line []byte) error {
	if len(line) == 0 {
		return nil
	}
	plan, err := wire.ScanAs(wire.JSON, bytes.Clone(line), wire.Limits{})
	if err != nil {
		im.refuse(number, &schema.Error{Code: schema.CodeInvalidPlan, Message: err.Error()})
		return nil
	}
	if len(im.plans) == importPlans || im.bytes+len(line) > importBytes && im.bytes > 0 {
		if err := im.send(ctx); err != nil {
			return err
		}
	}
	im.plans, im.lines = append(im.plans, plan), append(im.lines, number)
	im.bytes += len(line)
	return nil
}

// send imports the collected lines.
func (im *importer) send(ctx context.Context) error {
	if len(im.plans) == 0 {
		return nil
	}
	var answer schema.Imported
	request := struct {
		schema.Import
		DryRun bool `json:"dry_run,omitempty"`
	}{schema.Import{Plans: im.plans, OnConflict: im.onConflict}, im.dry}
	if err := im.client.Do(ctx, "plans", "import", &request, &answer); err != nil {
		return fmt.Errorf("lines %d to %d: %w", im.lines[0], im.lines[len(im.lines)-1], err)
	}
	im.sent += len(im.plans)
	im.total.Created += answer.Created
	im.total.Updated += answer.Updated
	im.total.Kept += answer.Kept
	im.total.DryRun = answer.DryRun
	im.name(answer.Finished, &im.total.Finished, endedText)
	im.name(answer.Ended, &im.total.Ended, goneText)
	im.name(answer.Late, &im.total.Late, lateText)
	for _, d := range answer.Dropped {
		if at, is := im.tell(d.Index, droppedText(d.Fields)); is {
			im.total.Dropped = append(im.total.Dropped, schema.ImportDropped{Index: at, Fields: d.Fields})
		}
	}
	for _, e := range answer.Errors {
		if e.Index < 0 || e.Index >= int64(len(im.lines)) || e.Error == nil {
			return fmt.Errorf("the scheduler complains about plan %d of %d", e.Index, len(im.lines))
		}
		im.refuse(im.lines[e.Index], e.Error)
	}
	im.plans, im.lines, im.bytes = im.plans[:0], im.lines[:0], 0
	return nil
}

// name reports the fate of some plans of the request, and enters the numbers of their lines, from
// 0, into the total.
func (im *importer) name(places []int64, total *[]int64, text string) {
	for _, i := range places {
		if at, is := im.tell(i, text); is {
			*total = append(*total, at)
		}
	}
}

// tell reports the fate of one plan of the request, and returns the number of its line from 0; false: the
// request has no such plan.
func (im *importer) tell(i int64, text string) (at int64, is bool) {
	if i < 0 || i >= int64(len(im.lines)) {
		return 0, false
	}
	im.errs.report(im.complain, im.lines[i], planNameOf(im.plans[i]).String()+text)
	return im.lines[i] - 1, true
}

// refuse reports an error in a line; in the total, Index is its number from 0.
func (im *importer) refuse(line int64, err *schema.Error) {
	im.total.Errors = append(im.total.Errors, schema.ImportError{Index: line - 1, Error: err})
	im.errs.report(im.complain, line, err.Error())
}
