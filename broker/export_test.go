package broker

// The frozen bytes, for their golden files.

func AppendEnvelope(a Append) []byte {
	out, _ := appendEnvelope(nil, nil, &a)
	return out
}

func EncodeFence(f FenceRecord) []byte { return f.encode() }

// NoRoom distinguishes lack of storage from other reasons why a stream is not made.
var NoRoom = noRoom

// ParseAck reads a stream's acknowledgement of a publication.
var ParseAck = parseAck
