package listen

import (
	"hash/maphash"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

const (
	// knownReplies is how many reply subjects a filter remembers; a power of two.
	knownReplies = 1 << 19
	// strangersPerSecond and strangersAtOnce bound the replies that go to the machine although
	// the filter does not know their subjects. They cost little, and some are honest: replies
	// about plans that are long gone, and about executions that the filter forgot.
	strangersPerSecond = 20_000
	strangersAtOnce    = 20_000
	// floodLogEvery is how often a flood is logged.
	floodLogEvery = time.Minute
)

// A replyFilter separates replies to executions from junk before they are parsed or queued, so
// that a flood of the reply subjects does not crowd out workers. It remembers the reply
// subjects of executions; a known subject has the right nonce. That saves time and decides
// nothing, because the machine judges every reply that comes in.
type replyFilter struct {
	seed      maphash.Seed
	known     []atomic.Uint64 // hashes of subjects; a newer one takes the place of an older
	strangers *rate.Limiter

	refused  func() // called when it drops a message
	log      *slog.Logger
	logging  rate.Sometimes
	rejected atomic.Uint64
}

func newReplyFilter(log *slog.Logger, refused func()) *replyFilter {
	return &replyFilter{
		seed:      maphash.MakeSeed(),
		known:     make([]atomic.Uint64, knownReplies),
		strangers: rate.NewLimiter(strangersPerSecond, strangersAtOnce),
		refused:   refused,
		log:       log,
		logging:   rate.Sometimes{Interval: floodLogEvery},
	}
}

// expect notes that a reply may come on subject.
func (d *replyFilter) expect(subject string) {
	h := maphash.String(d.seed, subject)
	d.known[h%knownReplies].Store(h)
}

// admits reports whether a message on subject, which holds so many replies at most, is to be
// parsed.
func (d *replyFilter) admits(subject string, replies int) bool {
	h := maphash.String(d.seed, subject)
	if d.known[h%knownReplies].Load() == h || d.strangers.AllowN(time.Now(), replies) {
		return true
	}
	d.rejected.Add(1)
	d.refused()
	d.logging.Do(func() {
		d.log.Warn("replies to no execution are dropped: a client floods the reply subjects; "+
			"give clients permissions, see deploy/README.md", "subject", subject, "so_far", d.rejected.Load())
	})
	return false
}
