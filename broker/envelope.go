package broker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Append is one message of a journal.
type Append struct {
	Seq      uint64    // its sequence in the stream
	Time     time.Time // when the server stored it
	Epoch    int64     // of the leader that wrote it
	Holder   string    // that leader's random id
	Number   uint64    // counts the appends of one pen; its take-over record is 0
	Takeover bool      // a pen was seized here; Body is empty
	// Said is the last append all of whose effects its writer had performed when it wrote this
	// one; 0: it does not say. It is a header of the message, which older releases pass over.
	Said uint64
	Body []byte // what Pen.Append was given; valid until the callback returns
}

// The envelope of an append is one MessagePack map of six pairs in this order,
//
//	v: 1, epoch: int64, holder: str, number: uint64, takeover: bool, body: bin
//
// in exactly the widths below, whatever the values: journals outlive releases, so
// the bytes are frozen, and a golden file keeps them so. With v 2 the body is an S2
// block (a Snappy block is one, too): rows repeat the names of their members and what
// their neighbours say, so a full append has a seventh of the bytes, which are to be
// sent, replicated, synced and read back. Another layout gets another v.
const (
	envelopeVersion = 1
	packedVersion   = 2
	maxHolder       = 64 // bytes of a holder's name

	// packedFrom is from how many bytes on a body is packed. Shorter ones gain little,
	// and can be read by people.
	packedFrom = 1 << 10
	// maxBody bounds what is unpacked: the largest max_payload of a server.
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

// envelopeSize is what an envelope adds to its body at most.
const envelopeSize = 3 + 1 + 7 + 8 + 8 + 1 + maxHolder + 8 + 8 + 9 + 1 + 6 + 4

var errEnvelope = errors.New("not an append")

// appendEnvelope writes a's envelope and body behind dst, packed if that is shorter.
// Scratch is room to pack in, which is returned to be used again.
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

// DecodeAppend reads the data of a journal's message, as Follow does; Seq and Time
// stay zero, and Body may be a part of data. ErrNewer stands for a layout of a later
// release, any other error for a message that is no append at all.
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

// An envelope is read by the library, from behind its version on. After the first surprise
// it is bad.
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

// unpack returns what an S2 block holds, and whether it is none.
func unpack(block []byte) (body []byte, bad bool) {
	if size, err := s2.DecodedLen(block); err != nil || size > maxBody {
		return nil, true
	}
	body, err := s2.Decode(nil, block)
	return body, err != nil
}
