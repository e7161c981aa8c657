package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

// Without the program to measure nothing is measured, because a section that was left out
// would look like one that was not asked for.
func TestAProgramThatIsNotThereIsNamed(t *testing.T) {
	var out, errors bytes.Buffer
	err := run(context.Background(), []string{"--program", "./no-such-program", "--only", "memory"}, nil, &out, &errors)
	if err == nil || !strings.Contains(err.Error(), "./no-such-program") || out.Len() > 0 {
		t.Errorf("error %v, printed %q", err, out.String())
	}
}

func TestTheCommandLine(t *testing.T) {
	m, err := parse(strings.Fields("--only curve,deployed --rounds 1 --duration 20s --no-bare --picture c.svg"), &bytes.Buffer{})
	if err != nil || !slices.Equal(m.Only, []string{"curve", "deployed"}) || m.Rounds != 1 || m.Duration.Seconds() != 20 || !m.NoBare || m.Picture != "c.svg" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := parse([]string{"curve"}, &bytes.Buffer{}); err == nil {
		t.Error("an argument that nothing takes is passed over")
	}
}

// The measured program and its surroundings run as processes of their own.
func TestProcesses(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := measurement{program: "go"}
	if err := m.find(); err != nil {
		t.Fatal(err)
	}
	serve := m.Serve(context.Background(), "store", "--lease", "1s")
	if serve.Path == own || !slices.Equal(serve.Args[1:4], []string{"serve", "--data-dir", "store"}) || !slices.Contains(serve.Args, "--lease") {
		t.Errorf("a node is %q", serve.Args)
	}
	part := m.Part(context.Background(), "worker")
	if part.Path != own {
		t.Errorf("a part is %q", part.Args)
	}
	err = run(context.Background(), append(part.Args[1:len(part.Args)-1], "stoker"), strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "stoker") {
		t.Errorf("a part without a role: %v", err)
	}
}
