package main

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

func TestWorkersAreWarnedOfFlagsThatDoNotFitTheKind(t *testing.T) {
	const plain, fanout, pull = "", "--fanout", "--pull"
	for _, c := range []struct {
		kind schema.Kind
		flag string
		want string // empty: it fits
	}{
		{schema.KindAPI, plain, ""},
		{schema.KindAPI, fanout, "leave out --fanout"},
		{schema.KindAPI, pull, "leave out --pull"},
		{schema.KindPull, plain, "say --pull"},
		{schema.KindPull, fanout, "say --pull in place of --fanout"},
		{schema.KindPull, pull, ""},
		{schema.KindVote, plain, "say --fanout"},
		{schema.KindVote, fanout, ""},
		{schema.KindVote, pull, "say --fanout in place of --pull"},
		{schema.KindPub, plain, "say --fanout"},
		{schema.KindPub, fanout, ""},
		{schema.KindPub, pull, "say --fanout in place of --pull"},
	} {
		how := servedHow{fanout: c.flag == fanout, pull: c.flag == pull}
		if got := how.misfit(c.kind); (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) && !strings.Contains(got, c.want+",") {
			t.Errorf("%s with %q: %q, want %q", c.kind, c.flag, got, c.want)
		}
	}
}

// A worker for a single command prints a note about the other commands at its start,
// because a station's executions go to any of its workers.
func TestAWorkerOfOneCommandReportsRefusedCommands(t *testing.T) {
	if note := commandNote("backup", anyCommand); note != "" {
		t.Errorf("of a worker of all commands: %q", note)
	}
	note := commandNote("backup", "nightly")
	for _, want := range []string{"station backup ", `not "nightly"`, "a station of their own"} {
		if !strings.Contains(note, want) {
			t.Errorf("%q lacks %q", note, want)
		}
	}
}

func TestWorkRefusesFlagsThatMeanNothing(t *testing.T) {
	for flags, want := range map[string]string{
		"--station queue":                 "stationmaster itself works there",
		"--station http --pull":           "stationmaster itself works there",
		"--station callback.a":            "stationmaster itself works there",
		"--station s --concurrency 0":     "--concurrency is 0; it takes 1 or more",
		"--station s --retries -1":        "--retries is -1; it takes 0 or more",
		"--station s --retry-delay -1s":   "--retry-delay is -1s; it takes 0s or more",
		"--station s --prefetch 5":        "--prefetch is how many executions --pull claims",
		"--station s --prefetch -1":       "--prefetch is -1; it takes 0 or more",
		"--station s --command=":          "--command is empty",
		"--station s --pull --fanout":     "exclude each other",
		"--station s --pull --prefetch -": "whole number",
	} {
		args := append(append([]string{"work", "--nats-url=nats://127.0.0.1:1"}, strings.Fields(flags)...), "--", "true")
		if code, _, errs := try(t, "", args...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s", flags, code, errs)
		}
	}
}

// For a user who, being only a worker, may not ask for the kind of a station, the worker
// neither waits for an answer, nor prints an error.
func TestAWorkerWithoutPermissionToAskPrintsNoWarning(t *testing.T) {
	denied := &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"stations.get"}}}
	ns, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		Users: []*server.User{{Username: "w", Password: "p", Permissions: denied}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	defer ns.Shutdown()
	if !ns.ReadyForConnections(patience) {
		t.Fatal("nats-server is not ready")
	}
	nc, err := nats.Connect(ns.ClientURL(), nats.UserInfo("w", "p"), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		t.Errorf("it prints %v", err)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	began := time.Now()
	how := servedHow{fanout: true}
	if warning := how.warning(t.Context(), nc, client.Options{Timeout: 2 * patience}, "s"); warning != "" {
		t.Errorf("it prints %q", warning)
	}
	if took := time.Since(began); took > patience {
		t.Errorf("it waited for %v", took)
	}
	if nc.ErrorHandler() == nil {
		t.Error("other errors are no longer reported")
	}
}
