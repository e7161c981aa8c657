package listener

import (
	"container/heap"
	"container/list"
	"net/netip"
)

// A queue has connections that may be closed for others. The next of them is of the address
// that has the most, so that one that opens many takes from itself.
type queue struct {
	shares map[netip.Prefix]*share
	order  shares
	came   uint64 // how many have
}

// A share is the connections of one address in a queue, in the order in which they came.
type share struct {
	of    netip.Prefix
	conns list.List // of *Conn
	index int       // in the order of shares
}

// A place is where a connection stands in its queue.
type place struct {
	at     *list.Element
	number uint64
}

func (q *queue) add(c *Conn) {
	s := q.shares[c.share]
	if s == nil {
		if q.shares == nil {
			q.shares = map[netip.Prefix]*share{}
		}
		s = &share{of: c.share}
		q.shares[c.share] = s
	}
	q.came++
	c.place = place{s.conns.PushBack(c), q.came}
	if s.conns.Len() == 1 {
		heap.Push(&q.order, s)
	} else {
		heap.Fix(&q.order, s.index)
	}
}

func (q *queue) remove(c *Conn) {
	s := q.shares[c.share]
	if s.conns.Len() == 1 { // before it is removed, because its first connection has its place in the order
		heap.Remove(&q.order, s.index)
		delete(q.shares, s.of)
		return
	}
	s.conns.Remove(c.place.at)
	heap.Fix(&q.order, s.index)
}

// next is the one to be closed; nil: there is none.
func (q *queue) next() *Conn {
	if len(q.order) == 0 {
		return nil
	}
	return q.order[0].first()
}

func (s *share) first() *Conn { return s.conns.Front().Value.(*Conn) }

// shares are a heap: first the one with the most connections, then the one whose first
// has waited for the longest.
type shares []*share

func (h shares) Len() int { return len(h) }
func (h shares) Less(i, j int) bool {
	if a, b := h[i].conns.Len(), h[j].conns.Len(); a != b {
		return a > b
	}
	return h[i].first().place.number < h[j].first().place.number
}

func (h shares) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *shares) Push(x any) {
	s := x.(*share)
	s.index = len(*h)
	*h = append(*h, s)
}

func (h *shares) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return s
}
