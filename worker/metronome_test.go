package worker

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A said notes what a pulse says, and when.
type said struct {
	begun time.Time
	words []string
}

func (s *said) say(r schema.Reply) {
	s.words = append(s.words, fmt.Sprint(time.Since(s.begun), " ", r.State))
}

func (s *said) overdue() { s.words = append(s.words, fmt.Sprint(time.Since(s.begun), " overdue")) }

// begin starts a pulse whose first word is due so soon.
func begin(m *metronome, first, automatic time.Duration, deadline time.Time) (*pulse, *said) {
	s := &said{begun: time.Now()}
	p := &pulse{voice: s, automatic: automatic}
	p.start(m, s.begun, first, deadline)
	return p, s
}

func TestFirstBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m metronome
		defer m.stop()
		var got []*said
		var pulses []*pulse
		at := func(first time.Duration, deadline time.Duration) *pulse {
			var until time.Time
			if deadline > 0 {
				until = time.Now().Add(deadline)
			}
			p, s := begin(&m, first, -1, until)
			got, pulses = append(got, s), append(pulses, p)
			return p
		}
		at(50*time.Millisecond, 0)                   // 0
		quick := at(50*time.Millisecond, 0)          // 1 has ended by then
		at(50*time.Millisecond, 20*time.Millisecond) // 2 is due before those that were added before it
		talks := at(50*time.Millisecond, 0)          // 3 says something by itself
		at(50*time.Millisecond, time.Millisecond)    // 4 passes its deadline
		at(0, 0)                                     // 5 speaks at once
		time.Sleep(time.Millisecond / 2)
		talks.report(40)
		quick.stop()
		time.Sleep(10 * time.Millisecond)
		at(50*time.Millisecond, 0) // 6 waits behind the others
		time.Sleep(80 * time.Millisecond)
		for _, p := range pulses {
			p.stop()
		}
		want := [][]string{
			{"50ms running"}, nil, {"10ms running", "30ms overdue"}, {"500µs running", "50ms running"},
			{"500µs running", "20.5ms overdue"}, {"1ns running"}, {"50ms running"},
		}
		for i, s := range got {
			if !slices.Equal(s.words, want[i]) {
				t.Errorf("pulse %d: %q, want %q", i, s.words, want[i])
			}
		}
	})
}

// Executions that have ended are let go of, however long the first word of another is
// awaited.
func TestFirstBeatsOfWhatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m metronome
		defer m.stop()
		first, words := begin(&m, time.Hour, 0, time.Time{})
		for range 10_000 {
			p, _ := begin(&m, time.Hour, 0, time.Time{})
			p.stop()
			time.Sleep(time.Millisecond)
		}
		m.mu.Lock()
		n := cap(m.beats)
		m.mu.Unlock()
		if n > 16 {
			t.Errorf("there is room for %d first words, and one is to come", n)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if want := []string{"1h0m0s running"}; !slices.Equal(words.words, want) {
			t.Errorf("%q, want %q", words.words, want)
		}
		first.stop()
	})
}
