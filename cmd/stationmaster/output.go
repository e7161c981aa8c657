package main

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// printJSON writes a value as one line of JSON.
func printJSON(w io.Writer, v any) error {
	line, err := wire.Marshal(wire.JSON, v)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}

// printJSONList writes {"name":[…]}, one item a line, while the items come.
func printJSONList[T any](w io.Writer, name string, items iter.Seq2[T, error]) error {
	before := fmt.Sprintf("{%q:[\n", name)
	for item, err := range items {
		if err != nil {
			return err
		}
		line, err := wire.Marshal(wire.JSON, &item)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		if _, err := fmt.Fprintf(w, "%s%s", before, line); err != nil {
			return err
		}
		before = ",\n"
	}
	if before != ",\n" {
		_, err := fmt.Fprintf(w, "{%q:[]}\n", name)
		return err
	}
	_, err := fmt.Fprint(w, "\n]}\n")
	return err
}

// printTable writes a heading and the rows under it, in columns. The remark that there are
// no rows goes to stderr, so that a program that reads the table reads nothing.
func printTable[T any](cmd *cobra.Command, heading []string, items iter.Seq2[T, error], row func(*T) []string) error {
	begun, err := writeTable(cmd.OutOrStdout(), heading, items, row)
	if !begun && err == nil {
		cmd.PrintErrln("note: there are none")
	}
	return err
}

// writeTable is printTable without a note; begun reports whether there were rows.
func writeTable[T any](w io.Writer, heading []string, items iter.Seq2[T, error], row func(*T) []string) (begun bool, err error) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for item, err := range items {
		if err != nil {
			return begun, err
		}
		if !begun {
			fmt.Fprintln(tw, strings.Join(heading, "\t"))
			begun = true
		}
		fmt.Fprintln(tw, strings.Join(row(&item), "\t"))
	}
	return begun, tw.Flush()
}

// each is a list as a sequence.
func each[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// first limits a sequence to n items; 0 means all.
func first[T any](n int, items iter.Seq2[T, error]) iter.Seq2[T, error] {
	if n <= 0 {
		return items
	}
	return func(yield func(T, error) bool) {
		left := n
		for item, err := range items {
			if !yield(item, err) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// when is a moment for people, in their own zone; "-" for the zero time.
func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05.000 MST")
}

// orDash is s, or "-" where a column would be empty.
func orDash[S ~string](s S) string {
	if s == "" {
		return "-"
	}
	return string(s)
}
