package schema

import (
	"iter"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// MaxJoined is how many replies one message may hold.
const MaxJoined = 256

const (
	// replyDepth is how deep a reply may nest, alone or among others.
	replyDepth = 32
	// joinedDepth is how much deeper one stands in a message that holds several.
	joinedDepth = 3
	// usualReply is about how many bytes one takes there.
	usualReply = 128
)

// A JoinedReply is one of several replies that a worker sent in one message.
type JoinedReply struct {
	About  ReplyName // the execution that it answers
	Reply  Reply     // as it would be alone
	Reason Reason    // as [ParseReply] gives it
}

// Joined is the subject to which several replies to executions of one station and
// partition are sent in one message: the reply subject of the first of them, with a + in
// place of the * that marks a single one. It has as many tokens, so that the same
// permissions cover both.
func Joined(reply string) string { return strings.Replace(reply, ".*", ".+", 1) }

// Unjoined is the inverse of [Joined]. It reports false for a subject that is of no such
// message, and returns it as it is.
func Unjoined(subject string) (reply string, joined bool) {
	dot := strings.LastIndexByte(subject, '.')
	dot = strings.LastIndexByte(subject[:max(dot, 0)], '.')
	if dot < 0 || subject[dot+1] != '+' {
		return subject, false
	}
	return subject[:dot+1] + "*" + subject[dot+2:], true
}

// WriteJoined writes several replies: {"replies":[{"of":"*<plan_id>.<exec>","reply":{…}}…]}.
// Each is given as the subject it would have alone, and its body in the encoding of w.
func WriteJoined(w *wire.Writer, replies iter.Seq2[string, []byte]) {
	w.BeginMap()
	w.Key("replies")
	w.BeginList()
	for subject, body := range replies {
		w.BeginMap()
		w.Key("of")
		w.Text(subject[strings.LastIndexByte(subject, '*'):])
		w.Key("reply")
		w.Value(wire.Trust(w.Encoding(), body))
		w.EndMap()
	}
	w.EndList()
	w.EndMap()
}

// ParseJoined reads several replies; first is the subject that [Unjoined] returned.
// Entries that are no reply are left out, but count, because the index of each is its
// place in the message, by which it is acknowledged. A message that cannot be read, or
// holds more than [MaxJoined], has none.
func (s Space) ParseJoined(first string, body []byte) (all iter.Seq2[int, JoinedReply], count int) {
	none := func(func(int, JoinedReply) bool) {}
	about, ok := s.ParseReply(first)
	if !ok {
		return none, 0
	}
	v, err := wire.Scan(body, wire.Limits{Items: len(body), Depth: replyDepth + joinedDepth})
	if err != nil {
		return none, 0
	}
	replies := make([]wire.Value, 0, min(len(body)/usualReply+1, MaxJoined))
	for i, reply := range v.Field("replies").List() {
		if i == MaxJoined {
			return none, 0
		}
		replies = append(replies, reply)
	}
	return func(yield func(int, JoinedReply) bool) {
		for i, member := range replies {
			j := JoinedReply{About: about}
			if !j.read(member) {
				continue
			}
			if !yield(i, j) {
				return
			}
		}
	}, len(replies)
}

// read takes over one reply, all but the station and the partition that it is about.
func (j *JoinedReply) read(v wire.Value) bool {
	var of string
	for name, value := range v.Map() {
		switch name {
		case "of":
			of, _ = value.Text()
		case "reply":
			j.Reply = replyOf(value)
		}
	}
	id, exec, _ := strings.Cut(of, ".")
	var marked, isExec bool
	j.About.PlanID, marked = strings.CutPrefix(id, "*")
	j.About.N, j.About.Nonce, isExec = ParseExec(exec)
	if !marked || !isExec || j.Reply.State == "" || CheckID(j.About.PlanID) != nil {
		return false
	}
	j.Reason = j.Reply.Fit(v.Encoding())
	return true
}

// A JoinedAck acknowledges replies that came in one message: those whose places in it
// are Of, or all of them when Of is nil.
type JoinedAck struct {
	Ack       // counts for each of them
	Of  []int // from 0; nil: all
}

// AppendTo writes a.
func (a *JoinedAck) AppendTo(w *wire.Writer) {
	w.BeginMap()
	a.appendMembers(w)
	if len(a.Of) > 0 {
		w.Key("of")
		w.BeginList()
		for _, i := range a.Of {
			w.Int(int64(i))
		}
		w.EndList()
	}
	w.EndMap()
}

// ReadFrom reads a. Indexes outside of a message of at most [MaxJoined] replies are left
// out; Of is nil only where there is none to read.
func (a *JoinedAck) ReadFrom(v wire.Value) {
	_ = wire.DecodeLoose(v, &a.Ack) // fields with errors are left out
	of := v.Field("of")
	if !of.IsZero() {
		a.Of = []int{}
	}
	for _, place := range of.List() {
		if i, ok := place.Int(); ok && 0 <= i && i < MaxJoined {
			a.Of = append(a.Of, int(i))
		}
	}
}
