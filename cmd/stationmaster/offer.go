package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/schema"
)

// offer makes shells complete a flag with the words that its field takes. A flag that takes
// any text is left to the shell, which offers files.
func offer(cmd *cobra.Command, flag, field string) {
	if field == "timezone" {
		complete(cmd, flag, completeZone)
		return
	}
	words := schema.Words(field)
	if len(words) == 0 {
		return
	}
	several := cmd.Flag(flag).Value.Type() == "stringSlice"
	complete(cmd, flag, func(_ *cobra.Command, _ []string, begun string) (all []string, _ cobra.ShellCompDirective) {
		prefix := ""
		if several { // with commas between them
			prefix = begun[:strings.LastIndexByte(begun, ',')+1]
		}
		for _, word := range words {
			if strings.HasPrefix(prefix+word, begun) {
				all = append(all, prefix+word)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	})
}

// complete makes shells ask f for the values of a flag.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(fmt.Sprintf("%s --%s: %v", cmd.Name(), flag, err)) // it is no flag, or offered twice
	}
}
