package worker

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A recorder is a sender that notes each reply, and when it came.
type recorder struct {
	begun   time.Time
	replies []string
}

func (s *recorder) send(r schema.Reply) {
	s.replies = append(s.replies, fmt.Sprint(time.Since(s.begun), " ", r.State))
}

func (s *recorder) overdue() {
	s.replies = append(s.replies, fmt.Sprint(time.Since(s.begun), " overdue"))
}

// begin starts a heartbeat with its first beat after first.
func begin(m *firstBeatTimer, first, automatic time.Duration, deadline time.Time) (*heartbeat, *recorder) {
	s := &recorder{begun: time.Now()}
	p := &heartbeat{sender: s, automatic: automatic}
	p.start(m, s.begun, first, deadline)
	return p, s
}

func TestFirstBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m firstBeatTimer
		defer m.stop()
		var got []*recorder
		var beats []*heartbeat
		at := func(first time.Duration, deadline time.Duration) *heartbeat {
			var until time.Time
			if deadline > 0 {
				until = time.Now().Add(deadline)
			}
			p, s := begin(&m, first, -1, until)
			got, beats = append(got, s), append(beats, p)
			return p
		}
		at(50*time.Millisecond, 0)                   // 0
		quick := at(50*time.Millisecond, 0)          // 1 has ended by then
		at(50*time.Millisecond, 20*time.Millisecond) // 2 is due before those that were added before it
		reports := at(50*time.Millisecond, 0)        // 3 reports its progress
		at(50*time.Millisecond, time.Millisecond)    // 4 passes its deadline
		at(0, 0)                                     // 5 beats at once
		time.Sleep(time.Millisecond / 2)
		reports.report(40)
		quick.stop()
		time.Sleep(10 * time.Millisecond)
		at(50*time.Millisecond, 0) // 6 waits behind the others
		time.Sleep(80 * time.Millisecond)
		for _, p := range beats {
			p.stop()
		}
		want := [][]string{
			{"50ms running"}, nil, {"10ms running", "20ms overdue"}, {"500µs running", "50ms running"},
			{"500µs running", "1ms overdue"}, {"1ns running"}, {"50ms running"},
		}
		for i, s := range got {
			if !slices.Equal(s.replies, want[i]) {
				t.Errorf("heartbeat %d: %q, want %q", i, s.replies, want[i])
			}
		}
	})
}

// Executions that have ended are released, however late the first beat of another is.
func TestFirstBeatsOfWhatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m firstBeatTimer
		defer m.stop()
		first, replies := begin(&m, time.Hour, 0, time.Time{})
		for range 10_000 {
			p, _ := begin(&m, time.Hour, 0, time.Time{})
			p.stop()
			time.Sleep(time.Millisecond)
		}
		m.mu.Lock()
		n := cap(m.beats)
		m.mu.Unlock()
		if n > 16 {
			t.Errorf("there is room for %d first beats, and one is to come", n)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if want := []string{"1h0m0s running"}; !slices.Equal(replies.replies, want) {
			t.Errorf("%q, want %q", replies.replies, want)
		}
		first.stop()
	})
}
