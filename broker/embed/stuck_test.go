package embed

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The first call to a server that is stuck waits for answersWithin, and later ones do not
// wait.
func TestAStuckServerHoldsUpNoCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := new(Server), time.Now()
		over := make(chan struct{})
		defer close(over)
		waits := func() error { <-over; return nil }
		if err := s.within(func() error { time.Sleep(answersWithin - time.Second); return errStopped }); !errors.Is(err, errStopped) {
			t.Errorf("a server that is slow: %v", err)
		}
		if err := s.within(waits); !errors.Is(err, ErrStuck) || time.Since(began) != 2*answersWithin-time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := s.within(waits); !errors.Is(err, ErrStuck) || time.Since(began) != 2*answersWithin-time.Second {
			t.Errorf("once more, after %v: %v", time.Since(began), err)
		}
		if err := s.Shutdown(); !errors.Is(err, ErrStuck) {
			t.Errorf("its folder is given free: %v", err)
		}
	})
}
