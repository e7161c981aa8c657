package broker

import (
	"context"

	"github.com/nats-io/nats.go"
)

// The bytes that are frozen, for their golden files.

func AppendEnvelope(a Append) []byte {
	out, _ := appendEnvelope(nil, nil, &a)
	return out
}

func EncodeFence(f FenceRecord) []byte { return f.encode() }

// NoRoom is why a stream is not made, told from other reasons.
var NoRoom = noRoom

// PublishEach sends messages one by one, whatever answers them.
func PublishEach(ctx context.Context, s *Store, msgs []*nats.Msg) error {
	l, err := newLine(s)
	if err != nil {
		return err
	}
	defer l.close()
	_, _, err = l.publishEach(ctx, patience, nil, msgs)
	return err
}

// ParseAck is what a stream's answer to a publication says.
var ParseAck = parseAck
