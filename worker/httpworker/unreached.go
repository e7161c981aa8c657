package httpworker

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// unreached is the error of a call without an answer, in words for the plan's author where the
// library's name system calls. They say what could not be reached, because that is to be checked.
func unreached(err error) error {
	text := err.Error()
	if name, is := errors.AsType[*net.DNSError](err); is && name.IsNotFound {
		return fmt.Errorf("no host has the name %s", name.Name)
	}
	dial, is := errors.AsType[*net.OpError](err)
	role := ""
	if is && dial.Op == "proxyconnect" {
		role = "the proxy "
		dial, is = errors.AsType[*net.OpError](dial.Err)
	}
	if is && dial.Addr != nil {
		what := role + dial.Addr.String()
		switch {
		case errors.Is(err, syscall.ECONNREFUSED):
			return fmt.Errorf("nothing listens at %s", what)
		case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
			return fmt.Errorf("%s ended the connection before it had answered", what)
		case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
			return fmt.Errorf("%s cannot be reached from here: there is no way to it", what)
		}
	}
	switch {
	case errors.Is(err, io.EOF) && !strings.Contains(text, "unexpected"):
		return errors.New("the connection was ended before there was an answer")
	case strings.HasSuffix(text, "server gave HTTP response to HTTPS client"):
		return errors.New("what listens there speaks HTTP without TLS: write http:// for https://, or the port that has TLS")
	}
	return err
}
