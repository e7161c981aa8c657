package event

import (
	"encoding/binary"

	"github.com/dchest/siphash"
)

// A Digest identifies a definition by its size and keyed hash.
type Digest struct {
	Key  [16]byte
	Size int
	Hash uint64
}

// Of reports that raw is the definition of the digest.
func (f Digest) Of(raw []byte) bool { return len(raw) == f.Size && f.Hash == HashOf(&f.Key, raw) }

// HashOf returns the SipHash of a definition under a key.
func HashOf(key *[16]byte, raw []byte) uint64 {
	return siphash.Hash(binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:]), raw)
}
