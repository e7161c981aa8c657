package schema

import (
	"errors"
	"fmt"
	"strings"
)

// The built-in HTTP worker serves the stations below callback: CallbackStation, a dot, and
// the name of a station that has a [Callback]. Only the scheduler makes their plans and
// pushes to them.
const (
	CallbackStation = "callback" // the first word of those stations
	CallbackCommand = "callback" // the command of their plans

	callbackPrefix = CallbackStation + "."
	// MaxCallbackStation is the length of the longest station that may have a callback,
	// so that the station of its callbacks has a name too.
	MaxCallbackStation = MaxName - len(callbackPrefix)

	maxCallbackURL = 2048
	maxAccessKey   = 256
	maxSecret      = 4096
)

// A Callback configures the HTTP calls that report how a station's occurrences ended. Each end is
// reported to at most one of two targets. A station's record never holds the secret, because it
// is kept apart, under the station's name.
type Callback struct {
	// Success is called for an occurrence that ended ok, Error for one that is a failure
	// or waits for a person. Nil, or without address and method: no call.
	Success  *CallbackTarget  `json:"success,omitempty"`
	Error    *CallbackTarget  `json:"error,omitempty"`   // nil: no call
	Security CallbackSecurity `json:"security,omitzero"` // zero: not signed
}

// A CallbackTarget is where a callback goes.
type CallbackTarget struct {
	URL    string     `json:"url,omitempty"`    // http or https, without a user
	Method HTTPMethod `json:"method,omitempty"` // POST, if absent, or PUT
}

// CallbackSecurity configures how callbacks are signed.
type CallbackSecurity struct {
	Type SecurityType `json:"type,omitempty"` // none, if absent
	AK   string       `json:"ak,omitempty"`   // access key: at most 256 bytes of printable ASCII
	SK   Secret       `json:"sk,omitempty"`   // secret key: at most 4,096 bytes; empty when shown
}

// IsZero reports that no member is given.
func (s CallbackSecurity) IsZero() bool { return s == CallbackSecurity{} }

// SecurityType is the type of a callback's security.
type SecurityType string

const (
	SecurityNone SecurityType = "none" // anyone may call the address
	SecurityAKSK SecurityType = "aksk" // the request is signed with the secret
)

// A Secret is a text that is written to its owner's store and to nothing else, because it
// prints, and is logged, as a placeholder.
type Secret string

// Hidden is shown in place of a secret.
const Hidden = "(secret)"

// String keeps the secret out of printed values.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return Hidden
}

// GoString keeps the secret out of %#v.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// MarshalText keeps it out of logs, and of all that is not written by package wire.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// CallbackPlanOf names the plan that delivers the callbacks of another; as long as it is
// there, one is not delivered.
func CallbackPlanOf(name PlanName) PlanName {
	return PlanName{Station: callbackPrefix + name.Station, PlanID: name.PlanID}
}

// CalledBack returns the station whose callbacks a station delivers; false when it is
// none of those.
func CalledBack(station string) (string, bool) {
	return strings.CutPrefix(station, callbackPrefix)
}

// Target returns the callback's target for an end in state s; nil: none. c may be nil.
func (c *Callback) Target(s State) *CallbackTarget {
	if c == nil {
		return nil
	}
	t := c.Error
	if s == StateOK {
		t = c.Success
	}
	if t == nil || *t == (CallbackTarget{}) {
		return nil
	}
	return t
}

// Signed reports that callbacks are signed.
func (c *Callback) Signed() bool { return c.Security.Type == SecurityAKSK }

// WithoutSecret returns c as it may be stored in a station's record and shown; nil of
// nil.
func (c *Callback) WithoutSecret() *Callback {
	if c == nil {
		return nil
	}
	bare := *c
	bare.Security.SK = ""
	return &bare
}

// Check returns all errors of c, as [Errors] with code invalid_request whose fields are
// success.url, security.ak and so on; nil when there are none. Check does not require a
// secret, because one may be stored already.
func (c *Callback) Check() error {
	k := checker{code: CodeInvalidRequest}
	k.callbackTarget("success", c.Target(StateOK))
	k.callbackTarget("error", c.Target(StateFailure))
	k.callbackSecurity(&c.Security)
	if len(k.errs) > 0 {
		return k.errs
	}
	return nil
}

func (c *checker) callbackTarget(name string, t *CallbackTarget) {
	if t == nil {
		return
	}
	field := name + ".url"
	switch {
	case t.URL == "":
		c.fail(field, "%s is missing; it is the address to call, such as https://example.org/done", field)
	case len(t.URL) > maxCallbackURL:
		c.fail(field, "%s has %d bytes; at most %d are taken", field, len(t.URL), maxCallbackURL)
	default:
		if err := CheckURL(t.URL); err != nil {
			c.fail(field, "%s %v", field, err)
		}
	}
	oneOf(c, name+".method", t.Method, "POST", "PUT")
}

func (c *checker) callbackSecurity(s *CallbackSecurity) {
	oneOf(c, "security.type", s.Type, SecurityNone, SecurityAKSK)
	switch s.Type {
	case "":
		if s.AK != "" || s.SK != "" {
			c.fail("security.type", `security.type is missing; with ak and sk it is "aksk"`)
		}
	case SecurityAKSK:
		c.accessKey(s.AK)
		if len(s.SK) > maxSecret {
			c.fail("security.sk", "security.sk has %d bytes; at most %d are taken", len(s.SK), maxSecret)
		}
	}
}

// accessKey checks a key that travels in a header.
func (c *checker) accessKey(ak string) {
	const field = "security.ak"
	switch i := strings.IndexFunc(ak, func(r rune) bool { return r <= ' ' || r > '~' }); {
	case ak == "":
		c.fail(field, "security.ak is missing; security aksk takes a key (ak) and a secret (sk)")
	case len(ak) > maxAccessKey:
		c.fail(field, "security.ak has %d bytes; at most %d are taken", len(ak), maxAccessKey)
	case i >= 0:
		c.fail(field, "security.ak holds %q; it travels in a header and takes printable ASCII without spaces", []rune(ak[i:])[0])
	}
}

// ErrorInfo is the failure as text: the worker's message or, without one, the state of its
// execution.
func (r *Result) ErrorInfo() string {
	if text, ok := r.Error.Text(); ok && text != "" {
		return text
	}
	if !isEmpty(r.Error) {
		return r.Error.String()
	}
	why := r.Reason
	if r.Cause != "" {
		why = r.Cause
	}
	switch {
	case r.State == StateCancelled:
		return "cancelled before it had ended"
	case r.State == StateSkipped:
		return "no agent was there to take it"
	case why == ReasonStart:
		return "no agent began in time"
	case why == ReasonExec:
		return "the agent did not end in time"
	case why == ReasonPing:
		return "the agent sent no ping any more"
	case why == ReasonUnknown:
		return "no agent answered in time, and it is not known whether it was done"
	case why == ReasonUnknownState:
		return "the agent answered with an unknown state"
	default:
		return "the agent gave no reason"
	}
}

// callback checks that a station may have the callback that it is given. Its fields
// have "callback." in front.
func (c *checker) callback(s *Station) {
	if s.Callback == nil {
		return
	}
	if _, delivers := CalledBack(s.Station); delivers {
		c.fail("callback", "callback belongs to other stations; %s delivers callbacks itself", s.Station)
	}
	if len(s.Station) > MaxCallbackStation {
		c.fail("station", "station has %d bytes; with a callback at most %d are allowed", len(s.Station), MaxCallbackStation)
	}
	if s.Callback.Security.SK != "" {
		c.fail("callback.security.sk", "callback.security.sk is kept apart and is no part of a station; give it to task_types.put")
	}
	var wrong Errors
	errors.As(s.Callback.Check(), &wrong)
	for _, e := range wrong {
		c.fail("callback."+e.Field, "callback.%s", e.Message)
	}
}
