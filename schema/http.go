package schema

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The built-in HTTP worker serves station http. A plan of it has command http, and
// `messages` is a list of one map, an [HTTPCall].
const (
	HTTPStation = "http" // the station of the plans
	HTTPCommand = "http" // the command of the plans; an absent one is taken, too
)

// An HTTPCall is the request that each execution of a plan of station http makes, with the
// names of HTTP cron jobs in docs/http.md. Absent fields are zero; the comment of each field has its default,
// and [HTTPCall.Fill] puts it there. Words of an enumeration may be written in any case.
//
// TargetURL, BodyTemplate and the values of Headers may hold the words of a [Template].
type HTTPCall struct {
	// Name is the task's, for people and for {{name}}. Absent: the plan's id.
	Name     string   `json:"name,omitempty"`
	ExecType ExecType `json:"exec_type,omitempty"` // absent: SYNC

	HTTPMethod HTTPMethod `json:"http_method,omitempty"` // absent: GET
	TargetURL  string     `json:"target_url"`            // http or https, without a user
	// by name, at most 100 and 32 KiB; nil: none of its own
	Headers      map[string]string `json:"headers,omitempty"`
	BodyTemplate string            `json:"body_template,omitempty"` // a [Template]; empty: no body

	// TimeoutSeconds bounds the whole call, redirects and the body of the answer
	// included; fractions are allowed. Absent: 15, or until the execution's deadline
	// if that is sooner. When it is given, the deadline is moved for it.
	TimeoutSeconds *Seconds `json:"timeout_seconds,omitempty"`
	// SuccessStatus lists the statuses that are a success: whole numbers such as
	// 409, and classes such as "2xx". Absent or empty: ["2xx"].
	SuccessStatus []wire.Value `json:"success_status,omitempty" wire:"set"`

	// Of ASYNC: a callback with CallbackMethod (absent: POST) is awaited for
	// CallbackTimeoutSec seconds (absent: 300) after a successful answer.
	CallbackMethod     HTTPMethod `json:"callback_method,omitempty"`
	CallbackTimeoutSec *Seconds   `json:"callback_timeout_sec,omitempty"` // nil: 300
}

// ExecType decides how an execution of station http ends.
type ExecType string

const (
	ExecSync  ExecType = "SYNC"  // the answer to the call
	ExecAsync ExecType = "ASYNC" // a later callback
)

// DecodeWire reads the word in any case.
func (t *ExecType) DecodeWire(v wire.Value) error { return decodeUpper(t, v) }

// HTTPMethod is one of GET, HEAD, POST, PUT, PATCH and DELETE.
type HTTPMethod string

var httpMethods = []HTTPMethod{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

// DecodeWire reads the word in any case.
func (m *HTTPMethod) DecodeWire(v wire.Value) error { return decodeUpper(m, v) }

func decodeUpper[T ~string](word *T, v wire.Value) error {
	s, ok := v.Text()
	if !ok {
		return fmt.Errorf("takes a text, not %v", v.Kind())
	}
	*word = T(strings.ToUpper(s))
	return nil
}

// Limits of an HTTPCall; those of the seed are in characters.
const (
	maxHTTPName        = 128
	maxHTTPURL         = 512
	maxHTTPTimeout     = Seconds(24 * 3600)
	maxHTTPHeaders     = 100
	maxHTTPHeaderBytes = 32 << 10 // all of them together
	maxHTTPSecrets     = 32       // each is read for each call

	defaultHTTPTimeout     = Seconds(15)
	defaultCallbackTimeout = Seconds(300)
)

// ParseHTTPCall reads a call and checks it, [HTTPCall.Check], members that it does
// not know included. The error is [Errors], code invalid_request, with everything
// that is wrong.
func ParseHTTPCall(v wire.Value) (*HTTPCall, error) {
	return parseHTTPCall(v, checker{code: CodeInvalidRequest})
}

func parseHTTPCall(v wire.Value, c checker) (*HTTPCall, error) {
	call := new(HTTPCall)
	if err := wire.Decode(v, call); err != nil {
		c.errs = WireErrors(c.code, err)
	}
	c.httpCall(call)
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return call, nil
}

// Check returns all errors of a call, as [Errors] with code invalid_request whose fields
// are the names above; nil when there are none.
func (h *HTTPCall) Check() error {
	c := checker{code: CodeInvalidRequest}
	c.httpCall(h)
	if len(c.errs) > 0 {
		return c.errs
	}
	return nil
}

// Fill puts the defaults into absent fields, for programs that show a call whole.
func (h *HTTPCall) Fill() {
	h.ExecType = first(h.ExecType, ExecSync)
	h.HTTPMethod = first(h.HTTPMethod, "GET")
	h.CallbackMethod = first(h.CallbackMethod, "POST")
	if h.TimeoutSeconds == nil {
		h.TimeoutSeconds = new(defaultHTTPTimeout)
	}
	if h.CallbackTimeoutSec == nil {
		h.CallbackTimeoutSec = new(defaultCallbackTimeout)
	}
	if len(h.SuccessStatus) == 0 {
		h.SuccessStatus = []wire.Value{wire.Text(wire.JSON, "2xx")}
	}
}

// Timeout is TimeoutSeconds, or its default.
func (h *HTTPCall) Timeout() time.Duration {
	return value(h.TimeoutSeconds, defaultHTTPTimeout).Duration()
}

// CallbackTimeout is CallbackTimeoutSec, or its default.
func (h *HTTPCall) CallbackTimeout() time.Duration {
	return value(h.CallbackTimeoutSec, defaultCallbackTimeout).Duration()
}

// httpGrace is the time that an execution of station http needs beside its call: to reach
// the worker, and to come back.
const httpGrace = Seconds(10)

// ExecTimeout is the exec_timeout that fits the call, for programs that make a plan of it.
// An execution that waits for a callback ends when the callback's time is up, but not
// before its exec_timeout (`waiting`); so that of an ASYNC call is no longer than that. A
// call that takes longer moves its deadline itself.
func (h *HTTPCall) ExecTimeout() Seconds {
	timeout := value(h.TimeoutSeconds, defaultHTTPTimeout)
	if h.ExecType == ExecAsync {
		return min(timeout, value(h.CallbackTimeoutSec, defaultCallbackTimeout))
	}
	return timeout + httpGrace
}

// Succeeds reports whether an answer with that status is a success.
func (h *HTTPCall) Succeeds(status int) bool {
	if len(h.SuccessStatus) == 0 {
		return status/100 == 2
	}
	return slices.ContainsFunc(h.SuccessStatus, func(v wire.Value) bool {
		from, to, ok := statusRange(v)
		return ok && from <= status && status <= to
	})
}

// statusRange reads 409, "409" or "2xx".
func statusRange(v wire.Value) (from, to int, ok bool) {
	if i, isInt := v.Int(); isInt {
		return int(i), int(i), 200 <= i && i <= 599
	}
	s, _ := v.Text()
	if len(s) != 3 || s[0] < '2' || s[0] > '5' {
		return 0, 0, false
	}
	if strings.EqualFold(s[1:], "xx") {
		from = int(s[0]-'0') * 100
		return from, from + 99, true
	}
	i, isNumber := parseNumber(s)
	return int(i), int(i), isNumber
}

// httpPlan checks the call of a plan of station http. Fields of the call have "messages."
// in front.
func (c *checker) httpPlan(p *Plan) {
	if p.Command != "" && p.Command != HTTPCommand {
		c.fail("command", "command is %q; station http takes %q", shorten(p.Command), HTTPCommand)
		return
	}
	if len(p.Messages) != 1 {
		c.fail("messages", "messages has %d items; station http takes one, the map that describes the call", len(p.Messages))
		return
	}
	_, err := parseHTTPCall(p.Messages[0], checker{code: CodeInvalidRequest, shown: c.shown})
	var wrong Errors
	errors.As(err, &wrong)
	for _, e := range wrong {
		if e.Field == "" {
			c.fail("messages", "messages: item 1: %s", strings.Replace(e.Message, "the request", "the call", 1))
			continue
		}
		c.fail("messages."+e.Field, "messages: %s", e.Message)
	}
}

func (c *checker) httpCall(h *HTTPCall) {
	if n := utf8.RuneCountInString(h.Name); n > maxHTTPName {
		c.fail("name", "name has %d characters; at most %d are taken", n, maxHTTPName)
	}
	if i := strings.IndexFunc(h.Name, isControl); i >= 0 {
		c.fail("name", "name holds the control character %q, which is not allowed", h.Name[i])
	}
	oneOf(c, "exec_type", h.ExecType, ExecSync, ExecAsync)
	oneOf(c, "http_method", h.HTTPMethod, httpMethods...)
	oneOf(c, "callback_method", h.CallbackMethod, httpMethods...)
	c.targetURL(h.TargetURL)
	c.httpHeaders(h.Headers)
	c.otherHost(h)
	if n := len(h.Secrets()); n > maxHTTPSecrets {
		c.fail("", "the call names %d secrets; at most %d are taken", n, maxHTTPSecrets)
	}
	c.template("body_template", h.BodyTemplate)
	c.some("timeout_seconds", h.TimeoutSeconds, maxHTTPTimeout)
	c.some("callback_timeout_sec", h.CallbackTimeoutSec, maxSpan)
	for i, v := range h.SuccessStatus {
		if _, _, ok := statusRange(v); !ok {
			c.fail("success_status", `success_status: item %d is %s; it takes a status such as 409, 200 to 599, or a class such as "2xx"`, i+1, shorten(v.String()))
		}
	}
}

// some checks a timeout that is not 0.
func (c *checker) some(field string, s *Seconds, most Seconds) {
	if s != nil && !(*s > 0 && *s <= most) {
		c.fail(field, "%s is %v; it takes more than 0 seconds, and %d at most", field, float64(*s), int64(most))
	}
	c.notTiny(field, s)
}

func (c *checker) template(field, text string) {
	if _, err := ParseTemplate(text); err != nil {
		c.fail(field, "%s %v", field, err)
	}
}

// targetURL checks an address whose path and query may hold words. Those in front of
// the path would choose the host.
func (c *checker) targetURL(text string) {
	const field = "target_url"
	if text == "" {
		c.fail(field, "target_url is missing; it is the address to call, such as https://example.org/hook")
		return
	}
	if n := utf8.RuneCountInString(text); n > maxHTTPURL {
		c.fail(field, "target_url has %d characters; at most %d are taken", n, maxHTTPURL)
		return
	}
	t, err := ParseTemplate(text)
	if err != nil {
		c.fail(field, "target_url %v", err)
		return
	}
	if err := CheckURL(t.expand("x")); err != nil {
		c.fail(field, "target_url %v", err)
		return
	}
	if !t.Plain() {
		_, rest, _ := strings.Cut(t.parts[0].literal, "://")
		if !strings.ContainsAny(rest, "/?#") {
			c.fail(field, "target_url has a word in its host; words may stand in path and query")
		}
	}
}

// CheckURL returns an error when an address cannot be called: schemes other than http and
// https, a missing host, a wrong port, and a user, who belongs into a header. The error
// continues a sentence that begins with the field.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case !strings.Contains(text, "://"):
		return fmt.Errorf("takes an address that begins with http:// or https://")
	case err != nil:
		return fmt.Errorf("is no address: %w", unwrapURL(err))
	case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
		return fmt.Errorf("takes an address that begins with http:// or https://")
	case u.Hostname() == "":
		return fmt.Errorf("names no host")
	case u.User != nil:
		return fmt.Errorf("holds a user; put credentials into an Authorization header, those of an HTTP job as {{secret:NAME}}")
	}
	if port, ok := parseNumber(u.Port()); u.Port() != "" && (!ok || port < 1 || port > 65535) {
		return fmt.Errorf("has the port %s; ports are 1 to 65535", shorten(u.Port()))
	}
	return nil
}

// unwrapURL leaves out the address, because it may be long and the caller has just sent
// it.
func unwrapURL(err error) error {
	u, ok := err.(*url.Error)
	if !ok {
		return err
	}
	switch reason := u.Err.(type) {
	case url.InvalidHostError:
		return fmt.Errorf("no host has %q in its name", shorten(string(reason)))
	case url.EscapeError:
		return fmt.Errorf("%q escapes nothing; a %% itself is %%25", shorten(string(reason)))
	default:
		return u.Err
	}
}

// httpHeaders checks the headers of a call.
func (c *checker) httpHeaders(headers map[string]string) {
	if len(headers) > maxHTTPHeaders {
		c.fail("headers", "headers has %d members; at most %d are taken", len(headers), maxHTTPHeaders)
		return
	}
	size := 0
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, field := headers[name], "headers."+name
		size += len(name) + len(value)
		lower := strings.ToLower(name)
		switch {
		case !isToken(name):
			c.fail("headers", "headers: %q is no name of a header; letters, digits and - are usual", shorten(name))
			continue
		case seen[lower] != "":
			c.fail(field, "%s and headers.%s are the same header", field, seen[lower])
		case slices.Contains(framing, lower):
			c.fail(field, "%s is decided by the connection; leave it out", field)
		}
		seen[lower] = name
		if i := strings.IndexFunc(value, func(r rune) bool { return isControl(r) && r != '\t' }); i >= 0 {
			c.fail(field, "%s holds the control character %q, which is not allowed", field, value[i])
		}
		if !c.shown && isHidden(name, value) {
			c.fail(field, "%s is %s, which stands for a value that is not shown; give the value, or {{secret:NAME}}", field, Hidden)
		}
		c.template(field, value)
	}
	if size > maxHTTPHeaderBytes {
		c.fail("headers", "headers has %d bytes; at most %d are taken", size, maxHTTPHeaderBytes)
	}
}

// otherHost refuses a call that sends a secret and names another host in the request than
// the one it is sent to, because a server of many hosts would hand the secret to that one.
func (c *checker) otherHost(h *HTTPCall) {
	for name := range h.Headers {
		if strings.EqualFold(name, "Host") && len(h.Secrets()) > 0 {
			c.fail("headers."+name, "headers.%s names another host, and {{secret:%s}} is for that of target_url; leave one of them out", name, h.Secrets()[0])
		}
	}
}

// framing are headers that delimit a message or control the connection, because with them
// one request could be made to look like two.
var framing = []string{
	"connection", "content-length", "keep-alive", "proxy-connection", "te", "trailer",
	"transfer-encoding", "upgrade",
}

// isToken reports whether s is a token of RFC 9110, as names of headers are.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
