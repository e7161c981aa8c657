package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// aliases are names of commands in other programs, nats among them, that also work here.
var aliases = map[string][]string{
	"ls": {"list"}, "rm": {"remove", "delete"}, "get": {"show"}, "create": {"add"}, "runs": {"history"},
}

// hints are suggestions for names of commands in other programs.
var hints = map[string][]string{
	"reset": {"retry"}, "trigger": {"start", "now"}, "close": {"stop", "end", "finish"},
	"offline": {"pause", "stop", "disable"}, "online": {"resume", "start", "enable"},
	"submit": {"create", "add", "new"}, "put": {"create", "add", "new", "set", "update"}, "push": {"add", "put", "new"}, "create": {"new"},
	"get": {"pop", "fetch", "claim", "take"}, "fetch": {"pop", "claim", "take", "pull"},
}

// addOtherNames gives the commands below one their aliases and hints, except those that
// name another command beside it.
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

// meantCommand suggests another command, if one is similar.
func meantCommand(group *cobra.Command, given string) string {
	var names []string
	for _, cmd := range group.Commands() {
		if !cmd.IsAvailableCommand() {
			continue
		}
		if slices.Contains(cmd.SuggestFor, given) {
			return fmt.Sprintf("; did you mean %q?", cmd.Name())
		}
		names = append(append(names, cmd.Name()), cmd.Aliases...)
	}
	return meant("", given, names)
}

// otherFlags are names of flags in other programs, and in other commands of this one.
var otherFlags = map[string]string{
	"at": "time", "when": "time", "due": "time", "tz": "timezone", "zone": "timezone", "schedule": "cron",
	"count": "limit", "limit": "count", "n": "limit",
	"data": "message", "body": "message", "payload": "message", "subject": "station", "topic": "station",
}

// keepsName explains why an update has no flag for a name.
const keepsName = "; a plan keeps its station and its id: plan create makes another one, and plan rm removes this one"

// remarks explain why a command lacks a flag that others have.
var remarks = map[string]map[string]string{
	"plan update": {
		"station": keepsName, "id": keepsName, "plan-id": keepsName,
		"paused": "; plan pause and plan resume do that", "on-conflict": "; it changes the plan that is there, and plan create has it",
	},
}

// chosenBy are criteria of --where that other commands have as flags.
var chosenBy = []string{"station", "status", "waits", "label", "text"}

// meantFlag explains a flag that a command lacks, or suggests another flag, if one is similar.
func meantFlag(cmd *cobra.Command, given string) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	if remark := remarks[path][given]; remark != "" {
		return remark
	}
	names := flagNames(cmd)
	if slices.Contains(names, "where") && slices.Contains(chosenBy, given) && !slices.Contains(names, given) {
		return fmt.Sprintf("; for all plans that match it is: --where %s=…", given)
	}
	if ours := otherFlags[given]; slices.Contains(names, ours) {
		return fmt.Sprintf("; did you mean %q?", "--"+ours)
	}
	return meant("--", given, names)
}
