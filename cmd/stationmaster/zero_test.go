package main

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// A given zero is refused, or it means none. No option treats it as "not given", and none is
// missing in this list.
func TestAZeroOfServeIsRead(t *testing.T) {
	const refused, none = true, false
	means := map[string]bool{
		"http-longest-call": refused, "queue-batch": refused, "partitions": refused, "lease": refused, "checkpoint": refused,
		"results-age": refused, "results-per-plan": refused, "results-bytes": refused,
		"http-concurrency": none, "misfire-grace": none, "plan-exec-timeout": none, "plan-start-timeout": none,
		"tenant-plans": none, "tenant-rate": none,
		// The help of these describes 0, which is their default.
		"nats-max-connections": none, "http-max-connections": none, "replicas": none,
	}
	all := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	(&setup{node: node.Default()}).flags(all)
	all.VisitAll(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "int64", "duration", "size":
		default:
			return
		}
		isRefused, listed := means[f.Name]
		if !listed {
			t.Errorf("--%s: the meaning of 0 is not listed", f.Name)
			return
		}
		delete(means, f.Name)
		for _, zero := range []string{"0", "0s", "-0"} {
			if zero != "0" && f.Value.Type() != "duration" {
				continue
			}
			s := setup{node: node.Default()}
			flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
			s.flags(flags)
			if err := flags.Parse([]string{"--" + f.Name + "=" + zero}); err != nil {
				t.Errorf("--%s=%s: %v", f.Name, zero, err)
				continue
			}
			err := aboveZero(flags)
			if err == nil {
				err = s.node.Validate()
			}
			if (err != nil) != isRefused {
				t.Errorf("--%s=%s: %v; want it refused: %t", f.Name, zero, err, isRefused)
			}
			if got := flags.Lookup(f.Name).Value.String(); err == nil && got != "0" {
				t.Errorf("--%s=%s is %s", f.Name, zero, got)
			}
		}
	})
	for name := range means {
		t.Errorf("--%s is no option with a number", name)
	}
}
