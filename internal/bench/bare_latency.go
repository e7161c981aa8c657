package bench

import (
	"math/bits"
	"time"
)

// subBuckets divides each power of two, so that a quantile is at most 1/32 too high.
const (
	subBucketBits = 5
	subBuckets    = 1 << subBucketBits
)

// latencies is a histogram of durations of fixed size, so that adding one allocates
// no memory. The zero value is empty.
type latencies struct {
	counts [(64 - subBucketBits) * subBuckets]int64
	total  int64
}

// add counts d once; a negative one counts as zero.
func (l *latencies) add(d time.Duration) {
	l.counts[bucketOf(uint64(max(d, 0)))]++
	l.total++
}

// merge adds the counts of other.
func (l *latencies) merge(other *latencies) {
	for i, n := range other.counts {
		l.counts[i] += n
	}
	l.total += other.total
}

// quantile returns the duration that a share q, 0 to 1, of those counted do not
// exceed, rounded up to the end of its bucket; 0 when none was counted.
func (l *latencies) quantile(q float64) time.Duration {
	if l.total == 0 {
		return 0
	}
	rank := max(int64(q*float64(l.total)+0.5), 1)
	for i, n := range l.counts {
		if rank -= n; rank <= 0 {
			return time.Duration(bucketEnd(i))
		}
	}
	panic("bench: histogram counts less than its total")
}

// bucketOf is exact below subBuckets; above it keeps the leading bits of v.
func bucketOf(v uint64) int {
	shift := max(bits.Len64(v)-subBucketBits-1, 0)
	return shift<<subBucketBits + int(v>>shift)
}

// bucketEnd is the largest value that falls into bucket i.
func bucketEnd(i int) uint64 {
	if i < 2*subBuckets {
		return uint64(i)
	}
	shift := i>>subBucketBits - 1
	return (uint64(i&(subBuckets-1)|subBuckets)+1)<<shift - 1
}
