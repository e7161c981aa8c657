package front_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
)

// A placesHarness has the claims that wait at a node with few places.
type placesHarness struct {
	t      *testing.T
	places *front.Places
	ended  []string
	log    bytes.Buffer
}

func newPlacesHarness(t *testing.T, most int) *placesHarness {
	q := &placesHarness{t: t}
	q.places = front.NewPlaces(most, metrics.New("").Claims, slog.New(slog.NewTextHandler(&q.log, nil)))
	return q
}

// take has a worker wait at a station, and returns the outcome: "waits", "refused", or the
// worker that had to make room.
func (q *placesHarness) take(station, worker string) (*front.Place, string) {
	q.ended = nil
	c := q.places.Take(station, worker, func() { q.ended = append(q.ended, station+"/"+worker) })
	switch {
	case c == nil:
		return nil, "refused"
	case len(q.ended) > 0:
		return c, strings.Join(q.ended, " ")
	}
	return c, "waits"
}

func (q *placesHarness) want(station, worker, want string) *front.Place {
	q.t.Helper()
	c, got := q.take(station, worker)
	if got != want {
		q.t.Errorf("%s at %s: %s, want %s", worker, station, got, want)
	}
	return c
}

// However many claims a station has, there is room at the others, and it gets its share again
// when theirs are gone.
func TestStationsSharePlaces(t *testing.T) {
	q := newPlacesHarness(t, 12)
	for i := range 6 {
		q.want("loud", fmt.Sprint("w", i), "waits")
	}
	q.want("loud", "w0", "refused")
	q.want("loud", "new", "loud/w0") // a worker without a place gets the one of the longest wait
	first := q.want("quiet", "q", "waits")
	for i := range 3 {
		q.want("quiet", fmt.Sprint("q", i), "waits")
	}
	q.want("quiet", "q1", "refused") // a third of all
	q.want("third", "t", "waits")
	q.want("fourth", "f", "waits")
	q.want("fifth", "f", "loud/w1") // full: the station with the most makes room
	if q.places.Free(first) {
		t.Error("the first of quiet did not have to make room, and is answered so")
	}
	q.want("loud", "w2", "refused") // with five stations a sixth is enough
	q.want("quiet", "q1", "refused")
	if got := strings.Count(q.log.String(), "more claims wait than have room"); got != 1 {
		t.Errorf("a stationClaims is logged %d times within a minute:\n%s", got, &q.log)
	}
}

// All workers of a station have a place before one has two, because a worker with several makes
// room for one with none, however recently it came.
func TestWorkerWithSeveralPlacesMakesRoomFirst(t *testing.T) {
	q := newPlacesHarness(t, 12)
	first := q.want("s", "one", "waits")
	var held []*front.Place
	for range 5 {
		held = append(held, q.want("s", "many", "waits"))
	}
	q.want("s", "new0", "s/many")
	if q.places.Free(held[0]) || !q.places.Free(held[1]) {
		t.Error("the second claim of the worker with many did not make room")
	}
	q.want("s", "many", "waits") // that of the first, which has ended
	for i := range 3 {
		q.want("s", fmt.Sprint("new", i+1), "s/many")
	}
	q.want("s", "new4", "s/one") // all have one by now, and the oldest goes
	if !q.places.Free(first) {
		t.Error("the oldest is not answered so")
	}
}

// A worker may wait several times over, but its next claim ends its oldest.
func TestOneWorkerDoesNotTakeAllPlacesOfItsStation(t *testing.T) {
	q := newPlacesHarness(t, 1000)
	var held []*front.Place
	for range front.MaxOfWorker {
		held = append(held, q.want("s", "w", "waits"))
	}
	q.want("s", "w", "s/w")
	if !q.places.Free(held[0]) {
		t.Error("the oldest had to make room, and is not answered so")
	}
	for _, c := range held[1:] {
		if q.places.Free(c) {
			t.Error("another had to make room")
		}
	}
	q.want("s", "other", "waits")
	q.want("s", "w", "waits")
}
