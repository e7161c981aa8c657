package httpworker

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// No part of a secret remains when the target repeats it and breaks off within it.
func TestNothingIsLeftOfWhatIsHiddenWhereAnAnswerBreaksOff(t *testing.T) {
	url := rawServer(t, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nit is 0123456789ab")
	})
	call := schema.HTTPCall{TargetURL: url, Headers: map[string]string{"X-Api-Key": "0123456789abcdefghijklmnop"}}
	if o := outcome(t.Context(), t, local(t), call); o.Status != 201 || o.Body != "it is " {
		t.Errorf("the outcome of the call: %+v", o)
	}
}

// The text of a status is the target's own, and may have any length.
func TestABrokenAnswerIsReportedInPlainWords(t *testing.T) {
	url := rawServer(t, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, "HTTP/1.1 200 "+strings.Repeat("no ", 10_000)+"\r\nContent-Length: 10\r\n\r\nx")
	})
	if o := outcome(t.Context(), t, local(t), schema.HTTPCall{TargetURL: url}); o.Message != "the answer, 200 OK, broke off: unexpected EOF" {
		t.Errorf("got %.200q", o.Message)
	}
}
