package event

import (
	"encoding/binary"

	"github.com/dchest/siphash"
)

// A Print tells a definition from others.
type Digest struct {
	Key  [16]byte
	Size int
	Hash uint64
}

// Of reports that raw is the definition that is meant.
func (f Digest) Of(raw []byte) bool { return len(raw) == f.Size && f.Hash == HashOf(&f.Key, raw) }

func HashOf(key *[16]byte, raw []byte) uint64 {
	return siphash.Hash(binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:]), raw)
}
