package scheduler

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
	// Somebody may wait for a result.
	laneRest = rest{times: 20, most: 250 * time.Millisecond}
	// Rows can wait: the journal has them.
	tableRest = rest{times: 50, most: time.Second}
)

// after returns until when to rest after a batch that was begun then and is written now.
func (r rest) after(began time.Time) time.Time {
	now := time.Now()
	return now.Add(min(r.times*now.Sub(began), r.most))
}
