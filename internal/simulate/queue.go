package simulate

import "github.com/stationmaster-io/stationmaster/schema"

// An arrival is an event of the virtual world outside the machine, at a moment in Unix
// microseconds. Those of one moment come in the order in which they were entered.
type arrival struct {
	at, order int64
	kind      arrivalKind
	run       *execution
	voter     int  // of a vote: the number of the voter, from 0
	fails     bool // it ends in an error
}

type arrivalKind uint8

const (
	ends  arrivalKind = iota // a worker has ended the execution
	pings                    // a worker reports that it is still busy
)

// arrivals is a heap: the first one is at index 0.
type arrivals struct {
	heap  []arrival
	count int64
}

func (q *arrivals) push(a arrival) {
	q.count++
	a.order = q.count
	q.heap = append(q.heap, a)
	for i := len(q.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !before(&q.heap[i], &q.heap[parent]) {
			return
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}

func (q *arrivals) pop() arrival {
	first, last := q.heap[0], len(q.heap)-1
	q.heap[0], q.heap[last] = q.heap[last], arrival{}
	q.heap = q.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return first
		}
		if child+1 < last && before(&q.heap[child+1], &q.heap[child]) {
			child++
		}
		if !before(&q.heap[child], &q.heap[i]) {
			return first
		}
		q.heap[i], q.heap[child] = q.heap[child], q.heap[i]
		i = child
	}
}

// next is the moment of the first arrival; 0: there is none.
func (q *arrivals) next() int64 {
	if len(q.heap) == 0 {
		return 0
	}
	return q.heap[0].at
}

func before(a, b *arrival) bool { return a.at < b.at || a.at == b.at && a.order < b.order }

// An execution is one that the machine has dispatched and that has not ended there.
type execution struct {
	plan                *plan
	n                   int64
	occurrence, attempt int64
	planTime            int64 // Unix microseconds, as all moments here
	sent                int64
	begun               int64 // when a worker began; 0: it waits for one
	startBy             int64 // a worker does not begin later; 0: no bound
	nonce               string
	deadline            int64    // when it ends as a timeout, unless a worker extends it; 0: never
	voters              int      // of a vote: how many answer
	claimer             *claimer // the worker that claimed it; nil: it was not claimed
	holds               bool     // it has a place of its station
	ended               bool     // in the machine
	late                bool     // it runs late because of an outage
}

func (x *execution) about() schema.ReplyName {
	return schema.ReplyName{Station: x.plan.name.Station, PlanID: x.plan.name.PlanID, N: x.n, Nonce: x.nonce}
}
