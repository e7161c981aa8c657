package main

import (
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
			// No limit: whoever pipes something in wants to see it.
			unlimited := wire.Limits{Depth: 1000, Items: len(body)}
			value, err := wire.Scan(body, unlimited)
			if err != nil { // a JSON value that is neither list nor map looks like MessagePack
				if text, isJSON := wire.ScanAs(wire.JSON, body, unlimited); isJSON == nil {
					value, err = text, nil
				}
			}
			if err != nil {
				return fmt.Errorf("decode: %w", err)
			}
			return printJSON(cmd.OutOrStdout(), value)
		},
	}
}
