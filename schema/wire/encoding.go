package wire

import (
	"bytes"
	"errors"
	"fmt"
)

// Encoding is how a value is laid out in bytes.
type Encoding uint8

const (
	JSON    Encoding = iota // RFC 8259
	MsgPack                 // MessagePack, with the timestamp extension
)

// String returns "json" or "msgpack", the words of a station's `encoding`.
func (e Encoding) String() string {
	if e == MsgPack {
		return "msgpack"
	}
	return "json"
}

// ContentType returns the value of the Content-Type header.
func (e Encoding) ContentType() string {
	if e == MsgPack {
		return "application/msgpack"
	}
	return "application/json"
}

// ParseEncoding is the inverse of [Encoding.String].
func ParseEncoding(word string) (Encoding, bool) {
	switch word {
	case "json":
		return JSON, true
	case "msgpack":
		return MsgPack, true
	default:
		return 0, false
	}
}

// Detect returns the encoding of a request by its first byte after white space: { or [ is
// JSON, all else MessagePack.
func Detect(body []byte) Encoding {
	if i := skipSpace(body, 0); i < len(body) && (body[i] == '{' || body[i] == '[') {
		return JSON
	}
	return MsgPack
}

// Limits bound the bodies that a scan accepts. The zero Limits are those of a plan, but
// for its size.
type Limits struct {
	// Bytes is the size of the whole body. 0 means no limit.
	Bytes int
	// Depth is how deep lists and maps may nest. 0 means 32; more than 1,000 are
	// never allowed.
	Depth int
	// Items counts the elements of all lists and maps. 0 means 10,000.
	Items int
}

const (
	defaultDepth = 32
	defaultItems = 10_000
	maxDepth     = 1000 // keeps the recursion of every walk small
)

// ErrTooLarge is the error of a body above [Limits].Bytes.
var ErrTooLarge = errors.New("too large")

// A SyntaxError is the reason why bytes are not a value. Offset counts from the first byte
// of the body.
type SyntaxError struct {
	Enc    Encoding // the encoding that the bytes were read as
	Offset int      // in bytes
	Reason string   // for users, in words
}

// Error names the encoding, the reason and the offset.
func (e *SyntaxError) Error() string {
	name := "JSON"
	if e.Enc == MsgPack {
		name = "MessagePack"
	}
	return fmt.Sprintf("byte %d of the %s: %s", e.Offset, name, e.Reason)
}

// Scan checks that body is one value in the encoding that [Detect] finds, white
// space around it allowed. The Value shares the bytes of body, which must not
// change any more. The error is a *[SyntaxError] or wraps [ErrTooLarge].
func Scan(body []byte, lim Limits) (Value, error) {
	enc := Detect(body)
	if enc == JSON {
		return ScanAs(JSON, body, lim)
	}
	// White space bytes are small integers in MessagePack. Leading ones can be skipped,
	// because they are a value only when nothing follows them.
	if start := skipSpace(body, 0); start < len(body) {
		body = body[start:]
	}
	return ScanAs(MsgPack, body, lim)
}

// ScanAs is [Scan] for a body whose encoding is known. JSON may then be any
// value, not only a list or a map.
func ScanAs(enc Encoding, body []byte, lim Limits) (Value, error) {
	return scanAs(enc, body, lim, false)
}

// ScanRepaired is [Scan] of a copy of body in which a question mark is in the place of each byte of
// a text that is not UTF-8, so that a user is shown the intended body.
func ScanRepaired(body []byte, lim Limits) (Value, error) {
	return scanAs(Detect(body), bytes.Clone(body), lim, true)
}

func scanAs(enc Encoding, body []byte, lim Limits, repair bool) (Value, error) {
	if lim.Bytes > 0 && len(body) > lim.Bytes {
		return Value{}, fmt.Errorf("%w: %d bytes, and at most %d are taken", ErrTooLarge, len(body), lim.Bytes)
	}
	s := scanners.Get().(*scanner)
	defer s.end()
	s.begin(body, lim)
	s.repair = repair
	start, end := 0, 0
	if enc == JSON {
		start = skipSpace(body, 0)
		end = s.json(start, s.limits.Depth)
	} else {
		end = s.msgpack(0, s.limits.Depth)
	}
	if end < 0 {
		return Value{}, &SyntaxError{Enc: enc, Offset: s.at, Reason: s.reason}
	}
	rest := end
	if enc == JSON {
		rest = skipSpace(body, end)
	}
	if rest != len(body) {
		return Value{}, &SyntaxError{Enc: enc, Offset: rest, Reason: "bytes after the end of the value"}
	}
	return Value{raw: body[start:end:end], enc: enc}, nil
}
