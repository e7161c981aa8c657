package httpworker

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

func TestACallWithoutAnAnswerIsNamedInOwnWords(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 80}
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{refused, "nothing listens at 10.0.0.7:80"},
		{&net.OpError{Op: "proxyconnect", Net: "tcp", Err: refused}, "nothing listens at the proxy 10.0.0.7:80"},
		{&net.OpError{Op: "read", Net: "tcp", Addr: at, Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "10.0.0.7:80 ended the connection before it had answered"},
		{&net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}, "10.0.0.7:80 cannot be reached from here: there is no way to it"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "a.invalid", Server: "10.0.0.1:53", IsNotFound: true}}, "no host has the name a.invalid"},
		{io.EOF, "the connection was ended before there was an answer"},
		{errors.New("http: server gave HTTP response to HTTPS client"), "what listens there speaks HTTP without TLS: write http:// for https://, or the port that has TLS"},
		{io.ErrUnexpectedEOF, "unexpected EOF"},
		{x509.UnknownAuthorityError{}, "x509: certificate signed by unknown authority"},
	} {
		if got := unreached(tt.err).Error(); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}
