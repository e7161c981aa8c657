package sim

import (
	"container/heap"
	"time"
)

// queue holds the callbacks of the future, by time, and at one time in the order of their making.
type queue struct {
	events events
	made   uint64
}

type scheduled struct {
	at   time.Time
	made uint64
	f    func()
}

func (q *queue) push(at time.Time, f func()) {
	q.made++
	heap.Push(&q.events, scheduled{at, q.made, f})
}

func (q *queue) pop() (time.Time, func(), bool) {
	if len(q.events) == 0 {
		return time.Time{}, nil, false
	}
	e := heap.Pop(&q.events).(scheduled)
	return e.at, e.f, true
}

type events []scheduled

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if e[i].at.Equal(e[j].at) {
		return e[i].made < e[j].made
	}
	return e[i].at.Before(e[j].at)
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(scheduled)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	old[len(old)-1] = scheduled{}
	*e = old[:len(old)-1]
	return last
}
