package front

import (
	"container/list"
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
)

const (
	// maxClaims is how many claims wait at this node at a time.
	maxClaims = 10_000
	// maxOfWorker is how many of them one worker has at one station, because each of its threads,
	// filters and processes may have one. The next one ends the oldest.
	maxOfWorker = 16
	// againAfter is the retry_after_ms of a claim that could not wait.
	againAfter = time.Second
	// rejectedLogEvery is how often claims that found no place are logged.
	rejectedLogEvery = time.Minute
)

// places are the claims that wait at a node. Stations share them: with n of them, each may
// have one part in n+1, so that there is always room for one that comes to it; and in a
// station all workers have a place before one has two. So a flood of claims at one station
// takes the places of that station alone.
//
// A waiting claim that has to make room is answered empty, as if its wait had passed.
type places struct {
	most     int
	meter    *metrics.Claims
	log      *slog.Logger
	complain rate.Sometimes

	mu       sync.Mutex
	taken    int
	turned   uint64 // away, or out of a place, so far
	stations map[string]*stationClaims
}

// stationClaims are the claims that wait at one station, the oldest first.
type stationClaims struct {
	all     *list.List // of *place
	spare   *list.List // of them, those whose worker has an older one, too
	workers map[string]*list.List
}

func newStationClaims() *stationClaims {
	return &stationClaims{all: list.New(), spare: list.New(), workers: map[string]*list.List{}}
}

// next is the claim that makes room, which is the oldest of a worker with several, or, where each
// worker has one, the oldest of all.
func (c *stationClaims) next() *list.Element {
	if e := c.spare.Front(); e != nil {
		return e
	}
	return c.all.Front()
}

// A place is that of one claim.
type place struct {
	station, worker     string
	leave               context.CancelFunc
	inStation, ofWorker *list.Element
	inSpare             *list.Element // nil: it is its worker's oldest
	crowded             bool          // it had to make room
}

func newPlaces(most int, meter *metrics.Claims, log *slog.Logger) *places {
	return &places{
		most: most, meter: meter, log: log, stations: map[string]*stationClaims{},
		complain: rate.Sometimes{Interval: rejectedLogEvery},
	}
}

// take finds a place for a claim, whose wait leave ends. It returns nil if there is none.
func (p *places) take(station, worker string, leave context.CancelFunc) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.stations[station]
	if at == nil {
		at = newStationClaims()
	}
	if !p.room(station, worker, at) {
		p.reject(station, at.all.Len())
		return nil
	}
	p.stations[station] = at
	own := at.workers[worker]
	if own == nil {
		own = list.New()
		at.workers[worker] = own
	}
	c := &place{station: station, worker: worker, leave: leave}
	if own.Len() > 0 {
		c.inSpare = at.spare.PushBack(c)
	}
	c.inStation, c.ofWorker = at.all.PushBack(c), own.PushBack(c)
	p.taken++
	p.meter.Waiting(p.taken)
	return c
}

// room makes room for one more claim, and reports whether there is any.
func (p *places) room(station, worker string, at *stationClaims) bool {
	own := at.workers[worker]
	if own != nil && own.Len() >= maxOfWorker {
		p.evict(own.Front())
		return true
	}
	count := len(p.stations)
	if p.stations[station] == nil {
		count++
	}
	switch full := p.taken >= p.most; {
	case at.all.Len() >= max(p.most/(count+1), 1):
		if own != nil {
			return false
		}
		p.evict(at.next())
	case full:
		p.evict(p.largest().next())
	}
	return true
}

// largest is the station with the most claims.
func (p *places) largest() *stationClaims {
	var most *stationClaims
	for _, c := range p.stations {
		if most == nil || c.all.Len() > most.all.Len() {
			most = c
		}
	}
	return most
}

// evict ends the wait of a claim for another.
func (p *places) evict(e *list.Element) {
	c := e.Value.(*place)
	c.crowded = true
	p.reject(c.station, p.stations[c.station].all.Len())
	p.remove(c)
	c.leave()
}

func (p *places) reject(station string, waiting int) {
	p.turned++
	p.meter.Rejected()
	p.complain.Do(func() {
		p.log.Warn("more claims wait than have room; those beyond the share of a station and of a worker are answered empty, with a delay after which they may retry",
			"station", station, "waiting_there", waiting, "waiting", p.taken, "so_far", p.turned)
	})
}

// free gives a place back, and reports whether its claim had to make room.
func (p *places) free(c *place) (crowded bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.crowded {
		p.remove(c)
	}
	return c.crowded
}

func (p *places) remove(c *place) {
	at := p.stations[c.station]
	own := at.workers[c.worker]
	at.all.Remove(c.inStation)
	own.Remove(c.ofWorker)
	if c.inSpare != nil {
		at.spare.Remove(c.inSpare)
	} else if oldest := own.Front(); oldest != nil {
		next := oldest.Value.(*place)
		at.spare.Remove(next.inSpare)
		next.inSpare = nil
	}
	if own.Len() == 0 {
		delete(at.workers, c.worker)
	}
	if at.all.Len() == 0 {
		delete(p.stations, c.station)
	}
	p.taken--
	p.meter.Waiting(p.taken)
}
