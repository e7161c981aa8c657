package schema

import (
	"strconv"
	"strings"
)

// A ReplyName is what the subject of a reply says: which execution it is about,
// and the nonce that proves that it was given to the worker.
type ReplyName struct {
	Partition int
	Station   string
	PlanID    string
	N         int64
	Nonce     string // 16 hex digits
}

// Exec returns "<n>-<nonce>", the last token of a reply subject and the value of
// Plan-Exec.
func (n ReplyName) Exec() string { return ExecName(n.N, n.Nonce) }

// ExecName joins an execution's number and nonce: "3-9f…".
func ExecName(n int64, nonce string) string { return strconv.FormatInt(n, 10) + "-" + nonce }

// PlanKeyOf is the idempotency key of occurrence k, the same for every attempt and
// never the same for anything else: "<station>/<plan_id>/<incarnation>/<k>"
// (DESIGN section 2, "Headers").
func PlanKeyOf(name PlanName, incarnation uint64, k int64) string {
	var room [2*MaxName + 48]byte
	b := append(append(room[:0], name.Station...), '/')
	b = append(append(b, name.PlanID...), '/')
	b = append(strconv.AppendUint(b, incarnation, 10), '/')
	return string(strconv.AppendInt(b, k, 10))
}

// TriggerKeyOf is the key of a triggered run, whose first execution was n:
// "<station>/<plan_id>/<incarnation>/0.<n>".
func TriggerKeyOf(name PlanName, incarnation uint64, n int64) string {
	return PlanKeyOf(name, incarnation, 0) + "." + strconv.FormatInt(n, 10)
}

// replyFlow stands before the partition of every reply subject.
const replyFlow = "plan.reply."

// Reply is where the worker of one execution answers:
// "plan.reply.<partition>.<station>.*<plan_id>.<exec>". The * is the first byte
// of the token and marks a proxied sender (seed 000, 3.3 step 5).
func (s Space) Reply(partition int, station, planID, exec string) string {
	number := strconv.Itoa(partition)
	if s.Prefix == "" {
		return replyFlow + number + "." + station + ".*" + planID + "." + exec
	}
	return s.Prefix + "." + replyFlow + number + "." + station + ".*" + planID + "." + exec
}

// Replies is what the leader of a partition subscribes to.
func (s Space) Replies(partition int) string {
	return s.subject(replyFlow + strconv.Itoa(partition) + ".>")
}

// AllReplies is what the stream of captured replies captures.
func (s Space) AllReplies() string { return s.subject(replyFlow + ">") }

// ParseReply is the inverse of [Space.Reply]. Anyone may publish on such
// subjects: it reports false for all that this installation cannot have made.
func (s Space) ParseReply(subject string) (ReplyName, bool) {
	var n ReplyName
	rest := subject
	if s.Prefix != "" {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, s.Prefix); !ok || rest == "" || rest[0] != '.' {
			return n, false
		}
		rest = rest[1:]
	}
	rest, ok := strings.CutPrefix(rest, replyFlow)
	if !ok {
		return n, false
	}
	number, rest, ok := strings.Cut(rest, ".")
	partition, isNumber := parseNumber(number)
	if !ok || !isNumber || partition >= int64(max(s.Partitions, 1)) {
		return n, false
	}
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return n, false
	}
	rest, exec := rest[:dot], rest[dot+1:]
	if dot = strings.LastIndexByte(rest, '.'); dot < 0 || dot+1 == len(rest) || rest[dot+1] != '*' {
		return n, false
	}
	n.Partition, n.Station, n.PlanID = int(partition), rest[:dot], rest[dot+2:]
	if n.N, n.Nonce, ok = ParseExec(exec); !ok {
		return ReplyName{}, false
	}
	if CheckStation(n.Station) != nil || CheckID(n.PlanID) != nil {
		return ReplyName{}, false
	}
	return n, true
}

// ParseExec reads "<n>-<nonce>", the inverse of [ExecName].
func ParseExec(s string) (n int64, nonce string, ok bool) {
	number, nonce, _ := strings.Cut(s, "-")
	n, ok = parseNumber(number)
	if !ok || n == 0 || len(nonce) != 16 {
		return 0, "", false
	}
	for i := range len(nonce) {
		if c := nonce[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return 0, "", false
		}
	}
	return n, nonce, true
}

// parseNumber reads decimal digits without a leading zero, as they are written
// here; strconv would take a sign.
func parseNumber(s string) (int64, bool) {
	if len(s) == 0 || len(s) > 18 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	var n int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n, true
}
