package broker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// An Append is one message of a journal.
type Append struct {
	Seq      uint64    // its sequence in the stream
	Time     time.Time // when the server stored it
	Epoch    int64     // of the leader that wrote it
	Holder   string    // that leader's random id
	Number   uint64    // counts the appends of one pen; its take-over record is 0
	Takeover bool      // a pen was seized here; Body is empty
	Body     []byte    // what Pen.Append was given; valid until the callback returns
}

// The envelope of an append is one MessagePack map of six pairs in this order,
//
//	v: 1, epoch: int64, holder: str, number: uint64, takeover: bool, body: bin
//
// in exactly the widths below, whatever the values: journals outlive releases, so
// the bytes are frozen, and a golden file keeps them so. Another layout gets
// another v.
const (
	envelopeVersion = 1
	maxHolder       = 64 // bytes of a holder's name
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

// appendEnvelope writes a's envelope and body behind dst.
func appendEnvelope(dst []byte, a *Append) []byte {
	dst = append(dst, envelopeStart...)
	dst = append(dst, envelopeVersion)
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
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(a.Body)))
	return append(dst, a.Body...)
}

// DecodeAppend reads the data of a journal's message, as Follow does; Seq and Time
// stay zero, and Body is a part of data. ErrNewer stands for a layout of a later
// release, any other error for a message that is no append at all.
func DecodeAppend(data []byte) (Append, error) {
	var a Append
	d := decoder{rest: data}
	if v := d.byte(envelopeStart); d.bad {
		return Append{}, errEnvelope
	} else if v != envelopeVersion {
		return Append{}, fmt.Errorf("append of version %d: %w", v, ErrNewer)
	}
	a.Epoch = int64(d.uint64(envelopeEpoch))
	a.Holder = string(d.bytes(int(d.byte(envelopeHolder))))
	a.Number = d.uint64(envelopeNumber)
	takeover := d.byte(envelopeTakeover)
	a.Takeover = takeover == 0xc3
	d.bad = d.bad || takeover != 0xc2 && takeover != 0xc3
	a.Body = d.bytes(int(d.uint32(envelopeBody)))
	if d.bad || len(d.rest) > 0 || a.Epoch <= 0 || a.Holder == "" || len(a.Holder) > maxHolder {
		return Append{}, errEnvelope
	}
	return a, nil
}

// A decoder takes an envelope apart. After the first surprise it is bad and gives
// zeros only.
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
