package forward

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An errand is a command on its way to a leader in another process, on
// scheduler.lead.<partition>; its answer comes back as a tidings. Both are
// MessagePack, and nobody but schedulers may send or read them.
type errand struct {
	Verb    string     `json:"verb"`
	Command wire.Value `json:"command"`
	// By is until when somebody waits for the answer.
	By time.Time `json:"by,omitzero"`
}

// tidings are the answer to an errand: a body, or an error.
type tidings struct {
	Body  wire.Value    `json:"body,omitzero"`
	Error *schema.Error `json:"error,omitempty"`
	// Moved says that nothing was done, since the node that was asked does not lead any
	// more, or not yet: whoever leads now may be asked.
	Moved bool `json:"moved,omitempty"`
	// Stuck says, to who only asks whether somebody leads, that nothing can be written.
	Stuck bool `json:"stuck,omitempty"`
}

// encodeErrand writes c as it travels.
func encodeErrand(c schema.Command) ([]byte, error) {
	c, by := schema.Bare(c)
	r := routesByType[reflect.TypeOf(c)]
	if r == nil {
		return nil, fmt.Errorf("a %T has no route to a leader elsewhere", c)
	}
	command, err := wire.ValueOf(wire.MsgPack, r.pack(c))
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", r.Name, err)
	}
	return wire.Marshal(wire.MsgPack, errand{r.Name, command, by})
}

// decodeErrand is the inverse of encodeErrand.
func decodeErrand(body []byte) (*route, schema.Command, time.Time, error) {
	var e errand
	if err := scanInto(body, &e); err != nil {
		return nil, nil, time.Time{}, err
	}
	r := routesByVerb[e.Verb]
	if r == nil {
		return nil, nil, time.Time{}, fmt.Errorf("errand %q is not known in this release", e.Verb)
	}
	c, err := r.unpack(e.Command)
	if err != nil {
		return nil, nil, time.Time{}, fmt.Errorf("decode %s: %w", e.Verb, err)
	}
	return r, c, e.By, nil
}

// encodeTidings writes the answer to an errand that took route r.
func encodeTidings(r *route, answer any, asked error) ([]byte, error) {
	var t tidings
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
	enclosed, err := r.enclose(answer)
	if err != nil {
		return nil, err
	}
	body, err := wire.ValueOf(wire.MsgPack, enclosed)
	if err != nil {
		return nil, fmt.Errorf("encode the answer to %s: %w", r.Name, err)
	}
	t.Body = body
	return wire.Marshal(wire.MsgPack, t)
}

// maxDepth leaves room around what has the depth of a definition.
const maxDepth = 64

// presence is what a leader answers who is only asked whether it is there.
func presence(stuck bool) []byte {
	if !stuck {
		return []byte("{}") // no tidings: so did leaders of earlier releases answer
	}
	body, err := wire.Marshal(wire.MsgPack, tidings{Stuck: true})
	if err != nil {
		panic(err) // a bool
	}
	return body
}

// scanInto decodes a message between schedulers. Its size is bounded by the server,
// and what is in it was bounded when it came in.
func scanInto(body []byte, dst any) error {
	v, err := wire.ScanAs(wire.MsgPack, body, wire.Limits{Items: len(body), Depth: maxDepth})
	if err != nil {
		return err
	}
	return wire.Unmarshal(v, dst)
}
