package broker_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// These tests run under fake time, because a read without an answer is given up after two
// seconds.

// keepResults stores n results of the plans in turn, of which a stream keeps two each, and
// returns the kept ones: "subject@sequence", the oldest first.
func keepResults(t *testing.T, ns *server.Server, n, plans int, size func(i int) int) (*broker.Store, []string) {
	t.Helper()
	nc := brokertest.Connect(t, ns)
	cfg := brokertest.Config(t)
	cfg.ResultsPerPlan = 2
	store := brokertest.Store(t, nc, cfg)
	js, err := jetstream.New(nc, patient, jetstream.WithPublishAsyncMaxPending(n+1))
	if err != nil {
		t.Fatal(err)
	}
	last := map[string][]string{}
	for i := range n {
		subject := schema.Space{}.Result("s.eu", fmt.Sprintf("p%d", i%plans))
		if _, err := js.PublishAsync(storage.Kept(schema.Space{}, subject), bytes.Repeat([]byte("x"), size(i))); err != nil {
			t.Fatal(err)
		}
		kept := append(last[subject], fmt.Sprintf("%s@%d", subject, i+1))
		last[subject] = kept[max(0, len(kept)-2):]
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-deadline(t).Done():
		t.Fatal("results were not stored")
	}
	var kept []string
	for _, k := range last {
		kept = append(kept, k...)
	}
	slices.SortFunc(kept, func(a, b string) int { return int(seqOf(a)) - int(seqOf(b)) })
	return store, kept
}

func seqOf(kept string) (seq uint64) {
	_, at, _ := bytes.Cut([]byte(kept), []byte("@"))
	_, _ = fmt.Sscan(string(at), &seq)
	return seq
}

// The results come newest first, from any sequence, with any gaps between them.
func TestResultsBackwards(t *testing.T) {
	for _, c := range []struct{ n, plans int }{{0, 1}, {1, 1}, {3000, 700}, {2500, 3}} {
		brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
			store, kept := keepResults(t, ns, c.n, c.plans, func(int) int { return 5 })
			slices.Reverse(kept)
			for _, before := range []uint64{0, 1, 2, uint64(c.n), uint64(c.n + 1), uint64(c.n + 99), uint64(rand.IntN(c.n + 1))} {
				var want, got []string
				for _, k := range kept {
					if before == 0 || seqOf(k) < before {
						want = append(want, k)
					}
				}
				err := store.Results().Backwards(deadline(t), before, func(r broker.StoredResult) bool {
					got = append(got, fmt.Sprintf("%s@%d", r.Subject, r.Seq))
					return true
				})
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Errorf("of %d below %d: %v %s", c.n, before, err, diff)
				}
			}
			seen := 0
			_ = store.Results().Backwards(deadline(t), 0, func(broker.StoredResult) bool { seen++; return seen < 7 })
			if seen != min(7, len(kept)) {
				t.Errorf("of %d, %d were read where 7 were asked for", c.n, seen)
			}
		})
	}
}

// Every result of a part that is reported as read came before the report; the parts leave nothing
// out.
func TestPartsOfResultsAreReadWhole(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		store, kept := keepResults(t, ns, 3000, 700, func(int) int { return 5 })
		first, end, err := store.Results().Ends(deadline(t))
		if err != nil || end != 3001 || first != seqOf(kept[0]) {
			t.Fatalf("the stream goes from %d to %d, %v", first, end, err)
		}
		for _, most := range []int{1, 99, 5000} {
			var came []uint64
			low, n := end, 0
			err := store.Results().BackwardsTo(deadline(t), 1700, 0, func(r broker.StoredResult) bool {
				came = append(came, r.Seq)
				n++
				return n <= most
			}, func(from, to uint64) {
				if to != low {
					t.Errorf("a part ends at %d, and the one before began at %d", to, low)
				}
				low = from
			})
			if err != nil {
				t.Fatal(err)
			}
			var want []uint64
			for _, k := range slices.Backward(kept) {
				if seqOf(k) >= low {
					want = append(want, seqOf(k))
				}
			}
			if most < len(kept) {
				came = came[:most] // the last one is left to the next read
			} else if low != 1700 {
				t.Errorf("it is read down to %d", low)
			}
			if diff := cmp.Diff(want, came); diff != "" {
				t.Errorf("of %d: %s", most, diff)
			}
		}
	})
}

// Those that are not kept any more are left out.
func TestTheseResults(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		store, kept := keepResults(t, ns, 60, 10, func(int) int { return 5 })
		var ask []uint64
		for seq := uint64(70); seq > 0; seq-- {
			ask = append(ask, seq)
		}
		got, err := store.Results().These(deadline(t), ask)
		if err != nil || len(got) != len(kept) {
			t.Fatalf("%d of %d came, %v", len(got), len(kept), err)
		}
		for i, k := range slices.Backward(kept) {
			if r := got[len(kept)-1-i]; fmt.Sprintf("%s@%d", r.Subject, r.Seq) != k {
				t.Errorf("%s@%d in place of %s", r.Subject, r.Seq, k)
			}
		}
	})
}

// Large results do not accumulate, because a window that is too large is read in parts.
func TestLargeResultsBackwards(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const n = 150
		store, kept := keepResults(t, ns, n, n, func(i int) int { return 200_000 * (i % 2) })
		at := n
		err := store.Results().Backwards(deadline(t), 0, func(r broker.StoredResult) bool {
			at--
			if fmt.Sprintf("%s@%d", r.Subject, r.Seq) != kept[at] || len(r.Body) != 200_000*(at%2) {
				t.Errorf("%s@%d of %d bytes in place of %s", r.Subject, r.Seq, len(r.Body), kept[at])
			}
			return true
		})
		if err != nil || at != 0 {
			t.Errorf("%d were left, %v", at, err)
		}
	})
}

func TestResultsOfATimeAndTheNewest(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		store, _ := keepResults(t, ns, 10, 4, func(int) int {
			time.Sleep(time.Millisecond) // each has another moment
			return 5
		})
		var third broker.StoredResult
		if err := store.Results().Backwards(deadline(t), 8, func(r broker.StoredResult) bool { third = r; return false }); err != nil {
			t.Fatal(err)
		}
		for at, want := range map[time.Time]uint64{
			third.Time: 7, third.Time.Add(-time.Hour): 3, third.Time.Add(time.Hour): 11,
		} {
			if got, err := store.Results().At(deadline(t), at); got != want || err != nil {
				t.Errorf("the first of %v is %d, %v, want %d", at, got, err, want)
			}
		}
		of := func(i int) string { return schema.Space{}.Result("s.eu", fmt.Sprintf("p%d", i)) }
		got, err := store.Results().Newest(deadline(t), []string{of(0), of(3), of(4)})
		if diff := cmp.Diff(map[string]uint64{of(0): 9, of(3): 8}, got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		for _, none := range [][]string{nil, {of(7)}} {
			if got, err := store.Results().Newest(deadline(t), none); len(got) != 0 || err != nil {
				t.Errorf("of %v the newest are %v, %v", none, got, err)
			}
		}
	})
}
