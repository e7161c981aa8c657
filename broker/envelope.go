package broker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// An Append is one message of a journal.
type Append struct {
	Seq      uint64    // its sequence in the stream
	Time     time.Time // when the server stored it
	Epoch    int64     // of the leader that wrote it
	Holder   string    // that leader's random id
	Number   uint64    // counts the appends of one pen; its take-over record is 0
	Takeover bool      // a take-over record, by which a pen was seized; Body is empty
	// Said is the last append all of whose effects its writer had performed when it wrote
	// this one; 0: unknown. It travels in a header of the message, which older releases
	// ignore.
	Said uint64
	Body []byte // the argument of Pen.Append; valid until the callback returns
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
	var a Append
	d := decoder{rest: data}
	version := d.byte(envelopeStart)
	switch {
	case d.bad:
		return Append{}, errEnvelope
	case version != envelopeVersion && version != packedVersion:
		return Append{}, fmt.Errorf("append of version %d: %w", version, ErrNewer)
	}
	a.Epoch = int64(d.uint64(envelopeEpoch))
	a.Holder = string(d.bytes(int(d.byte(envelopeHolder))))
	a.Number = d.uint64(envelopeNumber)
	takeover := d.byte(envelopeTakeover)
	a.Takeover = takeover == 0xc3
	d.bad = d.bad || takeover != 0xc2 && takeover != 0xc3
	a.Body = d.bytes(int(d.uint32(envelopeBody)))
	if version == packedVersion {
		a.Body = d.unpack(a.Body)
	}
	if d.bad || len(d.rest) > 0 || a.Epoch <= 0 || a.Holder == "" || len(a.Holder) > maxHolder {
		return Append{}, errEnvelope
	}
	return a, nil
}

// A decoder takes an envelope apart. After the first mismatch it is bad and returns zeros
// only.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) bytes(n int) []byte {
	if d.bad || n < 0 || n > len(d.rest) {
		d.bad = true
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

// after takes n bytes behind prefix.
func (d *decoder) after(prefix []byte, n int) []byte {
	if !bytes.Equal(d.bytes(len(prefix)), prefix) {
		d.bad = true
	}
	return d.bytes(n)
}

func (d *decoder) byte(prefix []byte) byte {
	if b := d.after(prefix, 1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) uint32(prefix []byte) uint32 {
	if b := d.after(prefix, 4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64(prefix []byte) uint64 {
	if b := d.after(prefix, 8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// unpack decompresses an S2 block.
func (d *decoder) unpack(block []byte) []byte {
	if size, err := s2.DecodedLen(block); d.bad || err != nil || size > maxBody {
		d.bad = true
		return nil
	}
	body, err := s2.Decode(nil, block)
	d.bad = err != nil
	return body
}
