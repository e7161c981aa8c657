package bench

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A Row is one figure of the product beside the bare engine's, of the same run.
type Row struct {
	Figure string  // the measured quantity, with its unit: "executions/s, 256 outstanding"
	Ours   float64 // the product's; 0: not measured
	Bare   float64 // the yardstick's; 0: there is none
	Ratio  float64 // ours as a share of bare; 0: there is none
	Target string  // the product's goal, in words; may be empty
}

// A Report is a table of figures, and notes on their circumstances.
type Report struct {
	Rows  []Row
	Notes []string // printed below the table, after one on the machine
}

// Print writes the table for a person to read: figure, ours, bare, their ratio, target.
func (r Report) Print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	// A tabwriter keeps the first error of w and returns it from Flush.
	fmt.Fprintln(table, "figure\tours\tbare\tratio\ttarget")
	for _, row := range r.Rows {
		ratio := "-"
		if row.Ratio != 0 {
			ratio = strconv.FormatFloat(row.Ratio, 'f', 2, 64)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", row.Figure, number(row.Ours), number(row.Bare), ratio, row.Target)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print table: %w", err)
	}
	for _, note := range append([]string{thisMachine()}, r.Notes...) {
		if _, err := fmt.Fprintf(w, "\n%s", note); err != nil {
			return fmt.Errorf("print notes: %w", err)
		}
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return fmt.Errorf("print notes: %w", err)
	}
	return nil
}

// thisMachine names the hardware and software on which the figures depend.
func thisMachine() string {
	return fmt.Sprintf("%s/%s, %d CPUs, GOMAXPROCS %d, %s, nats-server %s, nats.go %s",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.Version(), server.VERSION, nats.Version)
}

// number prints at least three significant digits, whole thousands grouped, and a dash
// for a figure that was not measured.
func number(v float64) string {
	switch {
	case v == 0:
		return "-"
	case math.Abs(v) < 100:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	var groups []string
	for len(digits) > 3 {
		groups = append([]string{digits[len(digits)-3:]}, groups...)
		digits = digits[:len(digits)-3]
	}
	return sign + strings.Join(append([]string{digits}, groups...), ",")
}
