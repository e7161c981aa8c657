package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestRequestsAreNamedAsCommands(t *testing.T) {
	for given, want := range map[string]string{
		"there is no plan a/b; it may have closed: plans.explain shows why, plans.runs what it did": "there is no plan a/b; it may have closed: `stationmaster plan why` shows why, `stationmaster plan runs` what it did",
		"remove them (plans.list of station a.b shows them, and plans.remove)":                      "remove them (`stationmaster plan ls a.b` shows them, and `stationmaster plan rm`)",
		"tasks.list": "`stationmaster task ls`",
		"a/b is a task: tasks.submit with on_conflict update changes it": "a/b is a task: `stationmaster task submit` with --on-conflict update changes it",
		"queues.push with update always sets its time":                   "`stationmaster queue push` with --update always sets its time",
		"station plans.list/x, plans.claim.x and plans.push are none":    "station plans.list/x, plans.claim.x and plans.push are none",
	} {
		if got := inCommands(given); got != want {
			t.Errorf("%s\nbecomes %s\nwant       %s", given, got, want)
		}
	}
}

func TestEachRequestHasACommand(t *testing.T) {
	there := map[string]bool{}
	walk(newRoot(func() {}), nil, func(_ *cobra.Command, path []string) { there[strings.Join(path, " ")] = true })
	for request, command := range commandOf {
		if !there[command] {
			t.Errorf("%s has no command %q", request, command)
		}
	}
}
