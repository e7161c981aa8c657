//go:build linux

package chaos

import (
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestPlansRunOnWhenAClockIsRightAgain sets the leader's clock an hour ahead for a while. When it
// is set right, or the leader dies and another's clock was right all the time, a plan of each
// second runs on at once, by that clock, under consecutive numbers.
func TestPlansRunOnWhenAClockIsRightAgain(t *testing.T) {
	t.Parallel()
	for name, right := range map[string]func(*testing.T, *node){
		"set right": func(t *testing.T, leader *node) {
			if err := leader.setClock(0); err != nil {
				t.Fatal(err)
			}
		},
		"another leads": func(_ *testing.T, leader *node) { leader.kill9() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := build(t, setup{name: "back", hosts: 1, nodes: 2, partitions: 1, timed: true})
			if !timed(in) {
				t.Skip(errNoClock)
			}
			in.awaitShares()
			leader, _ := in.leader(0)
			nc := in.connect("everybody else")
			executions, _ := overhear(t, nc)
			createAtOnce(t, nc, 1, `"station":"plain","plan_type":"second","plan_value":1,"plan_repet":-1`)
			last := int64(0)
			// runs waits until an occurrence runs that is due around so long from now.
			runs := func(ahead time.Duration) {
				t.Helper()
				for until := time.Now().Add(patience); time.Now().Before(until); {
					x := take(t, executions)
					if err := nc.Publish(x.Reply, []byte(`{"state":"ok"}`)); err != nil {
						t.Fatal(err)
					}
					if k := occurrenceOf(t, x); x.Header.Get("Plan-Attempt") == "1" {
						if k <= last {
							t.Fatalf("occurrence %d comes after %d", k, last)
						}
						last = k
					}
					due, err := time.Parse(time.RFC3339Nano, x.Header.Get("Plan-Time"))
					if err != nil {
						t.Fatal(err)
					}
					if off := time.Until(due) - ahead; off.Abs() < 5*time.Second {
						return
					}
				}
				t.Fatalf("nothing runs that is due around %v from now", ahead)
			}
			runs(0)
			if err := leader.setClock(time.Hour); err != nil {
				t.Fatal(err)
			}
			runs(time.Hour)
			runs(time.Hour)
			right(t, leader)
			runs(0)
			runs(0)
		})
	}
}

func occurrenceOf(t *testing.T, x *nats.Msg) int64 {
	t.Helper()
	k, err := strconv.ParseInt(x.Header.Get("Plan-Occurrence"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
