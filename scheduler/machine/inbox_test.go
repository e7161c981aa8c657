package machine

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// queued is an inbox with all that its record can hold.
func queued() *state.Plan {
	p := &state.Plan{Name: schema.PlanName{Station: "s", PlanID: "p"}, Enc: wire.JSON}
	p.Incarnation, p.Revision = 7, 1
	p.Inbox = &state.Inbox{
		Key: "k/ä", Manner: schema.MannerTell, First: 3, Next: 9, At: 5_000_000, Asked: true, Mark: true, Taken: true,
		Errors: 2, Abandon: 60_000_000, Waiting: 4_000_000, Data: wire.Trust(wire.JSON, []byte(`{"a":[1,"x"]}`)),
	}
	p.Open = []*state.Occurrence{{
		K: 4, Due: 1, At: 1, Attempt: 1, Items: 2,
		Live: []*state.Execution{{N: 6, Attempt: 1, State: schema.StateRunning, Sent: 1, Deadline: 8_000_000, Lock: "r"}},
	}}
	return p
}

// The bytes of an inbox in the journal are frozen, as an item and a record that each release
// wrote.
func TestFrozenInbox(t *testing.T) {
	frozenInbox(t, "testdata/wire/inbox.v1.msgpack", queued())
	waits := queued()
	waits.Inbox.Wait = 2_000_000
	frozenInbox(t, "testdata/wire/inbox_wait.msgpack", waits)
}

func frozenInbox(t *testing.T, path string, p *state.Plan) {
	b := batch.New(1 << 20)
	b.Reset(1)
	b.AppendItem(p, 8, p.Enc, []byte(`{"x":1}`))
	b.Put(p)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Seal(); string(got) != string(want) {
		t.Errorf("the bytes are %q, and were %q", got, want)
	}
	var rows []event.Row
	if err := event.Rows(want, func(r event.Row) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	item, err := event.ParseItem(rows[0].Value, nil)
	if diff := cmp.Diff(event.Item{Incarnation: 7, Enc: wire.JSON, Value: []byte(`{"x":1}`)}, item); diff != "" || err != nil || rows[0].N != 8 {
		t.Errorf("%v %s", err, diff)
	}
	st, err := state.ParseState(rows[1].Value)
	if err != nil {
		t.Fatal(err)
	}
	is := &state.Plan{Name: p.Name, Enc: wire.JSON, Record: st}
	if got, want := shown(is), shown(p); got != want {
		t.Errorf("read as %s, want %s", got, want)
	}
}

// shown is a record as people read it.
func shown(p *state.Plan) string {
	var w wire.Writer
	w.Reset(wire.JSON, nil)
	p.WriteState(&w)
	return string(w.Bytes())
}

// A follower's accounts of sizes agree with a plain map, in any order of rows.
func TestSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s state.Sizes
		plain := map[int64]int{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			n := rapid.Int64Range(1, 60).Draw(t, "n")
			if rapid.Bool().Draw(t, "trim") {
				s.Trim(n)
				for i := range plain {
					if i < n {
						delete(plain, i)
					}
				}
				continue
			}
			size := rapid.IntRange(0, 1000).Draw(t, "size")
			s.Put(n, size)
			plain[n] = size
		}
		total := int64(0)
		for n := int64(0); n < 70; n++ {
			if got := s.Of(n); got != int64(plain[n]) {
				t.Fatalf("item %d has %d bytes, want %d", n, got, plain[n])
			}
			total += int64(plain[n])
		}
		if s.Bytes != total {
			t.Fatalf("%d bytes, want %d", s.Bytes, total)
		}
	})
}

// Items whose numbers are far apart, or the last there are, take no memory for those
// between them, however they come one after the other.
func TestItemsFarApartTakeNoMemory(t *testing.T) {
	for _, first := range []int64{10 * state.MaxSpread, math.MaxInt64, 0} {
		p := &state.Plan{}
		for _, n := range []int64{first, first - state.MaxSpread + 1, first - 2*state.MaxSpread + 2, first / 2, -1, math.MinInt64, math.MaxInt64} {
			p.NoteItem(n, 2)
		}
		if s := p.Inbox.Sizes; len(s.List) > state.MaxSpread || s.Bytes > 4 {
			t.Errorf("from %d on: %d places, %d bytes", first, len(s.List), s.Bytes)
		}
	}
}

// An execution hands over at most so many bytes, but always an item.
func TestHandedBytes(t *testing.T) {
	s := newStory(t)
	push := func(id string, size int) {
		s.ask(command.PushItem{
			Name:       schema.PlanName{PlanID: id},
			Definition: parse(t, fmt.Sprintf(`{"plan_id":%q,"station":"q","command":"c"}`, id)),
			Item:       wire.Text(wire.JSON, fmt.Sprintf("%0*d", size-2, 0)),
			PlanTime:   s.now.Add(time.Minute), Retime: schema.RetimeNew,
		})
	}
	for range 4 {
		push("large", schema.MaxItemBytes)
	}
	for range 1500 {
		push("many", 10)
	}
	want := map[string]int64{"large": 2, "many": 1000}
	for id, count := range want {
		if got := s.m.part.InboxPlans[id].Fits(s.m.part.InboxPlans[id].Inbox.First, s.m.part.InboxPlans[id].BatchOf()); got != count {
			t.Errorf("%s: %d items at once, want %d", id, got, count)
		}
	}
	before := s.out.String()
	push("large", schema.MaxItemBytes+1)
	if output := s.out.String()[len(before):]; len(output) == 0 || s.m.part.InboxPlans["large"].Inbox.Length() != 4 {
		t.Errorf("an item too large was taken: %s", output)
	}
}
