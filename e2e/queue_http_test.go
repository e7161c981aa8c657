package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestAQueueIsDeliveredToItsService(t *testing.T) {
	t.Parallel()
	type call struct{ method, contentType, key, body string }
	calls := make(chan call, 10)
	fails := make(chan int, 10)
	fails <- http.StatusServiceUnavailable
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- call{r.Method, r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key"), string(body)}
		select {
		case status := <-fails:
			w.WriteHeader(status)
		default:
		}
	}))
	defer service.Close()
	s := start(t, "--http-allow-private")
	c := connect(t, s, inJSON)
	push := func(n int, update string, ontime int64) {
		c.req("queues.push", body{"key": "k", "task": body{"n": n, "word": "{{run_id}}"}, "update": update, "ontime": ontime, "method": "POST", "service": service.URL + "/x"})
	}
	push(0, "once", time.Now().Add(time.Hour).Unix())
	due := time.Now().Unix() + 2
	push(1, "always", due)
	next := func() call {
		select {
		case got := <-calls:
			return got
		case <-time.After(patience):
			t.Fatal("no call came")
			return call{}
		}
	}
	first := next()
	if early := time.Until(time.Unix(due, 0)); early > 0 {
		t.Errorf("called %v before its time", early)
	}
	want := `[{"n":0,"word":"{{run_id}}"},{"n":1,"word":"{{run_id}}"}]`
	if first.method != "POST" || first.contentType != "application/json" || first.body != want {
		t.Errorf("called with %+v", first)
	}
	if again := next(); again != first { // 503: the same items again, under the same key
		t.Errorf("called again with %+v, want %+v", again, first)
	}
	for range 2 { // not merged: one call each
		c.req("queues.push", body{"key": "-k", "task": 1, "method": "PUT", "service": service.URL})
	}
	for range 2 {
		if got := next(); got.method != "PUT" || got.body != "[1]" {
			t.Errorf("called with %+v", got)
		}
	}
}

// A service that may have accepted a delivery gets the very same again, under the same key,
// even if items were pushed meanwhile; one whose answer is a refusal gets all waiting
// items.
func TestAnUnsureDeliveryComesAgainAsItWas(t *testing.T) {
	t.Parallel()
	s := start(t, "--http-allow-private")
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter) // to the first call
		second string
		same   bool // the second has the key of the first
	}{
		{"the connection breaks before the answer", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, "[1]", true},
		{"the answer is an error", func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, "[1,2]", false},
		{"the answer is an error that breaks off", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, "[1,2]", false},
		{"2xx, however it breaks off", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "I lie")
		}, "[2]", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			type call struct{ key, body string }
			calls, pushed := make(chan call, 10), make(chan bool)
			first := true
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				calls <- call{r.Header.Get("Idempotency-Key"), string(body)}
				if first {
					first = false
					<-pushed
					tt.answer(w)
				}
			}))
			defer service.Close()
			c := connect(t, s, inJSON)
			next := func() call {
				select {
				case got := <-calls:
					return got
				case <-time.After(patience):
					t.Fatal("no call came")
					return call{}
				}
			}
			push := func(task int) {
				c.req("queues.push", body{"key": t.Name(), "task": task, "method": "POST", "service": service.URL})
			}
			push(1)
			one := next()
			push(2)
			close(pushed)
			two := next()
			if one.body != "[1]" || two.body != tt.second || (two.key == one.key) != tt.same {
				t.Errorf("called with %v, then with %v, want %s, of the same key %t", one, two, tt.second, tt.same)
			}
			if tt.same {
				if last := next(); last.body != "[2]" || last.key == one.key {
					t.Errorf("then with %v, want the other item under a key of its own", last)
				}
			}
		})
	}
}

// Items pushed to one path of `/v3/queue` come in one call to a listening service, in their order
// and not before their time.
func TestTheHTTPFormOfAQueue(t *testing.T) {
	t.Parallel()
	calls := make(chan string, 10)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- r.Method + " " + r.URL.String() + " " + string(body)
	}))
	defer service.Close()
	s := start(t, "--http-allow-private")
	request := func(method, query, data string) body {
		to := base64.StdEncoding.EncodeToString([]byte(service.URL + "/v3/notifier/cross/digest?a=b"))
		url := "http://" + s.http + "/v3/queue/cross123_789/POST/" + to + query
		q, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl -d has it
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		var out body
		if err := json.NewDecoder(r.Body).Decode(&out); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %d %v %v", method, url, r.StatusCode, out, err)
		}
		return out
	}
	hour := time.Now().Add(time.Hour).Unix()
	match(t, "the first push", request("POST", fmt.Sprintf("?update=once&ontime=%d", hour), `{"cross_id":1}`), body{"length": 1, "ontime": hour})
	match(t, "DELETE", request("DELETE", "", ""), body{"deleted": 1})
	match(t, "again", request("DELETE", "", ""), body{"deleted": 0})

	request("POST", fmt.Sprintf("?update=always&ontime=%d", hour), `{"cross_id":2}`)
	match(t, "once is too late", request("POST", fmt.Sprintf("?update=once&ontime=%d", hour+1), `[3]`), body{"length": 2, "ontime": hour})
	due := time.Now().Unix() + 2
	match(t, "another time", request("POST", fmt.Sprintf("?update=always&ontime=%d", due), `"4"`), body{"length": 3, "ontime": due})
	select {
	case got := <-calls:
		if early := time.Until(time.Unix(due, 0)); early > 0 {
			t.Errorf("called %v before its time", early)
		}
		if want := `POST /v3/notifier/cross/digest?a=b [{"cross_id":2},[3],"4"]`; got != want {
			t.Errorf("called %s, want %s", got, want)
		}
	case <-time.After(patience):
		t.Fatal("no call came")
	}
}

// A call has at most --queue-batch items; the rest comes in the next one at once.
func TestTheBatchOfAQueue(t *testing.T) {
	t.Parallel()
	calls := make(chan string, 10)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- string(body)
	}))
	defer service.Close()
	s := start(t, "--http-allow-private", "--queue-batch", "2")
	c := connect(t, s, inJSON)
	push := body{"key": "k", "ontime": time.Now().Add(time.Hour).Unix(), "method": "POST", "service": service.URL}
	for n := range 4 {
		c.req("queues.push", push.with(body{"task": n}))
	}
	c.req("queues.push", push.with(body{"task": 4, "update": "always", "ontime": 0}))
	for _, want := range []string{"[0,1]", "[2,3]", "[4]"} {
		select {
		case got := <-calls:
			if got != want {
				t.Errorf("called with %s, want %s", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("no call with %s", want)
		}
	}
}
