package httpworker

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// breaker answers requests over connections that stay open, and, once it breaks, closes them after it
// has read a request.
type breaker struct {
	breaks atomic.Bool
	warm   sync.WaitGroup // holds answers until so many have arrived, so that each has its connection
	read   atomic.Int64   // requests since it breaks
}

func (b *breaker) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if !b.breaks.Load() {
		b.warm.Done()
		b.warm.Wait()
		return
	}
	b.read.Add(1)
	c, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		panic(err)
	}
	c.Close()
}

// A connection that breaks before the answer costs one execution, and not a second request that no
// retry policy allowed, though net/http would repeat these.
func TestARequestThatWasWrittenIsNotWrittenAgainByTheTransport(t *testing.T) {
	const open = 4 // connections that could take the repetition
	for _, method := range []schema.HTTPMethod{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut} {
		for _, body := range []string{"", `{"pay":100}`} {
			b := new(breaker)
			target := serve(t, b.ServeHTTP)
			w := local(t)
			call := schema.HTTPCall{TargetURL: target.URL, HTTPMethod: method, BodyTemplate: body}
			b.warm.Add(open)
			var calls sync.WaitGroup
			for range open {
				calls.Go(func() { outcome(t.Context(), t, w, call) })
			}
			calls.Wait()
			b.breaks.Store(true)
			for i := range int64(open - 1) {
				o, unsure := w.perform(t.Context(), execution(t, call), &call)
				if o.Class != schema.HTTPNetwork || !unsure {
					t.Errorf("%s: %+v, unsure %t", method, o, unsure)
				}
				if got := b.read.Load(); got != i+1 {
					t.Fatalf("%s with %d bytes: the target got %d requests of %d calls", method, len(body), got, i+1)
				}
			}
		}
	}
}

// A request without a body stays one, so that no target sees a chunked one in its place.
func TestARequestWithoutABodyAnnouncesNone(t *testing.T) {
	got := make(chan *http.Request, 1)
	target := serve(t, func(_ http.ResponseWriter, r *http.Request) { got <- r })
	outcome(t.Context(), t, local(t), schema.HTTPCall{TargetURL: target.URL, HTTPMethod: http.MethodGet})
	if r := <-got; r.ContentLength != 0 || len(r.TransferEncoding) != 0 {
		t.Errorf("length %d, encoding %v", r.ContentLength, r.TransferEncoding)
	}
}

// net/http repeats a request whose HTTP/2 stream the target has reset, with some codes, although it
// may have been served.
func TestAResetStreamIsNotOpenedAgain(t *testing.T) {
	const headers, reset, settings, protocolError = 1, 3, 4, 1
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	defer certified.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	var streams atomic.Int64
	frame := func(kind byte, stream uint32, payload ...byte) []byte {
		f := []byte{0, 0, byte(len(payload)), kind, 0, 0, 0, 0, 0}
		binary.BigEndian.PutUint32(f[5:], stream)
		return append(f, payload...)
	}
	rawServerOn(t, listener, func(c net.Conn) {
		_, _ = io.CopyN(io.Discard, c, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")))
		_, _ = c.Write(frame(settings, 0))
		for head := make([]byte, 9); ; {
			if _, err := io.ReadFull(c, head); err != nil {
				return
			}
			_, _ = io.CopyN(io.Discard, c, int64(head[0])<<16|int64(head[1])<<8|int64(head[2]))
			if head[3] == headers {
				streams.Add(1)
				_, _ = c.Write(frame(reset, binary.BigEndian.Uint32(head[5:]), 0, 0, 0, protocolError))
			}
		}
	})
	w := local(t)
	w.transport.TLSClientConfig = certified.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	t.Cleanup(w.transport.CloseIdleConnections)
	call := schema.HTTPCall{TargetURL: "https://" + listener.Addr().String()}
	o, unsure := w.perform(t.Context(), execution(t, call), &call)
	w.transport.CloseIdleConnections()
	if o.Class != schema.HTTPNetwork || !unsure || streams.Load() != 1 {
		t.Errorf("%+v, unsure %t, %d streams", o, unsure, streams.Load())
	}
}

// The effect of a plan's on_unknown on a call depends on whether the target may have done its
// work.
func TestAnErrorIsUnsureWhereTheTargetMayHaveDoneItsWork(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	hung := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/busy", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) })
	mux.HandleFunc("/hangs", func(http.ResponseWriter, *http.Request) { <-hung })
	mux.HandleFunc("/cut", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", "9")
		_, _ = io.WriteString(rw, "x")
	})
	mux.Handle("/elsewhere", http.RedirectHandler("http://"+free.Addr().String(), http.StatusTemporaryRedirect))
	target := serve(t, mux.ServeHTTP)
	defer close(hung)
	w := local(t)
	for _, c := range []struct {
		url    string
		unsure bool
	}{
		{"http://" + free.Addr().String(), false},
		{target.URL + "/busy", false},
		{target.URL + "/elsewhere", false},
		{target.URL + "/hangs", true},
		{target.URL + "/cut", true},
	} {
		x := execution(t, schema.HTTPCall{TargetURL: c.url})
		if c.url == target.URL+"/hangs" {
			x.Deadline = time.Now().Add(50 * time.Millisecond)
		}
		_, err := w.handle(t.Context(), x)
		if err == nil {
			t.Errorf("%s: no error", c.url)
			continue
		}
		if got := reflect.TypeOf(err) == reflect.TypeOf(worker.OutcomeUnknown(nil)); got != c.unsure {
			t.Errorf("%s: %v: unsure %t", c.url, err, got)
		}
	}
}
