package broker

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A FenceRecord is the content of a stream's fence: the writer of the last batch, and how
// far the journal has been taken with it. It is stored as JSON, because people read it.
type FenceRecord struct {
	Epoch          int64         `json:"epoch"`
	Holder         string        `json:"holder"`
	Number         uint64        `json:"number"` // of the batch, from 0 in each epoch
	JournalCreated time.Time     `json:"journal_created"`
	UpTo           protocol.Mark `json:"up_to"`
	Behind         int           `json:"behind,omitempty"` // messages of the same batch, which follow it
	After          uint64        `json:"after,omitempty"`  // the last sequence of the stream that was used before it
	// Each is how many messages behind UpTo may be stored already, because releases before
	// docs/adr/0023 wrote some one by one without moving the fence. They are behind the
	// sequence Since, or behind the fence itself when that is 0.
	Each  int    `json:"each,omitempty"`
	Since uint64 `json:"since,omitempty"`
}

// signature is that of the last batch.
func (f FenceRecord) signature() protocol.Signature {
	return protocol.Signature{By: protocol.Writer{Holder: f.Holder, Epoch: f.Epoch}, Number: f.Number}
}

func (f FenceRecord) encode() []byte {
	f.JournalCreated = f.JournalCreated.UTC()
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // cannot happen with numbers, a string and a time of our own
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
