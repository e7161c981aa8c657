package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// aliases are what commands are called elsewhere, nats among it, and may be called here.
var aliases = map[string][]string{
	"ls": {"list"}, "rm": {"remove", "delete"}, "get": {"show"}, "create": {"add"}, "runs": {"history"},
}

// hints are what is sometimes meant by what commands are called elsewhere.
var hints = map[string][]string{
	"reset": {"retry"}, "trigger": {"start", "now"}, "close": {"stop", "end", "finish"},
	"offline": {"pause", "stop", "disable"}, "online": {"resume", "start", "enable"},
	"submit": {"create", "add"}, "put": {"create", "add", "set", "update"}, "push": {"add", "put"},
}

// addOtherNames gives the commands below one their aliases and hints, but for such as name
// another command beside it.
func addOtherNames(group *cobra.Command) {
	taken := map[string]bool{}
	for _, cmd := range group.Commands() {
		taken[cmd.Name()] = true
	}
	for _, cmd := range group.Commands() {
		for _, name := range aliases[cmd.Name()] {
			if !taken[name] {
				cmd.Aliases = append(cmd.Aliases, name)
				taken[name] = true
			}
		}
		cmd.SuggestFor = hints[cmd.Name()]
		addOtherNames(cmd)
	}
}

// meantCommand asks whether another command was meant.
func meantCommand(group *cobra.Command, said string) string {
	var names []string
	for _, cmd := range group.Commands() {
		if !cmd.IsAvailableCommand() {
			continue
		}
		if slices.Contains(cmd.SuggestFor, said) {
			return fmt.Sprintf("; did you mean %q?", cmd.Name())
		}
		names = append(append(names, cmd.Name()), cmd.Aliases...)
	}
	return meant("", said, names)
}

// otherFlags are what flags are called elsewhere, other commands of ours among it.
var otherFlags = map[string]string{
	"at": "time", "when": "time", "due": "time", "tz": "timezone", "zone": "timezone", "schedule": "cron",
	"data": "message", "body": "message", "payload": "message", "subject": "station", "topic": "station",
}

// meantFlag asks whether another flag was meant.
func meantFlag(cmd *cobra.Command, said string) string {
	names := flagNames(cmd)
	if ours := otherFlags[said]; slices.Contains(names, ours) {
		return fmt.Sprintf("; did you mean %q?", "--"+ours)
	}
	return meant("--", said, names)
}
