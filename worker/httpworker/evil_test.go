package httpworker

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// readRequest reads the head of a request for a raw server.
func readRequest(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		if err != nil || line == "\r\n" {
			return
		}
	}
}

// always writes until the other side closes the connection.
func always(c net.Conn, text string, pause time.Duration) {
	tick := time.NewTicker(max(pause, time.Microsecond))
	defer tick.Stop()
	for {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		if pause > 0 {
			<-tick.C
		}
	}
}

func TestEvilServers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		server  func(net.Conn)
		class   schema.HTTPClass
		status  int64
		message string
	}{
		{"hangs before a word", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
			schema.HTTPTimeout, 0, "timeout passed"},
		{"hangs within the body", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
			_, _ = io.Copy(io.Discard, c)
		}, schema.HTTPTimeout, 200, "broke off"},
		{"sends its head letter by letter", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Slow: ")
			always(c, "x", time.Millisecond)
		}, schema.HTTPTimeout, 0, ""},
		{"sends its body letter by letter", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			always(c, "x", time.Millisecond)
		}, schema.HTTPTimeout, 200, ""},
		{"streams for ever", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			always(c, strings.Repeat("x", 4096), 0)
		}, schema.HTTPOK, 200, ""},
		{"resets", func(c net.Conn) {
			readRequest(c)
			_ = c.(*net.TCPConn).SetLinger(0)
		}, schema.HTTPNetwork, 0, ""},
		{"resets within the body", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
			_ = c.(*net.TCPConn).SetLinger(0)
		}, schema.HTTPNetwork, 200, "broke off"},
		{"promises more than it sends", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
		}, schema.HTTPNetwork, 200, "unexpected EOF"},
		{"cuts a chunk", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc")
		}, schema.HTTPNetwork, 200, "unexpected EOF"},
		{"has two lengths", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")
		}, schema.HTTPNetwork, 0, "Content-Length"},
		{"has a negative length", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabcd")
		}, schema.HTTPNetwork, 0, "Content-Length"},
		{"has an endless head", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			always(c, "X-More: "+strings.Repeat("x", 4000)+"\r\n", 0)
		}, schema.HTTPNetwork, 0, "header"},
		{"has an endless first line", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 ")
			always(c, strings.Repeat("x", 4096), 0)
		}, schema.HTTPNetwork, 0, "header"},
		{"has an endless size of a chunk", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			always(c, strings.Repeat("0", 4096), 0)
		}, schema.HTTPNetwork, 200, "broke off"},
		{"has an endless extension of a chunk", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;")
			always(c, strings.Repeat("x", 4096), 0)
		}, schema.HTTPNetwork, 200, "broke off"},
		{"has a chunk for every byte, with an extension each", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			always(c, "1;"+strings.Repeat("x", 4000)+"\r\nx\r\n", 0)
		}, schema.HTTPNetwork, 200, "broke off"},
		{"has endless trailers", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n")
			always(c, "X-More: "+strings.Repeat("x", 4000)+"\r\n", 0)
		}, schema.HTTPNetwork, 200, "broke off"},
		{"has an endless trailer", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-More: ")
			always(c, strings.Repeat("x", 4096), 0)
		}, schema.HTTPNetwork, 200, "broke off"},
		{"has a line end in the middle of a header", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Request-Id: a\r b\r\n\r\n")
		}, schema.HTTPNetwork, 0, "malformed"},
		{"sends 100 Continue for ever", func(c net.Conn) {
			readRequest(c)
			always(c, "HTTP/1.1 100 Continue\r\n\r\n", 0)
		}, schema.HTTPNetwork, 0, ""},
		{"speaks no HTTP", func(c net.Conn) {
			_, _ = io.WriteString(c, "220 smtp.example.org ESMTP\r\n")
			_, _ = io.Copy(io.Discard, c)
		}, schema.HTTPNetwork, 0, ""},
		{"switches protocols", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			_, _ = io.Copy(io.Discard, c)
		}, schema.HTTPStatus, 101, ""},
		{"sends bytes that are no text", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Request-Id: a\xffb\r\nConnection: close\r\n\r\n\x00\xff")
		}, schema.HTTPOK, 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check := func(t *testing.T, w *Worker, url string, timeout time.Duration) {
				o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: url, TimeoutSeconds: schema.Within(timeout)})
				if o.Class != tt.class || o.Status != tt.status || !strings.Contains(o.Message, tt.message) {
					t.Errorf("got %s, status %d, %q; want %s, %d, %q", o.Class, o.Status, o.Message, tt.class, tt.status, tt.message)
				}
				if (o.Class == schema.HTTPOK) != (o.Message == "") {
					t.Errorf("class %s with message %q", o.Class, o.Message)
				}
			}
			if tt.class != schema.HTTPTimeout {
				check(t, local(t), rawServer(t, tt.server), patience)
				return
			}
			// The response has to come within the timeout, which by the real clock would be
			// a long wait, or fail on a machine that stands still meanwhile.
			synctest.Test(t, func(t *testing.T) {
				w := local(t)
				check(t, w, rawServerOn(t, piped(w), tt.server), time.Second)
			})
		})
	}
}

func TestATargetThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	o := outcome(t.Context(), t, local(t), schema.HTTPCall{TargetURL: "http://" + l.Addr().String()})
	if o.Class != schema.HTTPNetwork || o.Message != "nothing listens at "+l.Addr().String() {
		t.Errorf("got %+v", o)
	}
}

func TestOnlyTheBeginningOfABodyIsKept(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		text       int  // bytes of text that are kept
		binary     int  // or of others
		truncated  bool // the rest is not
	}{
		{"short", "hello", 5, 0, false},
		{"whole", strings.Repeat("x", schema.MaxHTTPBody), schema.MaxHTTPBody, 0, false},
		{"a byte more", strings.Repeat("x", schema.MaxHTTPBody+1), schema.MaxHTTPBody, 0, true},
		{"cut within a letter", "x" + strings.Repeat("ä", schema.MaxHTTPBody), schema.MaxHTTPBody - 1, 0, true},
		{"control characters", strings.Repeat("\x01", schema.MaxHTTPBody+1), 0, schema.MaxHTTPBody, true},
		{"quotation marks", strings.Repeat(`"`, schema.MaxHTTPBody+1), schema.MaxHTTPBody, 0, true},
		{"not UTF-8", "a\xff", 0, 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tt.body) })
			o := outcome(t.Context(), t, local(t), schema.HTTPCall{TargetURL: s.URL})
			if o.Class != schema.HTTPOK || len(o.Body) != tt.text || len(o.BodyBase64) != tt.binary || o.Truncated != tt.truncated {
				t.Errorf("class %s, %d bytes of text, %d of others, truncated %v", o.Class, len(o.Body), len(o.BodyBase64), o.Truncated)
			}
			if !strings.HasPrefix(tt.body, o.Body+string(o.BodyBase64)) {
				t.Error("the kept part is not the beginning")
			}
		})
	}
}

// A compressed body is kept as it came, because it grows when it is unpacked.
func TestNoBodyIsUnpacked(t *testing.T) {
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(w, zeros{}, 32<<20); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var accepted string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		accepted = r.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	o := outcome(t.Context(), t, local(t), schema.HTTPCall{TargetURL: s.URL})
	if o.Class != schema.HTTPOK || !bytes.HasPrefix(bomb.Bytes(), o.BodyBase64) || len(o.BodyBase64) < 100 || accepted != "" {
		t.Errorf("%s, %d bytes; it was asked for %q", o.Class, len(o.BodyBase64), accepted)
	}
}

// zeros is an endless reader of zero bytes.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestRedirects(t *testing.T) {
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s auth=%q token=%q cookie=%q key=%q", r.Method, r.URL.Path,
			r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.Header.Get("Cookie"), r.Header.Get("Idempotency-Key"))
	})
	var there string // where /away goes
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var left int
		if _, err := fmt.Sscanf(r.URL.Path, "/hops/%d", &left); err == nil && left > 0 {
			http.Redirect(w, r, fmt.Sprintf("/hops/%d", left-1), http.StatusTemporaryRedirect)
			return
		}
		if r.URL.Path == "/away" {
			http.Redirect(w, r, there, http.StatusFound)
			return
		}
		fmt.Fprintf(w, "%s auth=%q", r.Method, r.Header.Get("Authorization"))
	})
	headers := map[string]string{"Authorization": "Bearer secret", "X-Api-Key": "secret", "Cookie": "session=secret"}
	for _, tt := range []struct {
		name, path, there string
		method            string // POST
		success           string
		class             schema.HTTPClass
		status            int64
		body, message     string
	}{
		{name: "five are followed", path: "/hops/5", class: schema.HTTPOK, status: 200, body: `POST auth="(secret)"`},
		{name: "six are not", path: "/hops/6", class: schema.HTTPStatus, status: 307, message: "more than 5 redirects"},
		{name: "a loop ends", method: "GET", path: "/away", there: "/away", class: schema.HTTPStatus, status: 302, message: "more than 5 redirects"},
		{name: "another host sees no secrets", method: "GET", path: "/away", there: target.URL + "/x", class: schema.HTTPOK, status: 200,
			body: `GET /x auth="" token="" cookie="" key="http/nightly/7/2"`},
		{name: "another scheme", path: "/away", there: "file:///etc/passwd", class: schema.HTTPRefused, status: 302, message: "http://"},
		{name: "a scheme of old", path: "/away", there: "gopher://example.org/", class: schema.HTTPRefused, status: 302, message: "http://"},
		{name: "another's page in a browser", path: "/away", there: "javascript:alert(1)", class: schema.HTTPRefused, status: 302, message: "http://"},
		{name: "a user in the address", path: "/away", there: "http://a:b@example.org/", class: schema.HTTPRefused, status: 302, message: "a user"},
		{name: "one that the plan wants", path: "/away", there: target.URL, success: `3xx`, class: schema.HTTPOK, status: 302},
	} {
		t.Run(tt.name, func(t *testing.T) {
			there = tt.there
			call := schema.HTTPCall{TargetURL: s.URL + tt.path, HTTPMethod: schema.HTTPMethod(cmp.Or(tt.method, "POST")), BodyTemplate: "x", Headers: headers}
			if tt.method == "GET" {
				call.BodyTemplate = ""
			}
			if tt.success != "" {
				call.SuccessStatus = statuses(tt.success)
			}
			o := outcome(t.Context(), t, local(t), call)
			if o.Class != tt.class || o.Status != tt.status || !strings.Contains(o.Message, tt.message) {
				t.Errorf("got %s, status %d, %q", o.Class, o.Status, o.Message)
			}
			if tt.body != "" && o.Body != tt.body {
				t.Errorf("the target saw %s", o.Body)
			}
		})
	}
}

// A body goes along with a 307 or 308, also to another host, but not with a secret that is for
// the first host alone.
func TestABodyWithATokenStaysWithItsHost(t *testing.T) {
	there, requests := target(t, ok)
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/stay" {
				http.Redirect(w, r, "/here", status)
				return
			}
			if r.URL.Path == "/" {
				http.Redirect(w, r, there, status)
			}
		})
		w := caller(t, Options{AllowPrivate: true, CallbackURL: "https://gateway.example.org"})
		for _, tt := range []struct {
			path, body string
			class      schema.HTTPClass
			arrives    bool
		}{
			{"/", `{"n":{{attempt}}}`, schema.HTTPOK, true},
			{"/", `{"token":"{{callback_token}}"}`, schema.HTTPRefused, false},
			{"/stay", `{"token":"{{callback_token}}"}`, schema.HTTPOK, false},
		} {
			o := outcome(t.Context(), t, w, schema.HTTPCall{
				TargetURL: s.URL + tt.path, HTTPMethod: "POST", ExecType: schema.ExecAsync, BodyTemplate: tt.body,
			})
			if o.Class != tt.class || (o.Class == schema.HTTPRefused) != strings.Contains(o.Message, "{{callback_token}}") {
				t.Errorf("%d %s %s: %+v", status, tt.path, tt.body, o)
			}
			if arrived := len(requests) > 0; arrived != tt.arrives {
				t.Errorf("%d %s %s: another host was called: %v", status, tt.path, tt.body, arrived)
			} else if arrived {
				<-requests
			}
		}
	}
}
