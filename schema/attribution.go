package schema

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// MaxBy bounds Attribution.By, in bytes.
	MaxBy = 128
	// MaxNote bounds Attribution.Note, in bytes.
	MaxNote = 512
)

// An Attribution names the requester of a change, and the reason. Every verb that changes plans, stations,
// tasks or their types takes its members; the scheduler repeats them in events, states and
// results, and does not verify them.
type Attribution struct {
	By   string `json:"by,omitempty"`   // who asks, at most [MaxBy] bytes without control characters; empty: unknown
	Note string `json:"note,omitempty"` // why, at most [MaxNote] bytes; empty: not given
}

// isAttribution reports that a member is part of an Attribution.
func isAttribution(name string) bool { return name == "by" || name == "note" }

// IsZero reports that neither is given.
func (a Attribution) IsZero() bool { return a == Attribution{} }

// Check returns the errors of a; nil: there are none.
func (a Attribution) Check(code Code) error {
	c := checker{code: code}
	c.attribution(a)
	if len(c.errs) > 0 {
		return c.errs
	}
	return nil
}

func (c *checker) attribution(a Attribution) {
	c.most("by", a.By, MaxBy)
	c.most("note", a.Note, MaxNote)
	if i := strings.IndexFunc(a.By, isControl); i >= 0 {
		c.fail("by", "by holds the control character %q, which is not allowed", a.By[i])
	}
}

// most refuses a text of more than most bytes.
func (c *checker) most(field, s string, most int) {
	if len(s) > most {
		c.failAs(CodeTooLarge, field, "%s has %d bytes; at most %d are taken", field, len(s), most)
	}
}

// TakeAttribution takes the members of an Attribution off a request, which is any map, so that
// the rest is read as if they were not there. The error has the given code, or too_large.
func TakeAttribution(request wire.Value, code Code) (Attribution, wire.Value, error) {
	var a Attribution
	if request.Kind() != wire.KindMap || request.Field("by").IsZero() && request.Field("note").IsZero() {
		return a, request, nil
	}
	var own struct{ Attribution }
	if err := wire.Decode(choose(request, isAttribution), &own); err != nil {
		return a, request, WireErrors(code, err)
	}
	if err := own.Check(code); err != nil {
		return a, request, err
	}
	return own.Attribution, choose(request, func(name string) bool { return !isAttribution(name) }), nil
}

// choose returns the map of those members whose names are chosen.
func choose(v wire.Value, chosen func(name string) bool) wire.Value {
	w := wire.NewWriter(v.Encoding(), make([]byte, 0, len(v.Raw())))
	w.BeginMap()
	for name, member := range v.Map() {
		if chosen(name) {
			w.KeyText(name)
			w.Value(member)
		}
	}
	w.EndMap()
	return w.Whole()
}

// WithAttribution returns a request, which is any map, with the members of a in place of its
// own. An empty member leaves the request's own.
func WithAttribution(request wire.Value, a Attribution) wire.Value {
	w := wire.NewWriter(request.Encoding(), make([]byte, 0, len(request.Raw())+len(a.By)+len(a.Note)+16))
	w.BeginMap()
	for name, member := range request.Map() {
		if name == "by" && a.By != "" || name == "note" && a.Note != "" {
			continue
		}
		w.KeyText(name)
		w.Value(member)
	}
	a.appendMembers(w)
	w.EndMap()
	return w.Whole()
}
