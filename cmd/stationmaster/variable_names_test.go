package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Each command refuses a variable that is misspelt, before it does anything.
func TestAMisspeltVariableIsRefusedByEveryCommand(t *testing.T) {
	t.Setenv("STATIONMASTER_NATS_ULR", "nats://elsewhere:4222")
	seen := 0
	walk(newRoot(func() {}), nil, func(cmd *cobra.Command, path []string) {
		if cmd.Name() == "help" {
			return
		}
		seen++
		root := newRoot(func() { t.Errorf("%q has begun", path) })
		found, _, err := root.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		err = root.PersistentPreRunE(found, nil)
		if want := `did you mean "STATIONMASTER_NATS_URL"?`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", path, err)
		}
	})
	if seen < 50 {
		t.Errorf("%d commands were tried", seen)
	}
	if code, _, errs := try(t, "", "version"); code != exitUsage || !strings.Contains(errs, `variable STATIONMASTER_NATS_ULR is set, and unknown; did you mean "STATIONMASTER_NATS_URL"?`) {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// A variable that one command reads is refused by no other. A variable that others set is none of
// this program's, and a request's is distinguished from an unknown one.
func TestWhichVariablesAreRefused(t *testing.T) {
	root := newRoot(func() {})
	read, _ := variablesRead(root)
	for _, name := range []string{"NATS_URL", "DATA_DIR", "CONFIG", "STATION", "TIMEOUT", "REQUEST_TIMEOUT", "LEASE", "JSON"} {
		if !slices.Contains(read, name) {
			t.Errorf("%s is read by no command", name)
		}
	}
	for _, name := range read {
		if err := checkVariables(root, []string{ownPrefix + name + "=1"}); err != nil {
			t.Error(err)
		}
	}
	for variable, want := range map[string]string{
		"STATIONMASTER_SERVICE_HOST=10.0.0.1":             "",
		"STATIONMASTER_SERVICE_PORT=4222":                 "",
		"STATIONMASTER_SERVICE_PORT_NATS=4222":            "",
		"STATIONMASTER_PORT=tcp://10.0.0.1:4222":          "",
		"STATIONMASTER_PORT_4222_TCP=tcp://10.0.0.1:4222": "",
		"STATIONMASTER_NATS_PORT_4222_TCP_ADDR=10.0.0.1":  "",
		"STATIONMASTER_NAME=/web/stationmaster":           "",
		"STATIONMASTER_ENV_STATIONMASTER_DATA_DIR=/data":  "",
		"PLAN_ID=7":                     "",
		"STATIONMASTERS=3":              "",
		"STATIONMASTER_DATADR=x_NAME=/": `did you mean "STATIONMASTER_DATA_DIR"?`,
		"STATIONMASTER_HTTP_PORT=8080":  "variable STATIONMASTER_HTTP_PORT is set, and unknown",
		"STATIONMASTER_DATADIR=/data":   `did you mean "STATIONMASTER_DATA_DIR"?`,
		"STATIONMASTER_nats_url=x":      `did you mean "STATIONMASTER_NATS_URL"?`,
		"STATIONMASTER_QQQQQQQQQQQ=1":   "variable STATIONMASTER_QQQQQQQQQQQ is set, and unknown",
		"STATIONMASTER_DESCRIPTION=now": "read by no command; give --description on the command line",
	} {
		err := checkVariables(root, []string{variable})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", variable, err, want)
		}
	}
}
