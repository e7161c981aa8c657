package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An applying is one run of `apply`.
type applying struct {
	asker
	files   []string
	crontab manifest.Crontab
	options manifest.Options
	empty   bool
	dryRun  bool
	yes     bool
	deep    bool // also read folders in folders
}

func newApply() *cobra.Command {
	var a applying
	cmd := &cobra.Command{
		Use:   "apply -f FILE|DIR [flags]",
		Short: "Bring stations, plans and tasks to the state in files",
		Long: `Read YAML files with lists of stations, plans and tasks, and crontabs (files named
crontab, or *.crontab), compare them with the installation, show the difference, and
carry it out when it is wanted. Of a folder all *.yaml, *.yml, *.crontab and crontab are
read, with -R those of the folders in it, too.

A line of a crontab that is an address, or a curl of one, becomes an HTTP task; any
other command becomes a plan of --station, whose workers run it, such as
  stationmaster work --station shell -- sh
It has the PATH, HOME, SHELL and TZ set above it, and is not tried again when it fails,
as under cron; unlike there it is not begun a second time while it runs. Times are those
of this machine's zone, or of CRON_TZ.

With --prune, plans and tasks of the same --set that the files no longer have are removed,
and no others ever are. What an apply of it made or changed is of a set, also what was made
by hand before, which a note tells. Without it, a note names them: an
edited line of a crontab is another plan, and the one of the old line runs on. Stations
stay. Files that name nothing at all are refused without --allow-empty, and --prune
removes more than half of a set only with --prune-most: the folder may not be the one that
was meant. Nor does it go by a folder of which folders within have files that are not
read, unless -R has them read, or --recursive=false says that they are none of it.

A plan that came to its end by itself is gone: one of type none or time that ran, one that
has had all occurrences of its plan_repet, one with nothing to come before its end_at. It
is not made again ("= plan hello/fin has run") as long as its results are kept, unless its
command, messages, plan_repet or cron change. With log none nothing is kept, and each
apply runs it again.`,
		Example: `  stationmaster apply -f plans.yaml --dry-run
  stationmaster apply -f deploy/ --set billing --prune --yes
  crontab -l > my.crontab &&
    stationmaster apply -f my.crontab --station shell --set my-crontab --prune --yes`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.run(cmd) },
	}
	a.flags(cmd)
	a.asks(cmd)
	fs := cmd.Flags()
	fs.StringArrayVarP(&a.files, "file", "f", nil, "`file` or folder to read; several are allowed, - is YAML on stdin")
	fs.BoolVarP(&a.deep, "recursive", "R", false, "read the folders in a folder, too, but for those whose names begin with a dot")
	fs.StringVar(&a.crontab.Station, "station", "", "`station` of crontab lines that are commands")
	fs.StringVar(&a.crontab.Timezone, "timezone", "", "`zone` of crontab lines above which no CRON_TZ stands (default: that of this machine)")
	fs.StringVar(&a.crontab.User, "user", "", "crontab lines have a column for the user, as those of /etc/crontab; take the lines of this `user`")
	complete(cmd, "timezone", completeZone)
	fs.StringVar(&a.options.Set, "set", "default", "`name` of the set, as a label on the plans that it makes")
	fs.BoolVar(&a.options.Prune, "prune", false, "remove plans of the set that the files no longer have; needs --set")
	fs.BoolVar(&a.options.Move, "move", false, "take plans that another set has")
	fs.BoolVar(&a.options.PruneMost, "prune-most", false, "let --prune remove more than half of the set's plans")
	fs.BoolVar(&a.empty, "allow-empty", false, "take files that name no calendar, station, plan or task")
	fs.BoolVar(&a.dryRun, "dry-run", false, "show the difference and end; exit code 1 when there is one")
	fs.BoolVar(&a.yes, "yes", false, "do not ask")
	return cmd
}

// errDiffers ends a dry run that finds changes.
var errDiffers = errors.New("the installation differs from the files")

func (a *applying) run(cmd *cobra.Command) error {
	if len(a.files) == 0 {
		return usagef("-f is missing; it names the files")
	}
	if a.options.Prune && !cmd.Flags().Changed("set") {
		return usagef("--prune removes plans that --set NAME made: give the name, too")
	}
	var set manifest.Set
	var errs []error
	for _, name := range a.files {
		errs = append(errs, a.read(cmd, &set, name))
	}
	for _, note := range set.Notes {
		cmd.PrintErrln("note: " + note)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if set.Len() == 0 && !a.empty {
		return usagef("%s: no calendar, station, plan or task is named there; say --allow-empty if that is meant", strings.Join(a.files, ", "))
	}
	out := cmd.OutOrStdout()
	a.options.Same = func(line string) { fmt.Fprintln(out, line) }
	a.options.Note = func(line string) { cmd.PrintErrln("note: " + line) }
	return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
		changes, err := manifest.Diff(ctx, c, &set, a.options)
		for i := range changes {
			fmt.Fprintln(out, &changes[i])
		}
		switch {
		case errors.Is(err, manifest.ErrPrunesMost):
			return fmt.Errorf("%w; say --prune-most if that is meant", err)
		case errors.Is(err, manifest.ErrOfAnotherSet):
			return fmt.Errorf("%w\nsay --move if they are to be of set %s, or name their set with --set%s", err, a.options.Set, mixed(err))
		case err != nil:
			return err
		case len(changes) == 0:
			fmt.Fprintln(out, "nothing to do")
			return nil
		case a.dryRun:
			return errDiffers
		case !a.yes && !agreed(cmd, len(changes)):
			return errors.New("nothing was changed")
		}
		done, err := manifest.Apply(ctx, c, changes)
		for i := range changes {
			if changes[i].Warning != "" {
				cmd.PrintErrf("warning: %s: %s\n", changes[i].What, changes[i].Warning)
			}
		}
		fmt.Fprintf(out, "%d of %d changes made\n", done, len(changes))
		return err
	})
}

// agreed asks on stderr, and reads a line of stdin.
func agreed(cmd *cobra.Command, changes int) bool {
	these := "this change"
	if changes != 1 {
		these = fmt.Sprintf("these %d changes", changes)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "make %s? [y/N] ", these)
	line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n') // no line means no
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

func (a *applying) readFile(cmd *cobra.Command, set *manifest.Set, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	if isCrontab(name) {
		if err := a.settleZone(cmd, name); err != nil {
			return err
		}
		return set.ReadCrontab(name, file, a.crontab)
	}
	buffered := bufio.NewReaderSize(file, headBytes)
	if err := refuseOther(buffered, "here a file is YAML, or a crontab by its name", kindYAML, kindBackup); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return set.Read(name, buffered)
}

// settleZone gives crontabs the zone of this machine, as cron does, unless a flag sets one.
func (a *applying) settleZone(cmd *cobra.Command, file string) error {
	if a.crontab.Timezone != "" {
		return nil
	}
	zone, err := ownZone()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	a.crontab.Timezone = zone
	if zone != "UTC" {
		cmd.PrintErrf("note: %s: times are those of %s, as on this machine, where no CRON_TZ stands above; --timezone sets another\n", file, zone)
	}
	return nil
}

// mixed remarks that plans of files are of several sets, as those of plan export may be.
func mixed(err error) string {
	sets := manifest.OtherSets(err)
	if len(sets) < 2 {
		return ""
	}
	return fmt.Sprintf("\nthey are of %d sets (%s): stationmaster plan export --set NAME writes those of one, to be applied with the same --set", len(sets), setsText(sets))
}
