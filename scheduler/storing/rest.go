package storing

import "time"

// A rest is the pause after a batch in which a writer behind the journal leaves the disk to
// appends, because while nats-server stages, stores and deletes a batch, appends take several times
// as long, and due work waits for two of them. On a disk that takes a millisecond to delete a file
// (ext4 mounted with discard), a batch of however many messages holds up appends for ten.
type rest struct {
	times time.Duration // of the batch's duration
	most  time.Duration
}

var (
	// Readers of the stream of results see them that much later. No other waits, because results
	// are broadcast before, and a leader that is asked for them stores them at once.
	writerPause = rest{times: 20, most: 250 * time.Millisecond}
	// Rows can wait, because the journal has them.
	tableRest = rest{times: 100, most: 2 * time.Second}
)

// after returns the rest after a batch that took so long.
func (r rest) after(took time.Duration) time.Duration { return min(r.times*took, r.most) }
