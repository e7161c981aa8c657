package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// show prints the fields of one object, for people one a line, with its time or its unit, and
// else as JSON. The names are those of the requests. The further lines in beside are for people.
func (a *asker) show(cmd *cobra.Command, v any, beside ...[2]string) error {
	if a.json {
		return printJSON(cmd.OutOrStdout(), v)
	}
	body, err := wire.Marshal(wire.JSON, v)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	tw := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for name, value := range wire.Trust(wire.JSON, body).Map() {
		fmt.Fprintf(tw, "%s\t%s\n", name, fieldText(name, value))
	}
	for _, more := range beside {
		fmt.Fprintf(tw, "%s\t%s\n", more[0], more[1])
	}
	return tw.Flush()
}

// fieldText is the value of a field as people read it.
func fieldText(name string, v wire.Value) string {
	if at, is := v.Time(); is && isMoment(name) {
		return when(at)
	}
	if seconds, is := v.Int(); is && isMoment(name) && seconds >= earliest {
		return when(time.Unix(seconds, 0))
	}
	if seconds, is := v.Float(); is && isSpan(name) {
		return time.Duration(seconds * float64(time.Second)).String()
	}
	if text, is := v.Text(); is {
		return text
	}
	return v.String()
}

func isMoment(name string) bool {
	return strings.HasSuffix(name, "time") && name != "exec_time" || strings.HasSuffix(name, "_date") || strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "deadline")
}

func isSpan(name string) bool {
	return name == "exec_time" || name == "abandon_after" || strings.HasSuffix(name, "_seconds") || strings.HasSuffix(name, "_timeout")
}

// inTheirCase is the known spelling of a word, for any case of its letters.
func inTheirCase[T ~string](given string, known []T) T {
	for _, word := range known {
		if strings.EqualFold(given, string(word)) {
			return word
		}
	}
	return T(given)
}
