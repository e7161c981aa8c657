package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newImport() *cobra.Command {
	var a asker
	var from, onConflict string
	var dryRun, paused, resume bool
	cmd := &cobra.Command{
		Use:   "import -f FILE [--on-conflict error|keep] [--paused] [--dry-run | --resume]",
		Short: "Restore a backup that export wrote",
		Long: `Restore stations and plans from a backup, each plan as it stood: its due times, its
counts and its numbers go on. Executions that were in flight are tried again at once;
occurrences that fell due since then follow the plan's catch_up. The items of a merge
queue are pushed again, in their order.

Restored plans act at once, also where serve is the worker: HTTP jobs, merge queues
and callbacks are called. With --paused all plans are restored as paused, so that nothing
acts. "import -f FILE --resume" ends that: it resumes the plans that import --paused has paused, and
neither those that the backup has as paused nor those that somebody has paused here, and
names those that are gone. What falls due until then is skipped for good, as of any paused plan,
with any catch_up: leave --paused out to have it caught up. A plan that ends by that without a run
is restored once more by --resume, and follows its catch_up. For a drill, while the
installation of the backup goes on, start the other one with
"serve --http-concurrency 0", which makes no calls for any plan.

A file is read to its end before anything of it is restored; stdin ("-") is not. A
refused line does not stop the rest: its error is on stderr with its number, and the exit
code is 1. With --on-conflict keep existing plans are left as they are, so a restore that
stopped half-way can be repeated. --dry-run checks every line by itself, then says what the
restore would do here, if a scheduler answers, and restores nothing. Secrets are in no
backup: those that the plans use and the installation lacks are named at the end.

A plan that came to its end here since the backup is not made again, and a queue that has
handed items over since gets none: it is refused or, with --on-conflict keep, left out, and
the items that are left out are counted. Neither is known longer than results are kept. A
queue that is here keeps its items as they are; one that was deleted is restored.`,
		Example: `  stationmaster import -f backup.jsonl --dry-run
  stationmaster import -f backup.jsonl --on-conflict keep
  stationmaster import -f backup.jsonl --paused      # and when all is as it should be:
  stationmaster import -f backup.jsonl --resume`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := restorer{onConflict: schema.OnConflict(onConflict), paused: paused, complain: cmd.ErrOrStderr()}
			switch {
			case from == "":
				return usagef("name the file with -f, or - for stdin")
			case r.onConflict != schema.ConflictError && r.onConflict != schema.ConflictKeep:
				return usagef("--on-conflict %q is neither error nor keep", onConflict)
			case resume && (paused || dryRun):
				return usagef("--resume resumes an earlier restore; give it without --paused and --dry-run")
			}
			in, closeIn, err := openBackup(cmd, from)
			if err != nil {
				return err
			}
			defer closeIn()
			if dryRun {
				return r.foresee(cmd, &a, from, in)
			}
			return a.do(cmd, wire.MsgPack, func(ctx context.Context, c *client.Client) error {
				r.ctx, r.client = ctx, c
				if resume {
					done, err := r.resumeAll(in)
					r.errs.rest(r.complain)
					return errors.Join(err, a.answer(cmd, &done, done.String()))
				}
				err := r.restore(in)
				r.secrets.warnMissing(ctx, c, r.complain)
				if r.done.Restored != (backupCount{}) && err != nil {
					err = fmt.Errorf("%w; the restored part stays, and --on-conflict keep goes on from there", err)
				}
				d := &r.done
				if paused && d.Restored.Plans > 0 {
					cmd.PrintErrf("note: the restored plans are paused; \"stationmaster import -f %s --resume\" resumes those that the backup has as not paused, and restores those that end unrun until then, because what falls due of a paused plan is skipped\n", from)
				}
				return r.report(cmd, &a, err, d.text("restored", "kept", "refused", "are left out"))
			})
		},
	}
	a.flags(cmd)
	a.asks(cmd)
	cmd.Flags().StringVarP(&from, "file", "f", "", "`file` that export wrote; - for stdin")
	cmd.Flags().StringVar(&onConflict, "on-conflict", string(schema.ConflictError), "when a plan, or another record of a station, exists: error or keep")
	cmd.Flags().BoolVar(&paused, "paused", false, "restore all plans as paused")
	cmd.Flags().BoolVar(&resume, "resume", false, "restore nothing: end the pause of the plans of the file that --paused has paused")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check the file, and restore nothing")
	return cmd
}

// openBackup opens a backup. A file is known to be whole then.
func openBackup(cmd *cobra.Command, name string) (in io.Reader, closeIn func(), err error) {
	if name == "-" {
		return cmd.InOrStdin(), func() {}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	closeIn = func() { _ = file.Close() } // it was only read
	_, err = readBackup(file, func(int64, *backupLine) error { return nil })
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		closeIn()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, closeIn, nil
}

// A restoring counts the results of the lines of a backup.
type restoring struct {
	Restored backupCount `json:"restored"`
	Kept     backupCount `json:"kept"`
	Refused  backupCount `json:"refused"`
}

// text counts the results in these words.
func (d *restoring) text(restored, kept, refused, leftOut string) string {
	line := fmt.Sprintf("%s %s, %s %s, %s %s", restored, d.Restored, kept, d.Kept.orNone(), refused, d.Refused.orNone())
	if n := d.Kept.Items; n > 0 {
		line += fmt.Sprintf("; %d items %s, because their queues are here, or have handed items over since the backup", n, leftOut)
	}
	return line
}

// A restorer restores the lines of a backup. Stations go one by one, and plans in requests of a
// bounded size.
type restorer struct {
	ctx        context.Context //nolint:containedctx // a restorer lives within one command
	client     *client.Client
	onConflict schema.OnConflict
	paused     bool // restore all plans as paused
	complain   io.Writer

	done restoring
	errs lineErrors

	secrets usedSecrets

	left   schema.PlanName // its inbox was not restored, so its further lines are skipped
	leftTo *int64          // the count of items in the inbox of the last line
	dry    bool            // the scheduler makes a dry run of all

	brought []string // in a dry run: calendars of the backup that are not here

	plans []schema.PlanCopy // of the next request
	lines []int64           // their numbers
	bytes int
}

// report prints the counts; err is the reason why the restore ended early.
func (r *restorer) report(cmd *cobra.Command, a *asker, err error, line string) error {
	r.errs.rest(r.complain)
	printed := a.answer(cmd, &r.done, line)
	if n := r.done.Refused; err == nil && n != (backupCount{}) {
		err = fmt.Errorf("refused: %s", backupCount{Calendars: n.Calendars, Stations: n.Stations, Plans: n.Plans})
	}
	return errors.Join(err, printed)
}

// check checks a line without a request.
func (r *restorer) check(number int64, line *backupLine) error {
	if !line.Calendar.IsZero() {
		if _, err := schema.ParseCalendar(line.Calendar); err != nil {
			r.refuse(number, &r.done.Refused.Calendars, err)
		}
		return nil
	}
	if !line.Station.IsZero() {
		station, err := stationOf(line.Station)
		if err != nil {
			r.refuse(number, &r.done.Refused.Stations, err)
			return nil
		}
		r.secrets.ofStation(station)
		return nil
	}
	r.secrets.ofPlan(line.PlanCopy)
	if err := node.CheckCopy(line.PlanCopy, time.Now()); err != nil {
		count := &r.done.Refused.Plans
		if name, err := nameOfCopy(line.PlanCopy); err == nil && name == r.left && line.Items != nil && line.Items.Goes {
			count = new(int64) // it was counted with its first line
		}
		r.refuse(number, count, fmt.Errorf("%s: %w", planOfCopy(line.PlanCopy), err))
		r.left, _ = nameOfCopy(line.PlanCopy) // an empty name belongs to no station
	}
	return nil
}

// refuse reports an error in a line, and counts it.
func (r *restorer) refuse(number int64, count *int64, err error) {
	*count++
	r.errs.report(r.complain, number, err.Error())
}

// restore restores all lines.
func (r *restorer) restore(in io.Reader) error {
	_, err := readBackup(in, func(number int64, line *backupLine) error {
		switch {
		case !line.Calendar.IsZero():
			return r.calendar(number, line.Calendar)
		case !line.Station.IsZero():
			return r.station(number, line.Station)
		}
		return r.plan(number, line.PlanCopy)
	})
	return errors.Join(err, r.send()) // the lines before a broken one are sent
}

// calendar puts a calendar, unless there is one of its id.
func (r *restorer) calendar(number int64, record wire.Value) error {
	calendar, err := schema.ParseCalendar(record)
	if err != nil {
		r.refuse(number, &r.done.Refused.Calendars, err)
		return nil
	}
	calendar.Revision = 0
	switch there, err := r.client.Calendars().Get(r.ctx, calendar.CalendarID); {
	case errors.Is(err, client.ErrNotFound):
	case err != nil:
		return fmt.Errorf("line %d: %w", number, err)
	case r.onConflict == schema.ConflictKeep || sameCalendar(there, calendar):
		r.done.Kept.Calendars++
		return nil
	default:
		r.refuse(number, &r.done.Refused.Calendars, fmt.Errorf("calendar %s is another one here; --on-conflict keep leaves it as it is", calendar.CalendarID))
		return nil
	}
	if r.dry {
		r.brought = append(r.brought, calendar.CalendarID)
		r.done.Restored.Calendars++
		return nil
	}
	_, err = r.client.Calendars().Put(r.ctx, *calendar)
	switch refused := new(schema.Error); {
	case errors.As(err, &refused) && refused.Code != schema.CodeUnavailable:
		r.refuse(number, &r.done.Refused.Calendars, err)
	case err != nil:
		return fmt.Errorf("line %d: %w", number, err)
	default:
		r.done.Restored.Calendars++
	}
	return nil
}

// sameCalendar reports that two calendars differ in their revisions at most.
func sameCalendar(a, b *schema.Calendar) bool {
	without := *a
	without.Revision = b.Revision
	return reflect.DeepEqual(&without, b)
}

// station puts a station, unless it has a record.
func (r *restorer) station(number int64, record wire.Value) error {
	station, err := stationOf(record)
	if err != nil {
		r.refuse(number, &r.done.Refused.Stations, err)
		return nil
	}
	switch there, err := r.client.Stations().Get(r.ctx, station.Station); {
	case errors.Is(err, client.ErrNotFound):
	case err != nil:
		return fmt.Errorf("line %d: %w", number, err)
	case r.onConflict == schema.ConflictKeep || sameStation(there, station):
		r.done.Kept.Stations++
		return nil
	default:
		r.refuse(number, &r.done.Refused.Stations, fmt.Errorf("station %s has another record; --on-conflict keep leaves it as it is", station.Station))
		return nil
	}
	if r.dry {
		r.done.Restored.Stations++
		return nil
	}
	if station.TaskType != nil {
		_, err = r.client.TaskTypes().Put(r.ctx, *station.TaskType) // which makes the station, too
	} else {
		_, err = r.client.Stations().Put(r.ctx, *station)
	}
	switch refused := new(schema.Error); {
	case errors.As(err, &refused) && refused.Code != schema.CodeUnavailable:
		r.refuse(number, &r.done.Refused.Stations, err)
	case err != nil:
		return fmt.Errorf("line %d: %w", number, err)
	default:
		r.done.Restored.Stations++
		r.secrets.ofStation(station)
	}
	return nil
}

// stationOf checks the record of a station, which may be that of a task type.
func stationOf(record wire.Value) (*schema.Station, error) {
	if record.Field("task_type").IsZero() {
		station, err := schema.ParseStation(record)
		if station != nil {
			station.Revision = 0
		}
		return station, err
	}
	station := new(schema.Station)
	if err := wire.Decode(record, station); err != nil {
		return nil, err
	}
	if wrong := station.Check(); len(wrong) > 0 {
		return nil, wrong
	}
	return station, nil
}

// sameStation reports that two stations differ in their revisions at most.
func sameStation(a, b *schema.Station) bool {
	without := *a
	without.Revision = b.Revision
	was, err1 := wire.Marshal(wire.JSON, &without)
	is, err2 := wire.Marshal(wire.JSON, b)
	return err1 == nil && err2 == nil && bytes.Equal(was, is)
}
