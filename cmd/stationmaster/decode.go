package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newDecode() *cobra.Command {
	return &cobra.Command{
		Use:   "decode",
		Short: "MessagePack or JSON on stdin, JSON on stdout",
		Long: `Read one value, MessagePack or JSON, and print it as one line of JSON. Binary
becomes base64, a timestamp RFC 3339; whole numbers stay exact. Nothing in, nothing
out.`,
		Example: `  nats sub 'plan.result.>' --translate 'stationmaster decode'
  nats kv get plans plan.hello.01J8Z --raw | stationmaster decode`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := io.ReadAll(cmd.InOrStdin())
			if err != nil {
				return fmt.Errorf("read stdin: %w", err)
			}
			if len(body) == 0 {
				return nil
			}
			value, err := anyValue(body)
			if err != nil {
				return fmt.Errorf("decode: %w", err)
			}
			return printJSON(cmd.OutOrStdout(), value)
		},
	}
}

// anyValue reads body without limits, because users of a pipe want to see its content. The
// body may be a JSON value that is neither list nor map, which looks like MessagePack, or
// MessagePack with the newlines behind it that nats --raw prints.
func anyValue(body []byte) (wire.Value, error) {
	unlimited := wire.Limits{Depth: 1000, Items: len(body)}
	value, err := wire.Scan(body, unlimited)
	if err == nil {
		return value, nil
	}
	if value, err := wire.ScanAs(wire.JSON, body, unlimited); err == nil {
		return value, nil
	}
	if value, err := wire.Scan(bytes.TrimRight(body, "\n"), unlimited); err == nil {
		return value, nil
	}
	return wire.Value{}, err
}
