package front_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// If any parts of a stream are read in any order, the index has each place in them, and returns
// the parts that are still to be read.
func TestRunIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const end = 60
		bad := rapid.SliceOfN(rapid.Bool(), end, end).Draw(t, "bad")
		placesIn := func(low, high uint64) (places []front.UnwellResult) {
			for seq := high - 1; seq >= low && seq > 0; seq-- {
				if bad[seq] {
					places = append(places, front.UnwellResult(seq))
				}
			}
			return places
		}
		x := front.NewRunIndex()
		var read [end]bool
		for range rapid.IntRange(1, 12).Draw(t, "parts") {
			low := rapid.Uint64Range(1, end-1).Draw(t, "low")
			high := rapid.Uint64Range(low, end-1).Draw(t, "high")
			x.Add(low, high, placesIn(low, high))
			for seq := low; seq < high; seq++ {
				read[seq] = true
			}
			for at := uint64(2); at < end; at++ {
				got, places, known := x.Below(at)
				want := at
				for want > 1 && read[want-1] == read[at-1] {
					want--
				}
				if !read[at-1] && want == 1 {
					want = 0
				}
				if known != read[at-1] || got != want || known && !slices.Equal(places, placesIn(want, at)) {
					t.Fatalf("below %d: from %d %v, known %v; want from %d %v, known %v", at, got, places, known, want, placesIn(want, at), read[at-1])
				}
			}
		}
		x.End(end - 1)
		if _, _, known := x.Below(end - 1); known != read[end-2] {
			t.Fatal("a stream that goes on was taken for another one")
		}
		if x.End(1); x.Parts() > 0 {
			t.Fatal("parts of another stream are known")
		}
	})
}

// The index has a bound, so that the oldest parts are read again.
func TestRunIndexIsBounded(t *testing.T) {
	x := front.NewRunIndex()
	places := make([]front.UnwellResult, front.MostUnwell)
	for i := range places {
		places[i] = front.UnwellResult(len(places) - i)
	}
	x.Add(1, uint64(len(places))+1, places)
	x.Add(uint64(len(places))+1, uint64(len(places))+3, []front.UnwellResult{front.UnwellResult(len(places)) + 2, front.UnwellResult(len(places)) + 1})
	if low, _, known := x.Below(3); known || low != 0 {
		t.Errorf("the part below 3 is known from %d on", low)
	}
	if low, have, known := x.Below(uint64(len(places)) + 3); !known || low != 3 || len(have) != front.MostUnwell {
		t.Errorf("%d places from %d on are known", len(have), low)
	}
	gaps := front.NewRunIndex()
	for i := range uint64(front.MostParts + 5) {
		gaps.Add(2*i+1, 2*i+2, nil)
	}
	if _, _, known := gaps.Below(10); known || gaps.Parts() != front.MostParts {
		t.Errorf("%d parts are known, and the oldest are %v", gaps.Parts(), known)
	}
}

// Searches for failures find the same before and after the index has it, while results
// come in and are removed.
func TestTroubleIsFoundAgain(t *testing.T) {
	d := open(t, answering([]schema.Result(nil), nil))
	states := []schema.State{schema.StateOK, schema.StateOK, schema.StateOK, schema.StateError, schema.StateFailure, schema.StateTimeout, schema.StateSkipped}
	var stored []schema.Result // the newest last
	want := func(match func(r *schema.Result) bool) (rows []string) {
		for _, r := range slices.Backward(stored) {
			if match(&r) {
				rows = append(rows, fmt.Sprintf("%s/%s.%d %s", r.Station, r.PlanID, r.N, r.State))
			}
		}
		return rows
	}
	random := rapid.Uint64()
	for round := range 12 {
		for i := range 90 {
			draw := random.Example(round*1000 + i)
			r := ran(fmt.Sprint("s", draw%3), fmt.Sprint(i), int64(round+1), states[draw%uint64(len(states))], time.Now())
			r.Final = draw%5 != 0
			if r.State == schema.StateSkipped {
				r.Reason = schema.ReasonMissed
			}
			stored = append(stored, r)
			d.keepOf(wire.JSON, r)
		}
		if round == 8 { // the stream keeps so many of a plan
			stored = slices.DeleteFunc(stored, func(r schema.Result) bool { return r.PlanID == "7" })
			d.forget("*.7")
		}
		isError := func(r *schema.Result) bool { return r.State == schema.StateError }
		isFinal := func(r *schema.Result) bool {
			return r.State == schema.StateFailure || r.State == schema.StateSkipped || (isError(r) || r.State == schema.StateTimeout) && r.Final
		}
		for _, c := range []struct {
			ask   map[string]any
			match func(r *schema.Result) bool
		}{
			{map[string]any{"state": "error", "limit": 7}, isError},
			{map[string]any{"trouble": true}, isFinal},
			{map[string]any{"trouble": true, "station": "s1", "limit": 20}, func(r *schema.Result) bool { return r.Station == "s1" && isFinal(r) }},
			{map[string]any{"failed": true}, func(r *schema.Result) bool { return r.State != schema.StateOK && r.State != schema.StateSkipped }},
		} {
			if got, _ := d.listed(c.ask); !slices.Equal(got, want(c.match)) {
				t.Fatalf("round %d, %v:\n%v, want\n%v", round, c.ask, got, want(c.match))
			}
		}
	}
}

// forget removes the results of some plans, given as the end of their subject.
func (d *harness) forget(plans string) {
	d.t.Helper()
	js, err := jetstream.New(d.nc)
	if err != nil {
		d.t.Fatal(err)
	}
	stream, err := js.Stream(d.t.Context(), d.space.ResultsStream())
	if err != nil {
		d.t.Fatal(err)
	}
	if err := stream.Purge(d.t.Context(), jetstream.WithPurgeSubject(strings.TrimSuffix(d.space.AllResults(), ">")+plans)); err != nil {
		d.t.Fatal(err)
	}
}
