package broker

// The bytes that are frozen, for their golden files.

func AppendEnvelope(a Append) []byte { return appendEnvelope(nil, &a) }

func EncodeFence(f FenceRecord) []byte { return f.encode() }
