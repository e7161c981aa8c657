package machine

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// queued is an inbox with all that its record can hold.
func queued() *plan {
	p := &plan{name: schema.PlanName{Station: "s", PlanID: "p"}, enc: wire.JSON}
	p.incarnation, p.revision = 7, 1
	p.inbox = &inbox{
		key: "k/ä", manner: schema.MannerTell, first: 3, next: 9, at: 5_000_000, asked: true, mark: true, taken: true,
		errors: 2, abandon: 60_000_000, waiting: 4_000_000, data: wire.Trust(wire.JSON, []byte(`{"a":[1,"x"]}`)),
	}
	p.open = []*occurrence{{
		k: 4, due: 1, at: 1, attempt: 1, items: 2,
		live: []*execution{{n: 6, attempt: 1, state: schema.StateRunning, sent: 1, deadline: 8_000_000, lock: "r"}},
	}}
	return p
}

// The bytes of what an inbox is in the journal are frozen: an item and a record.
func TestFrozenInbox(t *testing.T) {
	p := queued()
	b := NewBatch(1 << 20)
	b.appendItem(p, 8, p.enc, []byte(`{"x":1}`))
	b.appendState(p)
	want, err := os.ReadFile("testdata/wire/inbox.v1.msgpack")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.body; string(got) != string(want) {
		t.Errorf("the bytes are %q, and were %q", got, want)
	}
	var rows []Row
	if err := Rows(want, func(r Row) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	item, err := ParseItem(rows[0].Value, nil)
	if diff := cmp.Diff(Item{Incarnation: 7, Enc: wire.JSON, Value: []byte(`{"x":1}`)}, item); diff != "" || err != nil || rows[0].N != 8 {
		t.Errorf("%v %s", err, diff)
	}
	st, err := parseState(rows[1].Value)
	if err != nil {
		t.Fatal(err)
	}
	is := &plan{name: p.name, enc: wire.JSON, state: st}
	if got, want := shown(is), shown(p); got != want {
		t.Errorf("read as %s, want %s", got, want)
	}
}

// shown is a record as people read it.
func shown(p *plan) string {
	var w wire.Writer
	w.Reset(wire.JSON, nil)
	p.writeState(&w)
	return string(w.Bytes())
}

// However long names, data and locks are, a record takes no more than was promised.
func TestInboxBound(t *testing.T) {
	p := queued()
	long := make([]byte, schema.MaxQueueKey)
	for i := range long {
		long[i] = 'k'
	}
	p.inbox.key, p.open[0].live[0].lock = string(long), string(long)
	if got := len(p.appendState(&wire.Writer{}, nil)); got > p.stateBound() {
		t.Errorf("a record of %d bytes, and %d were promised", got, p.stateBound())
	}
}

// A follower's books of sizes agree with a plain map, in whatever order rows come.
func TestSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sizes
		plain := map[int64]int{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			n := rapid.Int64Range(1, 60).Draw(t, "n")
			if rapid.Bool().Draw(t, "trim") {
				s.trim(n)
				for i := range plain {
					if i < n {
						delete(plain, i)
					}
				}
				continue
			}
			size := rapid.IntRange(0, 1000).Draw(t, "size")
			s.put(n, size)
			plain[n] = size
		}
		total := int64(0)
		for n := int64(0); n < 70; n++ {
			if got := s.of(n); got != int64(plain[n]) {
				t.Fatalf("item %d has %d bytes, want %d", n, got, plain[n])
			}
			total += int64(plain[n])
		}
		if s.bytes != total {
			t.Fatalf("%d bytes, want %d", s.bytes, total)
		}
	})
}

// Items whose numbers are far apart, or the last there are, take no memory for those
// between them, however they come one after the other.
func TestItemsFarApartTakeNoMemory(t *testing.T) {
	for _, first := range []int64{10 * maxSpread, math.MaxInt64, 0} {
		p := &plan{}
		for _, n := range []int64{first, first - maxSpread + 1, first - 2*maxSpread + 2, first / 2, -1, math.MinInt64, math.MaxInt64} {
			p.noteItem(n, 2)
		}
		if s := p.inbox.sizes; len(s.list) > maxSpread || s.bytes > 4 {
			t.Errorf("from %d on: %d places, %d bytes", first, len(s.list), s.bytes)
		}
	}
}

// An execution hands over at most so many bytes, but always an item.
func TestHandedBytes(t *testing.T) {
	s := newStory(t)
	push := func(id string, size int) {
		s.ask(schema.PushItem{
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
		if got := s.m.inboxes[id].fits(s.m.inboxes[id].inbox.first, s.m.inboxes[id].batchOf()); got != count {
			t.Errorf("%s: %d items at once, want %d", id, got, count)
		}
	}
	before := s.out.String()
	push("large", schema.MaxItemBytes+1)
	if said := s.out.String()[len(before):]; len(said) == 0 || s.m.inboxes["large"].inbox.length() != 4 {
		t.Errorf("an item too large was taken: %s", said)
	}
}
