package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A zoneRow is a zone as zones shows it.
type zoneRow struct {
	Zone   string `json:"zone"`
	Offset string `json:"offset"`
	Short  string `json:"abbreviation"`
}

// zonesLike are the zones with a text in their names, in any case and with spaces for
// underscores.
func zonesLike(text string) (names []string) {
	text = strings.ReplaceAll(strings.ToLower(text), " ", "_")
	for _, name := range schema.Zones() {
		if strings.Contains(strings.ToLower(name), text) {
			names = append(names, name)
		}
	}
	return names
}

func newZones() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "zones [TEXT]",
		Short: "List the time zones that --timezone takes",
		Long: `List the time zones that plans may name, with their present offset from UTC;
with a text, those that have it in their name.`,
		Example: `  stationmaster zones berlin
  stationmaster zones america/new`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names := zonesLike(strings.Join(args, ""))
			if len(names) == 0 {
				return fmt.Errorf("no zone has %q in its name; zones are named by continent and city, such as Europe/Berlin", args[0])
			}
			rows, err := zoneRows(names, time.Now())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSONList(cmd.OutOrStdout(), "zones", each(rows))
			}
			tw := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, row := range rows {
				fmt.Fprintf(tw, "%s\t%s\t%s\n", row.Zone, row.Offset, row.Short)
			}
			return tw.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func zoneRows(names []string, now time.Time) ([]zoneRow, error) {
	rows := make([]zoneRow, len(names))
	for i, name := range names {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return nil, fmt.Errorf("load zone %s: %w", name, err)
		}
		at := now.In(zone)
		rows[i] = zoneRow{Zone: name, Offset: at.Format("-07:00"), Short: at.Format("MST")}
	}
	return rows, nil
}

// completeZone completes a flag with the zones that begin with the typed text, in any case,
// or else with those that contain it.
func completeZone(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	like := zonesLike(begun)
	var names []string
	for _, name := range like {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(begun)) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = like
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// ownZone is the IANA name of the zone of this machine, or of TZ.
func ownZone() (string, error) {
	given, is := os.LookupEnv("TZ")
	switch path := strings.TrimPrefix(given, ":"); {
	case !is || path == "/etc/localtime":
		return machineZone()
	case path == "": // the C library's meaning
		return "UTC", nil
	default:
		if name := zoneNamed(path); name != "" {
			return name, nil
		}
		return "", fmt.Errorf("cron means the zone of TZ=%s, which has no name such as Europe/Berlin: give --timezone", given)
	}
}

// machineZone is the name of the zone that this machine is set to.
func machineZone() (string, error) {
	if _, err := os.Stat("/etc/localtime"); errors.Is(err, os.ErrNotExist) {
		return "UTC", nil // by which all clocks there go
	}
	link, _ := os.Readlink("/etc/localtime") // which may be a file
	text, _ := os.ReadFile("/etc/timezone")
	for _, given := range []string{link, strings.TrimSpace(string(text))} {
		if name := zoneNamed(given); name != "" {
			return name, nil
		}
	}
	return "", errors.New("cron means this machine's zone, and it has no name that can be found here: say --timezone")
}

// zoneNamed is the zone that a text names, or the path to its file; "" is none.
func zoneNamed(text string) string {
	if _, below, is := strings.Cut(text, "zoneinfo/"); is {
		text = strings.TrimPrefix(below, "posix/") // where some systems have a second copy
	}
	switch _, err := schema.LoadZone(text); {
	case err != nil:
		return ""
	case strings.HasSuffix(text, "UTC"): // Etc/UTC
		return "UTC"
	default:
		return text
	}
}
