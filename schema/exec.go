package schema

import (
	"strconv"
	"strings"
)

// A ReplyName is the content of a reply's subject: the execution, and the nonce that
// proves that it was given to the worker.
type ReplyName struct {
	Partition int    // from 0
	Station   string // the plan's station
	PlanID    string // the plan's id, unique at its station
	N         int64  // the number of the execution in its plan, from 1
	Nonce     string // 16 hex digits
}

// Exec returns "<n>-<nonce>", the last token of a reply subject and the value of
// Plan-Exec.
func (n ReplyName) Exec() string { return ExecName(n.N, n.Nonce) }

// ExecName joins an execution's number and nonce: "3-9f…".
func ExecName(n int64, nonce string) string { return strconv.FormatInt(n, 10) + "-" + nonce }

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
