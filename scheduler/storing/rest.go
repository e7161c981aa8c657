package storing

import "time"

// A rest is how long who writes behind the journal leaves the disk to appends after a
// batch. While nats-server stages, stores and deletes one, appends take several times as
// long, and what is due waits for two of them. On a disk that takes a millisecond to delete
// a file (ext4 mounted with discard), a batch of however many messages holds up appends for
// ten.
type rest struct {
	times time.Duration // as long as the batch took
	most  time.Duration
}

var (
	// Who reads the stream of results sees them that much later. Nobody else waits: they are
	// told before, and a leader that is asked for them stores them at once.
	laneRest = rest{times: 20, most: 250 * time.Millisecond}
	// Rows can wait: the journal has them.
	tableRest = rest{times: 100, most: 2 * time.Second}
)

// after returns how long to rest after a batch that took so long.
func (r rest) after(took time.Duration) time.Duration { return min(r.times*took, r.most) }
