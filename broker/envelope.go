package broker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Append is one message of a journal.
type Append struct {
	Seq      uint64    // its sequence in the stream
	Time     time.Time // when the server stored it
	Epoch    int64     // of the leader that wrote it
	Holder   string    // that leader's random id
	Number   uint64    // counts the appends of one appender; its take-over record is 0
	Takeover bool      // a take-over record, by which an appender was seized; Body is empty
	// Published is the last append all of whose effects its writer had performed when it wrote
	// this one; 0: unknown. It travels in a header of the message, which older releases
	// ignore.
	Published uint64
	// Checksum identifies the plans that there are behind this append; empty: unknown. It travels
	// like Published.
	Checksum string
	Body     []byte // the argument of Pen.Append; valid until the callback returns
}

// by is who signed it.
func (a Append) by() protocol.Writer { return protocol.Writer{Holder: a.Holder, Epoch: a.Epoch} }

// The envelope of an append is one MessagePack map of six pairs in this order,
//
//	v: 1, epoch: int64, holder: str, number: uint64, takeover: bool, body: bin
//
// in exactly the widths below, for all values: the bytes are frozen, because journals
// outlive releases, and a golden file keeps them so. With v 2 the body is an S2 block (a
// Snappy block is one, too): rows repeat their member names and values of their neighbours,
// so that a full append has a seventh of the bytes to send, replicate, sync and read back.
// Another layout gets another v.
const (
	envelopeVersion = 1
	packedVersion   = 2
	maxHolder       = 64 // bytes of a holder's name

	// packedFrom is the size in bytes from which a body is compressed. Shorter ones gain
	// little, and stay readable for people.
	packedFrom = 1 << 10
	// maxBody bounds a decompressed body: the largest max_payload of a server.
	maxBody = 64 << 20
)

var (
	envelopeStart    = []byte("\x86\xa1v")
	envelopeEpoch    = []byte("\xa5epoch\xd3")
	envelopeHolder   = []byte("\xa6holder\xd9")
	envelopeNumber   = []byte("\xa6number\xcf")
	envelopeTakeover = []byte("\xa8takeover")
	envelopeBody     = []byte("\xa4body\xc6")
)

// envelopeSize bounds the bytes that an envelope adds to its body.
const envelopeSize = 3 + 1 + 7 + 8 + 8 + 1 + maxHolder + 8 + 8 + 9 + 1 + 6 + 4

var errEnvelope = errors.New("not an append")

// appendEnvelope writes a's envelope and body behind dst, compressed if that is shorter.
// Scratch is a buffer to compress into, returned for the next call.
func appendEnvelope(dst, scratch []byte, a *Append) (out, room []byte) {
	version, body := byte(envelopeVersion), a.Body
	if len(body) >= packedFrom {
		scratch = s2.Encode(scratch[:cap(scratch)], body)
		if len(scratch) < len(body) {
			version, body = packedVersion, scratch
		}
	}
	dst = append(dst, envelopeStart...)
	dst = append(dst, version)
	dst = append(dst, envelopeEpoch...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(a.Epoch))
	dst = append(dst, envelopeHolder...)
	dst = append(dst, byte(len(a.Holder)))
	dst = append(dst, a.Holder...)
	dst = append(dst, envelopeNumber...)
	dst = binary.BigEndian.AppendUint64(dst, a.Number)
	dst = append(dst, envelopeTakeover...)
	if a.Takeover {
		dst = append(dst, 0xc3)
	} else {
		dst = append(dst, 0xc2)
	}
	dst = append(dst, envelopeBody...)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
	return append(dst, body...), scratch
}

// DecodeAppend decodes the data of a journal's message, as Follow does; Seq and Time stay
// zero, and Body may be a part of data. ErrNewer means a layout of a later release, any
// other error a message that is no append at all.
func DecodeAppend(data []byte) (Append, error) {
	head := len(envelopeStart)
	if len(data) <= head || !bytes.HasPrefix(data, envelopeStart) {
		return Append{}, errEnvelope
	}
	version := data[head]
	if version != envelopeVersion && version != packedVersion {
		return Append{}, fmt.Errorf("append of version %d: %w", version, ErrNewer)
	}
	if _, err := wire.ScanAs(wire.MsgPack, data, wire.Limits{}); err != nil {
		return Append{}, errEnvelope // among which are lengths that promise more than there is
	}
	d := newEnvelope(data[head+1:])
	a := Append{
		Epoch: field(d, "epoch", d.DecodeInt64), Holder: field(d, "holder", d.DecodeString),
		Number: field(d, "number", d.DecodeUint64), Takeover: field(d, "takeover", d.DecodeBool),
	}
	size := field(d, "body", d.DecodeBytesLen)
	if d.bad || size != d.rest.Len() || a.Epoch <= 0 || a.Holder == "" || len(a.Holder) > maxHolder {
		return Append{}, errEnvelope
	}
	if a.Body = data[len(data)-size : len(data) : len(data)]; version == packedVersion {
		a.Body, d.bad = unpack(a.Body)
	}
	if d.bad {
		return Append{}, errEnvelope
	}
	return a, nil
}

// An envelope is read by the library, from behind its version on. After the first mismatch it is
// bad.
type envelope struct {
	*msgpack.Decoder
	rest *bytes.Reader
	bad  bool
}

func newEnvelope(data []byte) *envelope {
	d := &envelope{rest: bytes.NewReader(data)}
	d.Decoder = msgpack.NewDecoder(d.rest)
	return d
}

// field reads the next key, which must be this one, and its value.
func field[T any](d *envelope, name string, decode func() (T, error)) (value T) {
	key, err := d.DecodeString()
	if d.bad = d.bad || err != nil || key != name; d.bad {
		return value
	}
	value, err = decode()
	d.bad = err != nil
	return value
}

// unpack returns the content of an S2 block, and whether it is no such block.
func unpack(block []byte) (body []byte, bad bool) {
	if size, err := s2.DecodedLen(block); err != nil || size > maxBody {
		return nil, true
	}
	body, err := s2.Decode(nil, block)
	return body, err != nil
}
