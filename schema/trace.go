package schema

import "strings"

// TraceID is the trace id in a traceparent (W3C Trace Context), 32 hexadecimal digits, by
// which logs of several programs are put together; empty when it holds none.
func TraceID(traceparent string) string {
	version, rest, _ := strings.Cut(traceparent, "-")
	id, rest, _ := strings.Cut(rest, "-")
	parent, _, _ := strings.Cut(rest, "-")
	if !isHex(version, 2) || !isHex(id, 32) || !isHex(parent, 16) || version == "ff" || strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}
