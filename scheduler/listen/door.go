package listen

import (
	"hash/maphash"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

const (
	// knownReplies is how many reply subjects a door remembers; a power of two.
	knownReplies = 1 << 19
	// strangersPerSecond and strangersAtOnce bound the replies that the machine
	// looks at although the door does not know where they were asked for. They
	// cost little, and some are honest: words about plans that went long ago, and
	// about executions that the door forgot.
	strangersPerSecond = 20_000
	strangersAtOnce    = 20_000
	// turnedAwayEvery is how often a flood is told.
	turnedAwayEvery = time.Minute
)

// A door tells replies that were asked for from junk before anything is parsed or
// waits in a queue, so that who floods the reply subjects cannot crowd out those who
// work. It remembers the subjects that went out with executions: a subject that it
// knows holds the right nonce. That saves time and decides nothing: the machine is
// the judge of every reply that comes in.
type door struct {
	seed      maphash.Seed
	known     []atomic.Uint64 // hashes of subjects; a newer one takes the place of an older
	strangers *rate.Limiter

	refused    func() // called when it turns a message away
	log        *slog.Logger
	logging    rate.Sometimes
	turnedAway atomic.Uint64
}

func newDoor(log *slog.Logger, refused func()) *door {
	return &door{
		seed:      maphash.MakeSeed(),
		known:     make([]atomic.Uint64, knownReplies),
		strangers: rate.NewLimiter(strangersPerSecond, strangersAtOnce),
		refused:   refused,
		log:       log,
		logging:   rate.Sometimes{Interval: turnedAwayEvery},
	}
}

// expect notes that a reply may come on subject.
func (d *door) expect(subject string) {
	h := maphash.String(d.seed, subject)
	d.known[h%knownReplies].Store(h)
}

// admits reports whether a message on subject is worth a look, which holds so many
// replies at most.
func (d *door) admits(subject string, replies int) bool {
	h := maphash.String(d.seed, subject)
	if d.known[h%knownReplies].Load() == h || d.strangers.AllowN(time.Now(), replies) {
		return true
	}
	d.turnedAway.Add(1)
	d.refused()
	d.logging.Do(func() {
		d.log.Warn("replies that nobody asked for are thrown away: a client floods the reply subjects; "+
			"give clients permissions, see deploy/README.md", "subject", subject, "so_far", d.turnedAway.Load())
	})
	return false
}
