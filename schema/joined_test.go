package schema

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var valuesByText = cmp.Comparer(func(a, b wire.Value) bool { return a.String() == b.String() })

// written is a message with those replies, which go to these subjects alone.
func written(t *testing.T, enc wire.Encoding, subjects []string, replies []Reply) []byte {
	t.Helper()
	w := wire.NewWriter(enc, nil)
	WriteJoined(w, func(yield func(string, []byte) bool) {
		for i, r := range replies {
			body, err := wire.Marshal(enc, r)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(subjects[i], body) {
				return
			}
		}
	})
	return w.Bytes()
}

func TestJoinedRepliesAreReadAsTheyWereWritten(t *testing.T) {
	for _, space := range []Space{{Partitions: 2}, {Partitions: 2, Prefix: "acme"}} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			subjects := []string{
				space.Reply(1, "a.b", "p-1", "3-0123456789abcdef"),
				space.Reply(1, "a.b", "p_2", "77-fedcba9876543210"),
			}
			replies := []Reply{
				{State: StateOK, Content: wire.Text(enc, "done \"quoted\""), WorkerID: "w1"},
				{State: StateError, Error: wire.Text(enc, "no"), Retry: new(false)},
			}
			subject := Joined(subjects[0])
			if _, ok := space.ParseReply(subject); ok {
				t.Errorf("%s can be taken for a single reply's", subject)
			}
			if strings.Count(subject, ".") != strings.Count(subjects[0], ".") {
				t.Errorf("%s has not the tokens that permissions are made of", subject)
			}
			first, joined := Unjoined(subject)
			if !joined || first != subjects[0] {
				t.Fatalf("%s is of %s, %v", subject, first, joined)
			}
			all, count := space.ParseJoined(first, written(t, enc, subjects, replies))
			want := map[int]JoinedReply{
				0: {About: ReplyName{1, "a.b", "p-1", 3, "0123456789abcdef"}, Reply: replies[0]},
				1: {About: ReplyName{1, "a.b", "p_2", 77, "fedcba9876543210"}, Reply: replies[1]},
			}
			if diff := cmp.Diff(want, maps.Collect(all), valuesByText); diff != "" || count != 2 {
				t.Errorf("%s: of %d (-want +got):\n%s", enc, count, diff)
			}
		}
	}
}

func TestAnInvalidReplyAmongJoinedOnesIsLeftOut(t *testing.T) {
	const good = `{"of":"*p.1-0123456789abcdef","reply":{"state":"ok"}}`
	many := strings.Repeat(good+",", MaxJoined)
	tests := []struct {
		name, body string
		want       []int
		count      int
	}{
		{"all good", `{"replies":[` + good + `,` + good + `]}`, []int{0, 1}, 2},
		{"one without a name", `{"replies":[{"reply":{"state":"ok"}},` + good + `]}`, []int{1}, 2},
		{"one without its mark", `{"replies":[` + good + `,{"of":"p.1-0123456789abcdef","reply":{"state":"ok"}}]}`, []int{0}, 2},
		{"one without a nonce", `{"replies":[` + good + `,{"of":"*p.1","reply":{"state":"ok"}}]}`, []int{0}, 2},
		{"one with a wrong id", `{"replies":[` + good + `,{"of":"*p/q.1-0123456789abcdef","reply":{"state":"ok"}}]}`, []int{0}, 2},
		{"one without a reply", `{"replies":[{"of":"*p.1-0123456789abcdef"},` + good + `]}`, []int{1}, 2},
		{"one that is none", `{"replies":[7,` + good + `]}`, []int{1}, 2},
		{"a reply that is content", `{"replies":[{"of":"*p.1-0123456789abcdef","reply":[1]}]}`, []int{0}, 1},
		{"none", `{"replies":[]}`, nil, 0},
		{"no list", `{"replies":{"a":1}}`, nil, 0},
		{"no map", `[` + good + `]`, nil, 0},
		{"broken", `{"replies":[` + good, nil, 0},
		{"as many as may be", `{"replies":[` + strings.TrimSuffix(many, ",") + `]}`, upTo(MaxJoined), MaxJoined},
		{"one more", `{"replies":[` + many + good + `]}`, nil, 0},
	}
	for _, tt := range tests {
		all, count := Space{}.ParseJoined("plan.reply.0.s.*p.1-0123456789abcdef", []byte(tt.body))
		var got []int
		for place := range all {
			got = append(got, place)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || count != tt.count {
			t.Errorf("%s: of %d, not %d (-want +got):\n%s", tt.name, count, tt.count, diff)
		}
	}
	if all, count := (Space{}).ParseJoined("plan.reply.7.s.*p.1-0123456789abcdef", []byte(`{"replies":[`+good+`]}`)); count != 0 || len(maps.Collect(all)) > 0 {
		t.Error("replies of a partition that there is not are read")
	}
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func TestInvalidSubjectsOfJoinedReplies(t *testing.T) {
	for _, subject := range []string{"", "+", ".+", "a.+b", "plan.reply.0.s.*p.1-0123456789abcdef", "plan.reply.0.+s.*p.1-0123456789abcdef", "plan.reply.0.s.*+p.1-0123456789abcdef"} {
		if got, joined := Unjoined(subject); joined || got != subject {
			t.Errorf("%q is of %q, %v", subject, got, joined)
		}
	}
}

func TestJoinedAckIsReadAsItWasWritten(t *testing.T) {
	for _, a := range []JoinedAck{
		{Ack: Ack{Ack: true, Accepted: true}},
		{Ack: Ack{Ack: true, Cancel: true}, Of: []int{0, 7, MaxJoined - 1}},
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			w := wire.NewWriter(enc, nil)
			a.AppendTo(w)
			v, err := wire.Scan(w.Bytes(), wire.Limits{Items: 64 + MaxJoined})
			if err != nil {
				t.Fatal(err)
			}
			var got JoinedAck
			got.ReadFrom(v)
			if diff := cmp.Diff(a, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", enc, diff)
			}
		}
	}
	v, err := wire.Scan(fmt.Appendf(nil, `{"ack":true,"of":[-1,%d,"x",3]}`, MaxJoined), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got JoinedAck
	if got.ReadFrom(v); len(got.Of) != 1 || got.Of[0] != 3 {
		t.Errorf("places %v", got.Of)
	}
}

// A reply that a worker may send alone it may send with others, however deep it nests.
func TestAJoinedReplyMayNestAsDeepAsOneAlone(t *testing.T) {
	for _, depth := range []int{31, 32} {
		body := `{"state":"ok","content":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
		alone, _ := ParseReply(nil, []byte(body), wire.JSON)
		joined := `{"replies":[{"of":"*p.1-0123456789abcdef","reply":` + body + `}]}`
		all, _ := Space{}.ParseJoined("plan.reply.0.s.*p.1-0123456789abcdef", []byte(joined))
		isReply := alone.Content.Kind() == wire.KindList // else the whole of it is a text
		if _, read := maps.Collect(all)[0]; read != isReply || isReply != (depth == 31) {
			t.Errorf("%d deep: alone %v, joined %v", depth, isReply, read)
		}
	}
}

// An acknowledgement that names places, none of which there is, is of no reply at all.
func TestAJoinedAckOfNothingIsNotOfAll(t *testing.T) {
	for _, of := range []string{`[]`, `[256]`, `"all"`} {
		v, err := wire.Scan([]byte(`{"ack":true,"of":`+of+`}`), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var got JoinedAck
		if got.ReadFrom(v); got.Of == nil || len(got.Of) > 0 {
			t.Errorf("%s is of places %#v", of, got.Of)
		}
	}
}

// Any joined message is read without harm, within its bounds, and the replies read have
// names that can be made into subjects.
func FuzzJoined(f *testing.F) {
	for _, seed := range []string{
		`{"replies":[{"of":"*p.1-0123456789abcdef","reply":{"state":"ok","content":{"a":[1]}}},{"of":"*q.2-0123456789abcdef","reply":"text"}]}`,
		"\x81\xa7replies\x91\x82\xa2of\xb5*p.1-0123456789abcdef\xa5reply\x81\xa5state\xa2ok",
		`{"replies":[[[[`, `{"replies":null}`,
	} {
		f.Add([]byte(seed))
	}
	for _, body := range frozen(f, "reply", "ack") {
		f.Add(body)
	}
	space := Space{}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, count := space.ParseJoined("plan.reply.0.s.*p.1-0123456789abcdef", data)
		if count > MaxJoined {
			t.Fatalf("%d replies", count)
		}
		for place, r := range all {
			if place >= count {
				t.Fatalf("place %d of %d", place, count)
			}
			subject := space.Reply(r.About.Partition, r.About.Station, r.About.PlanID, r.About.Exec())
			if back, ok := space.ParseReply(subject); !ok || back != r.About {
				t.Fatalf("%+v is read back from %q as %+v", r.About, subject, back)
			}
		}
	})
}
