package schema

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// MaxReplyBytes bounds the content and the error of a reply together, in the
// encoding of the plan that they travel on in.
const MaxReplyBytes = 256 << 10

// ParseReply reads any response of a worker; it never fails, because every NATS
// service may be a worker:
//
//   - a map with a state is a reply. A state that is no text, or none of ours, is
//     unknown; fields that make no sense are left out;
//   - with a Plan-State header the whole body is the content;
//   - a micro service error is an error, with its description;
//   - a JetStream publish acknowledgement is no answer, because a stream that captures
//     the station's subject took the execution. Only Stream is set then;
//   - anything else is ok, and the body is the content; a map whose error is not
//     empty is an error.
//
// A map with a text that is not UTF-8 counts by its state and error too, and its content is the
// whole body in bytes.
//
// A body that is content is a decoded value when it is a list or a map in JSON, or
// MessagePack; else a text when it is UTF-8; else binary. So 42 and "hi" are texts
// unless the Content-Type header calls them JSON.
//
// The header is a nats.Header, or nil. Enc is the plan's encoding. The reason is
// too_large when content and error were, and are replaced by an error with that
// message. The reply may share the bytes of body.
func ParseReply(header map[string][]string, body []byte, enc wire.Encoding) (Reply, Reason) {
	r := readReply(header, body, enc)
	if r.Stream != "" {
		return r, ""
	}
	return r, r.Fit(enc)
}

// Fit holds r to MaxReplyBytes in enc, the plan's encoding. The reason is too_large when
// content and error were, and are replaced by an error with that message, or when the
// worker has found that out itself.
func (r *Reply) Fit(enc wire.Encoding) Reason {
	var size int
	var ok bool
	if r.Content, size, ok = fit(r.Content, enc, 0); ok {
		r.Error, size, ok = fit(r.Error, enc, size)
	}
	switch {
	case ok && r.Overflow && r.State == StateError:
		return ReasonTooLarge
	case ok:
		return ""
	}
	text := fmt.Sprintf("content and error have %d bytes together; at most %d are kept", size, MaxReplyBytes)
	*r = Reply{State: StateError, Error: wire.Text(enc, text), WorkerID: r.WorkerID, Overflow: r.State == StateOK || r.Overflow}
	return ReasonTooLarge
}

// growth is how much longer a value can become when it is transcoded: a control
// character is one byte in MessagePack and six in JSON.
const growth = 6

// fit adds the size of v in enc to size and reports whether that is still allowed. It
// returns v transcoded when measuring it took that.
func fit(v wire.Value, enc wire.Encoding, size int) (wire.Value, int, bool) {
	n := len(v.Raw())
	if v.Encoding() != enc && size+n*growth > MaxReplyBytes {
		if n > MaxReplyBytes*growth {
			return v, size + n, false
		}
		v = v.In(enc)
		n = len(v.Raw())
	}
	return v, size + n, size+n <= MaxReplyBytes
}

func readReply(header map[string][]string, body []byte, enc wire.Encoding) Reply {
	if len(header) > 0 {
		if state := headerValue(header, HeaderState); state != "" {
			return Reply{State: State(state), Content: content(header, body, enc)}
		}
		description, code := headerValue(header, HeaderServiceError), headerValue(header, HeaderServiceErrorCode)
		if description != "" || code != "" {
			if description == "" {
				description = code
			}
			description = strings.ToValidUTF8(description, "\uFFFD")
			return Reply{State: StateError, Error: wire.Text(enc, description), Content: content(header, body, enc)}
		}
	}
	whole := content(header, body, enc)
	if kind := whole.Kind(); !utf8.Valid(body) && (kind == wire.KindBinary || kind == wire.KindText) {
		if r, is := notUTF8Reply(body, whole); is {
			return r
		}
	}
	return replyOf(whole)
}

// notUTF8Reply reads a body that would be a map if its texts were UTF-8. Its state counts,
// because an error would be ok otherwise, and the content is the whole body in bytes, because a
// text of it would be another one.
func notUTF8Reply(body []byte, whole wire.Value) (Reply, bool) {
	v, err := wire.ScanRepaired(body, wire.Limits{Items: len(body), Depth: replyDepth})
	if err != nil || v.Kind() != wire.KindMap {
		return Reply{}, false
	}
	r := replyOf(v)
	r.Content = whole
	return r, r.Stream == ""
}

// replyOf reads a body that no header explains.
func replyOf(v wire.Value) Reply {
	if v.Kind() != wire.KindMap {
		return Reply{State: StateOK, Content: v}
	}
	given := v.Field("state")
	if given.Kind() == wire.KindAbsent || given.Kind() == wire.KindNull {
		if stream, ok := confirmedBy(v); ok {
			return Reply{Stream: stream}
		}
		r := Reply{State: StateOK, Content: v}
		if e := v.Field("error"); !isEmpty(e) {
			r.State, r.Error = StateError, e
		}
		return r
	}
	return statedReply(v, given)
}

// confirmedBy reads the confirmation of a publication (nats-server, JSPubAckResponse): the
// name of the stream. A map that has other members is a worker's answer.
func confirmedBy(v wire.Value) (stream string, ok bool) {
	if v.Encoding() != wire.JSON {
		return "", false
	}
	if stream, ok = v.Field("stream").Text(); !ok || stream == "" || len(stream) > maxStreamName {
		return "", false
	}
	if _, ok = v.Field("seq").Uint(); !ok {
		return "", false
	}
	for name := range v.Map() {
		switch name {
		case "stream", "seq", "domain", "duplicate", "val", "batch", "count", "error", "type":
		default:
			return "", false
		}
	}
	return stream, true
}

// maxStreamName is as nats-server has it (JSMaxNameLen).
const maxStreamName = 255

func headerValue(header map[string][]string, name string) string {
	if values := header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// statedReply reads a map that names its state.
func statedReply(v, given wire.Value) Reply {
	var r Reply
	if state, ok := given.Text(); ok {
		r.State = State(state)
	} else {
		r.State = State(shorten(given.String())) // no text: no word that we know
	}
	for name, value := range v.Map() {
		if value.Kind() == wire.KindNull {
			continue
		}
		switch name {
		case "content":
			r.Content = value
		case "error":
			r.Error = value
		case "worker_id":
			id, ok := value.Text()
			if value.Kind() == wire.KindInt { // as everywhere
				id, ok = value.String(), true
			}
			if ok && CheckID(id) == nil {
				r.WorkerID = id
			}
		case "extend":
			r.Extend = seconds(value)
		case "delay":
			r.Delay = seconds(value)
		case "progress":
			if p, ok := value.Float(); ok && p >= 0 && p <= 100 {
				r.Progress = &p
			}
		case "callback":
			r.Callback = boolean(value)
		case "retry":
			r.Retry = boolean(value)
		case "unsure":
			r.Unsure, _ = value.Bool()
		case "overflow":
			r.Overflow, _ = value.Bool()
		}
	}
	return r
}

// boolean reads a word that may be left out.
func boolean(v wire.Value) *bool {
	is, ok := v.Bool()
	if !ok {
		return nil
	}
	return &is
}

// seconds reads a span that is not negative; one beyond all reason is cut.
func seconds(v wire.Value) *Seconds {
	f, ok := v.Float()
	if !ok || f < 0 {
		return nil
	}
	s := Seconds(math.Min(f, float64(maxSpan)))
	return &s
}

// isEmpty reports whether the value of `error` means no error.
func isEmpty(v wire.Value) bool {
	switch v.Kind() {
	case wire.KindAbsent, wire.KindNull:
		return true
	case wire.KindText:
		s, _ := v.Text()
		return s == ""
	case wire.KindList, wire.KindMap:
		return v.Len() == 0
	case wire.KindBinary:
		b, _ := v.Binary()
		return len(b) == 0
	case wire.KindBool:
		b, _ := v.Bool()
		return !b
	case wire.KindTime:
		return false
	default:
		f, _ := v.Float()
		return f == 0
	}
}

// content reads a body whole: a decoded value, else a text, else bytes.
func content(header map[string][]string, body []byte, enc wire.Encoding) wire.Value {
	if len(body) == 0 {
		return wire.Value{}
	}
	limits := wire.Limits{Items: len(body), Depth: replyDepth}
	isText := utf8.Valid(body)
	named := headerValue(header, HeaderContentType)
	if wire.Detect(body) == wire.JSON || strings.HasPrefix(named, wire.JSON.ContentType()) {
		if v, err := wire.ScanAs(wire.JSON, body, limits); err == nil {
			return v
		}
	} else if v, err := wire.Scan(body, limits); err == nil {
		// A short text may be MessagePack by accident: "5" is the number 53.
		kind := v.Kind()
		if kind == wire.KindMap || kind == wire.KindList || !isText ||
			strings.HasPrefix(named, wire.MsgPack.ContentType()) {
			return v
		}
	}
	if isText {
		return wire.Text(enc, string(body))
	}
	return wire.Binary(enc, body)
}
