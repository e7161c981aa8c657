package scheduler

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
)

// A lane rests after a batch, so that appends have the disk for themselves most of the
// time; but nobody waits for it who asks for what is stored, and no batch outgrows its
// bounds.
func TestWhenALaneWrites(t *testing.T) {
	const most = 5
	for _, tt := range []struct {
		name string
		few  int           // are written one by one
		rest time.Duration // left of it when the first message comes
		then func(r *lane) // after 40 ms
		want time.Duration
	}{
		{"a quiet time", 0, 0, nil, gatherLeast},
		{"the rest is nearly over", 0, gatherLeast / 2, nil, gatherLeast},
		{"the last batch took long", 0, laneRest.most, nil, laneRest.most},
		{"a second one does not put it off", 0, laneRest.most, func(r *lane) { r.add(message(1), broker.Mark{}, nil) }, laneRest.most},
		{"somebody waits for what is stored", 0, laneRest.most, func(r *lane) { r.whenStored(func() {}) }, 40 * time.Millisecond},
		{"a batch is full", 0, laneRest.most, func(r *lane) {
			for range most - 1 {
				r.add(message(1), broker.Mark{}, nil)
			}
		}, 40 * time.Millisecond},
		{"a batch is as large as one may be", 0, laneRest.most, func(r *lane) { r.add(message(batchBytes), broker.Mark{}, nil) }, 40 * time.Millisecond},
		{"no more will come", 0, laneRest.most, func(r *lane) { r.close() }, 40 * time.Millisecond},
		{"no batch is needed", 1, laneRest.most, nil, 0},
		{"none is, and others were stored a moment ago", 1, 0, nil, eachEvery},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newLane("results", most, tt.few, nil, newAfterthoughts(), broker.Mark{})
				began := time.Now()
				r.rested = began.Add(tt.rest)
				if tt.rest == 0 {
					r.spaced = began.Add(eachEvery)
				}
				r.add(message(1), broker.Mark{}, nil)
				if tt.then != nil {
					time.AfterFunc(40*time.Millisecond, func() { tt.then(r) })
				}
				timer := time.NewTimer(time.Hour)
				defer timer.Stop()
				if n, _, err := r.wait(t.Context(), timer); n == 0 || err != nil {
					t.Fatalf("%d messages are to be written: %v", n, err)
				}
				if waited := time.Since(began); waited != tt.want {
					t.Errorf("wrote after %v, want %v", waited, tt.want)
				}
			})
		})
	}
}

func message(bytes int) *nats.Msg { return &nats.Msg{Data: make([]byte, bytes)} }

// Many results are cheaper in a batch, and so are a few that come again and again.
func TestWhetherABatchIsNeeded(t *testing.T) {
	const few = 64
	for _, tt := range []struct {
		name  string
		wait  int // messages
		spent int // that were written one by one a moment ago
		want  bool
	}{
		{"nothing", 0, 0, true},
		{"one", 1, 0, false},
		{"as many as are few", few, 0, false},
		{"one more", few + 1, 0, true},
		{"as many as the pace allows", few, eachBurst - few, false},
		{"more than the pace allows", few, eachBurst - few + 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newLane("results", 1000, few, nil, newAfterthoughts(), broker.Mark{})
				r.pace.AllowN(time.Now(), tt.spent)
				for range tt.wait {
					r.add(message(1), broker.Mark{}, nil)
				}
				if got := !r.isFew(int64(tt.wait)); got != tt.want {
					t.Errorf("%d messages wait for a batch: %t, want %t", tt.wait, got, tt.want)
				}
			})
		})
	}
}

// A rest is as many times as long as the batch took, unless that would be too long.
func TestRest(t *testing.T) {
	for _, tt := range []struct{ took, want time.Duration }{
		{0, 0},
		{3 * time.Millisecond, 60 * time.Millisecond},
		{time.Second, laneRest.most},
	} {
		if rest := laneRest.after(tt.took); rest != tt.want {
			t.Errorf("a rest of %v after a batch of %v, want %v", rest, tt.took, tt.want)
		}
	}
}

// Who has stored all that it saw sleeps until it is told of the first message that comes. It
// would not be if one that is there already were counted later: then it would sleep until
// there are enough for a batch.
func TestWhatWaitsIsCounted(t *testing.T) {
	r := newLane("results", 1000, 64, nil, newAfterthoughts(), broker.Mark{})
	const messages = 100_000
	added := make(chan struct{})
	go func() {
		defer close(added)
		for range messages {
			r.add(message(1), broker.Mark{}, nil)
		}
	}()
	for over := false; !over; {
		select {
		case <-added:
			over = true
		default:
		}
		r.mu.Lock()
		waiting, counted := len(r.queue), r.count.Load()
		r.mu.Unlock()
		if int64(waiting) != counted {
			t.Fatalf("%d messages wait, and %d are counted", waiting, counted)
		}
	}
	if n := r.count.Load(); n != messages {
		t.Errorf("%d messages are counted, want %d", n, messages)
	}
}
