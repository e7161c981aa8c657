package storing

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A streamWriter rests after a batch, so that appends have the disk for themselves most of the time; but a
// reader that asks for stored results does not wait for it, and no batch outgrows its bounds.
func TestStreamWriterRestsBetweenBatches(t *testing.T) {
	const most = 5
	for _, tt := range []struct {
		name string
		rest time.Duration         // left of it when the first message comes
		then func(r *streamWriter) // after 40 ms
		want time.Duration
	}{
		{"a quiet time", 0, nil, gatherLeast},
		{"the rest is nearly over", gatherLeast / 2, nil, gatherLeast},
		{"the last batch took long", writerPause.most, nil, writerPause.most},
		{"a second one does not put it off", writerPause.most, func(r *streamWriter) { r.add(message(1)) }, writerPause.most},
		{"a caller waits for the storing", writerPause.most, func(r *streamWriter) { r.whenStored(func() {}) }, 40 * time.Millisecond},
		{"a batch is full", writerPause.most, func(r *streamWriter) {
			for range most - 1 {
				r.add(message(1))
			}
		}, 40 * time.Millisecond},
		{"a batch is as large as one may be", writerPause.most, func(r *streamWriter) { r.add(message(batchBytes)) }, 40 * time.Millisecond},
		{"no more will come", writerPause.most, func(r *streamWriter) { r.close() }, 40 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newStreamWriter("results", most, nil, func() {}, protocol.Mark{})
				began := time.Now()
				r.rested = began.Add(tt.rest)
				r.add(message(1))
				if tt.then != nil {
					time.AfterFunc(40*time.Millisecond, func() { tt.then(r) })
				}
				timer := time.NewTimer(time.Hour)
				defer timer.Stop()
				if some, err := r.wait(t.Context(), timer); !some || err != nil {
					t.Fatalf("it is to write: %t, %v", some, err)
				}
				if waited := time.Since(began); waited != tt.want {
					t.Errorf("wrote after %v, want %v", waited, tt.want)
				}
			})
		})
	}
}

func message(bytes int) queued { return queued{msg: &nats.Msg{Data: make([]byte, bytes)}} }

// A rest is a multiple of the batch's duration, within a bound.
func TestRest(t *testing.T) {
	for _, tt := range []struct{ took, want time.Duration }{
		{0, 0},
		{3 * time.Millisecond, 60 * time.Millisecond},
		{time.Second, writerPause.most},
	} {
		if rest := writerPause.after(tt.took); rest != tt.want {
			t.Errorf("a rest of %v after a batch of %v, want %v", rest, tt.took, tt.want)
		}
	}
}

// A streamWriter that has stored all that it saw sleeps until the first message wakes it. If a
// queued message were counted later, it would miss the wake-up and sleep until there are enough for
// a batch.
func TestQueuedMessagesAreCounted(t *testing.T) {
	r := newStreamWriter("results", 1000, nil, func() {}, protocol.Mark{})
	const messages = 100_000
	added := make(chan struct{})
	go func() {
		defer close(added)
		for range messages {
			r.add(message(1))
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
