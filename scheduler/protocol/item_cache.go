package protocol

import (
	"iter"
	"math"
)

// An ItemID identifies an item of an inbox: number N of the queue K with the incarnation.
type ItemID[K comparable] struct {
	Queue       K
	Incarnation uint64
	N           int64
}

// A Value is the value of an item.
type Value interface {
	// Size is its size in memory, in bytes; 0: it is not there. Only the zero Value has none.
	Size() int
}

// An ItemCache is the item cache of a partition: each item of its inboxes is in memory, or has its
// sequence in their stream. The record of a queue alone decides which items wait, not the stream,
// and the cache follows it: items taken off are to be swept from the stream, and no item in the
// cache is swept.
//
// An item takes the size of V and of a sequence on it.
type ItemCache[K comparable, V Value] struct {
	stays  func(seq uint64, size int, held int64) bool
	queues map[K]*cachedQueue[V]
	held   int64 // bytes of the values in memory that are stored, too
	// The garbage: the number of items, and by queue the highest sequence of one that has left.
	waste int
	left  map[K]uint64
}

// cachedQueue are the items of one inbox, the first of which has the number first.
type cachedQueue[V Value] struct {
	incarnation uint64
	first       int64
	list        []cachedItem[V]
}

// cachedItem is one item; seq is 0 until it is stored, or until a leader that took over has seen
// where.
type cachedItem[V Value] struct {
	seq   uint64
	value V
}

// NewItemCache returns an empty one. Stays decides whether a value that is stored as seq, and has a
// size, stays in memory where held bytes of others are; other values are read back on delivery.
func NewItemCache[K comparable, V Value](stays func(seq uint64, size int, held int64) bool) *ItemCache[K, V] {
	return &ItemCache[K, V]{stays: stays, queues: map[K]*cachedQueue[V]{}, left: map[K]uint64{}}
}

// Held is the number of bytes of stored values in memory.
func (s *ItemCache[K, V]) Held() int64 { return s.held }

// Waste is about the number of stored items that may be swept.
func (s *ItemCache[K, V]) Waste() int { return s.waste }

// at returns an item, nil when it is not in the cache.
func (s *ItemCache[K, V]) at(id ItemID[K]) *cachedItem[V] {
	q := s.queues[id.Queue]
	if q == nil || q.incarnation != id.Incarnation || id.N < q.first || id.N >= q.first+int64(len(q.list)) {
		return nil
	}
	return &q.list[id.N-q.first]
}

// At returns the sequence of an item, 0 if it is unknown, and its value, if it is in memory; false:
// it is not in the cache.
func (s *ItemCache[K, V]) At(id ItemID[K]) (seq uint64, value V, ok bool) {
	if item := s.at(id); item != nil {
		return item.seq, item.value, true
	}
	return 0, value, false
}

// set records the sequence of an item, and its value as far as it is in memory.
func (s *ItemCache[K, V]) set(item *cachedItem[V], seq uint64, value V) {
	if item.seq != 0 {
		s.held -= int64(item.value.Size())
	}
	item.seq, item.value = seq, value
	if seq != 0 {
		s.held += int64(value.Size())
	}
}

// Adopt takes over an inbox of earlier leaders, with the items from first to next. Their sequences
// become known when they are read.
func (s *ItemCache[K, V]) Adopt(queue K, incarnation uint64, first, next int64) {
	s.queues[queue] = &cachedQueue[V]{incarnation: incarnation, first: first, list: make([]cachedItem[V], next-first)}
}

// Put takes an item that is to be stored. It is the next one of its queue, or one that was adopted;
// one of an older queue is left out.
func (s *ItemCache[K, V]) Put(id ItemID[K], value V) {
	q := s.queues[id.Queue]
	if q != nil && q.incarnation < id.Incarnation { // the older queue is over
		s.Drop(id.Queue, q.incarnation, math.MaxInt64)
		q = nil
	}
	if q == nil {
		q = &cachedQueue[V]{incarnation: id.Incarnation, first: id.N}
		s.queues[id.Queue] = q
	}
	if item := s.at(id); item != nil { // of an earlier leader
		s.set(item, item.seq, value)
		return
	}
	if q.incarnation == id.Incarnation && id.N == q.first+int64(len(q.list)) {
		q.list = append(q.list, cachedItem[V]{value: value})
	}
}

// Stored records the sequence at which an item was stored. Its value leaves memory unless it may
// stay.
func (s *ItemCache[K, V]) Stored(id ItemID[K], seq uint64) {
	item := s.at(id)
	if item == nil {
		s.wasted(id.Queue, seq) // it was completed before it was stored
		return
	}
	var none V
	value := item.value
	s.set(item, 0, none)
	if s.stays(seq, value.Size(), s.held) {
		none = value
	}
	s.set(item, seq, none)
}

// Found records the sequence at which an item was seen, and its value, which is kept if it may
// stay, because the reader of one batch wants the next. False: it is not in the cache.
func (s *ItemCache[K, V]) Found(id ItemID[K], seq uint64, value V) bool {
	item := s.at(id)
	if item == nil {
		return false
	}
	is := item.value
	if size := value.Size(); is.Size() == 0 && size > 0 && s.stays(seq, size, s.held) {
		is = value
	}
	s.set(item, seq, is)
	return true
}

// Survey records where an item is, or that it has left.
func (s *ItemCache[K, V]) Survey(id ItemID[K], seq uint64) {
	var none V
	if !s.Found(id, seq, none) {
		s.wasted(id.Queue, seq)
	}
}

// Drop takes items that have left an inbox, those before a number, out of the cache; math.MaxInt64:
// all of them, and the queue is over.
func (s *ItemCache[K, V]) Drop(queue K, incarnation uint64, before int64) {
	q := s.queues[queue]
	if q == nil || q.incarnation != incarnation {
		return
	}
	n := min(max(before-q.first, 0), int64(len(q.list)))
	for i := range q.list[:n] {
		if item := &q.list[i]; item.seq != 0 {
			s.held -= int64(item.value.Size())
			s.wasted(queue, item.seq)
		}
	}
	clear(q.list[:n])
	q.list, q.first = q.list[n:], q.first+n
	if before == math.MaxInt64 {
		delete(s.queues, queue)
	}
}

// wasted counts an item that has left.
func (s *ItemCache[K, V]) wasted(queue K, seq uint64) {
	s.waste++
	s.left[queue] = max(s.left[queue], seq)
}

// Sweep returns the sequence below which no item waits, and forgets the garbage there; false when
// there is nothing to sweep. Unstored items come at next or behind it. One purge of all below the
// first waiting item removes most, because items are mostly completed in about the order in which
// they came.
func (s *ItemCache[K, V]) Sweep(next uint64) (below uint64, ok bool) {
	if s.waste == 0 {
		return 0, false
	}
	below = next
	for _, q := range s.queues {
		below = min(below, q.firstStored())
	}
	s.waste = 0
	for queue, upTo := range s.left {
		if upTo < below {
			delete(s.left, queue)
		} else {
			s.waste++
		}
	}
	return below, true
}

// firstStored is the sequence of the first item, as far as it is known.
func (q *cachedQueue[V]) firstStored() uint64 {
	if q == nil || len(q.list) == 0 || q.list[0].seq == 0 {
		return math.MaxUint64
	}
	return q.list[0].seq
}

// Late are the queues with garbage at or behind the sequence of the last Sweep, each with the
// sequence up to which it may be swept by itself: below its first waiting item, if it has items
// again. The order is none.
func (s *ItemCache[K, V]) Late() iter.Seq2[K, uint64] {
	return func(yield func(K, uint64) bool) {
		for queue, upTo := range s.left {
			if !yield(queue, min(upTo, s.queues[queue].firstStored()-1)) {
				return
			}
		}
	}
}

// Swept forgets a queue all of whose garbage is removed up to a sequence.
func (s *ItemCache[K, V]) Swept(queue K, upTo uint64) {
	if s.left[queue] <= upTo {
		delete(s.left, queue)
	}
}
