package scheduler

import "time"

// restTimes is how many times as long as it wrote who writes behind the journal rests:
// so it has the disk for a twentieth of the time. While nats-server stages, stores and
// deletes an atomic batch, appends take several times as long, and what is due waits for
// two of them. On a disk that takes a millisecond to delete a file (ext4 mounted with
// discard), a batch of however many messages holds up appends for ten.
const restTimes = 20

// restAfter returns until when to rest after a batch that was begun then and is written
// now: at most for that long.
func restAfter(began time.Time, most time.Duration) time.Time {
	now := time.Now()
	return now.Add(min(restTimes*now.Sub(began), most))
}
