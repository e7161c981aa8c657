package main

import "github.com/spf13/cobra"

// unknownCommand returns an error for a word that names no command of a group; nil: each word
// names one.
func unknownCommand(group *cobra.Command, words []string) error {
	if !group.HasSubCommands() || len(words) == 0 {
		return nil
	}
	return usagef("unknown command %q%s", words[0], meantCommand(group, words[0]))
}

// refuseHelp refuses help about an unknown command, because cobra would explain its group in its
// place, as if the name were right. The error that it notes is that of the last run.
func refuseHelp(root *cobra.Command) (refused *error) {
	refused = new(error)
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if *refused = unknownCommand(cmd, cmd.Flags().Args()); *refused == nil {
			usual(cmd, args)
		}
	})
	root.InitDefaultHelpCmd()
	takeHelpFirst(root)
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return refused
	}
	help.Run = nil
	help.RunE = func(cmd *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		if err != nil {
			return &usageError{err}
		}
		if err := unknownCommand(about, rest); err != nil {
			return err
		}
		about.InitDefaultHelpFlag()
		about.InitDefaultVersionFlag()
		return about.Help()
	}
	return refused
}

// takeHelpFirst makes --help a flag of each group before the command line is read, because cobra
// would take the command behind it for its value.
func takeHelpFirst(group *cobra.Command) {
	if !group.HasSubCommands() {
		return
	}
	group.InitDefaultHelpFlag()
	for _, cmd := range group.Commands() {
		takeHelpFirst(cmd)
	}
}
