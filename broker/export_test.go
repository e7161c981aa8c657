package broker

// The bytes that are frozen, for their golden files.

func AppendEnvelope(a Append) []byte {
	out, _ := appendEnvelope(nil, nil, &a)
	return out
}

func EncodeFence(f FenceRecord) []byte { return f.encode() }

// NoRoom is why a stream is not made, told from other reasons.
var NoRoom = noRoom

// ParseAck is what a stream's answer to a publication says.
var ParseAck = parseAck
