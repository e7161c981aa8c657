package forward

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A request is a forwarded command, on its way to a leader in another process, on
// scheduler.lead.<partition>. Both it and its response are MessagePack, and only schedulers
// may send or read them.
type request struct {
	Verb    string     `json:"verb"`
	Command wire.Value `json:"command"`
	// By is the client's deadline for the answer.
	By time.Time `json:"by,omitzero"`
	// Asked is the attribution; nodes of earlier releases ignore it.
	Asked schema.Attribution `json:"asked,omitzero"`
	// Run is the run of the sender's line that the command belongs to, from 1; 0, of nodes of
	// earlier releases: none. Those ignore it.
	Run int64 `json:"run,omitempty"`
}

// A response is the answer to a request: a body, or an error.
type response struct {
	Body  wire.Value    `json:"body,omitzero"`
	Error *schema.Error `json:"error,omitempty"`
	// Moved reports that the command was not carried out, because the node that received it
	// does not lead any more, or not yet, so that it may be sent again.
	Moved bool `json:"moved,omitempty"`
	// Stuck reports, in response to a probe, that the leader cannot write.
	Stuck bool `json:"stuck,omitempty"`
}

// dryVerb begins the verb of a dry run, so that a node of an earlier release refuses it, and does
// not carry it out.
const dryVerb = "dry_run:"

// encodeRequest encodes c as a request of a run.
func encodeRequest(c command.Command, run int64) ([]byte, error) {
	asked, dry := command.Asked(c), command.IsDry(c)
	c, by := command.Bare(c)
	r := routesByType[reflect.TypeOf(c)]
	if r == nil {
		return nil, fmt.Errorf("a %T has no route to a leader elsewhere", c)
	}
	packed, err := wire.ValueOf(wire.MsgPack, r.pack(c))
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", r.Name, err)
	}
	name := r.Name
	if dry {
		name = dryVerb + name
	}
	return wire.Marshal(wire.MsgPack, request{name, packed, by, asked, run})
}

// decodeRequest is the inverse of encodeRequest.
func decodeRequest(body []byte) (r *route, c command.Dated, run int64, err error) {
	var e request
	if err := scanInto(body, &e); err != nil {
		return nil, command.Dated{}, 0, err
	}
	r, c, err = e.open()
	return r, c, e.Run, err
}

// open returns the command of e, and its route.
func (e *request) open() (*route, command.Dated, error) {
	name, dry := strings.CutPrefix(e.Verb, dryVerb)
	r := routesByVerb[name]
	if r == nil {
		return nil, command.Dated{}, fmt.Errorf("command %q is not known in this release", e.Verb)
	}
	c, err := r.unpack(e.Command)
	if err != nil {
		return nil, command.Dated{}, fmt.Errorf("decode %s: %w", e.Verb, err)
	}
	return r, command.Dated{Command: c, By: e.By, Asked: e.Asked, Dry: dry}, nil
}

// encodeResponse encodes the answer to a request that took route r.
func encodeResponse(r *route, answer any, asked error) ([]byte, error) {
	var t response
	switch {
	case errors.Is(asked, ErrElsewhere):
		t.Moved = true
		return wire.Marshal(wire.MsgPack, t)
	case asked != nil:
		if !errors.As(asked, &t.Error) {
			t.Error = &schema.Error{Code: schema.CodeInternal, Message: asked.Error()}
		}
		return wire.Marshal(wire.MsgPack, t)
	}
	enclosed := answer
	if _, dry := answer.(schema.DryRun); !dry {
		var err error
		if enclosed, err = r.enclose(answer); err != nil {
			return nil, err
		}
	}
	body, err := wire.ValueOf(wire.MsgPack, enclosed)
	if err != nil {
		return nil, fmt.Errorf("encode the answer to %s: %w", r.Name, err)
	}
	t.Body = body
	return wire.Marshal(wire.MsgPack, t)
}

// maxDepth leaves room around a body of a definition's depth.
const maxDepth = 64

// presence is a leader's answer to a probe.
func presence(stuck bool) []byte {
	if !stuck {
		return []byte("{}") // not a response, because leaders of earlier releases answered so
	}
	body, err := wire.Marshal(wire.MsgPack, response{Stuck: true})
	if err != nil {
		panic(err) // a bool
	}
	return body
}

// scanInto decodes a message between schedulers. The server bounds its size, and the front of
// the sending node has checked its body.
func scanInto(body []byte, dst any) error {
	v, err := wire.ScanAs(wire.MsgPack, body, wire.Limits{Items: len(body), Depth: maxDepth})
	if err != nil {
		return err
	}
	return wire.Unmarshal(v, dst)
}
