package broker

import (
	"encoding/json"
	"fmt"
	"time"
)

// A Mark is how far a journal has been taken: all appends before Seq, and of Seq the first
// Row rows. (The results of one append may span batches.)
type Mark struct {
	Seq uint64 `json:"seq"`
	Row uint32 `json:"row"`
}

// through is the highest sequence of which anything was taken.
func (m Mark) through() uint64 {
	if m.Row > 0 || m.Seq == 0 {
		return m.Seq
	}
	return m.Seq - 1
}

// From is the argument for Journal.Replay and Follow that makes them begin with the append
// at Seq.
func (m Mark) From() uint64 { return max(m.Seq, 1) - 1 }

// Compare is negative when m is before o, zero when they are equal, else positive.
func (m Mark) Compare(o Mark) int {
	switch {
	case m.Seq < o.Seq, m.Seq == o.Seq && m.Row < o.Row:
		return -1
	case m == o:
		return 0
	}
	return 1
}

// A FenceRecord is the content of a stream's fence: the writer of the last batch, and how
// far the journal has been taken with it. It is stored as JSON, because people read it.
type FenceRecord struct {
	Epoch          int64     `json:"epoch"`
	Holder         string    `json:"holder"`
	Number         uint64    `json:"number"` // of the batch, from 0 in each epoch
	JournalCreated time.Time `json:"journal_created"`
	UpTo           Mark      `json:"up_to"`
	Behind         int       `json:"behind,omitempty"` // messages of the same batch, which follow it
	After          uint64    `json:"after,omitempty"`  // the last sequence of the stream that was used before it
	// Each is how many messages behind UpTo may be stored already, because releases before
	// docs/adr/0023 wrote some one by one without moving the fence. They are behind the
	// sequence Since, or behind the fence itself when that is 0.
	Each  int    `json:"each,omitempty"`
	Since uint64 `json:"since,omitempty"`
}

func (f FenceRecord) sameWrite(o FenceRecord) bool {
	return f.Epoch == o.Epoch && f.Holder == o.Holder && f.Number == o.Number
}

func (f FenceRecord) encode() []byte {
	f.JournalCreated = f.JournalCreated.UTC()
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // cannot happen: numbers, a string and a time of our own
	}
	return data
}

func decodeFence(data []byte) (FenceRecord, error) {
	var f FenceRecord
	if err := json.Unmarshal(data, &f); err != nil {
		return FenceRecord{}, err
	}
	if f.Epoch <= 0 || f.Holder == "" {
		return FenceRecord{}, fmt.Errorf("no epoch or holder in %q", data)
	}
	return f, nil
}
