package running

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errLate = errors.New("late")

func TestATimeoutComesAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := WithTimeout(t.Context(), 30*time.Second, errLate)
		defer cancel()
		<-ctx.Done()
		if took := time.Since(began); took != 30*time.Second || !errors.Is(context.Cause(ctx), errLate) {
			t.Errorf("it ended after %v: %v", took, context.Cause(ctx))
		}
	})
}

// A process that was stopped for 40 seconds finds its timer fired, once, and the rest of the
// span still to come.
func TestAStandstillUsesUpNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan time.Time, 1)
		c := newCountdown(30*time.Second, func() { over <- time.Now() }, nil)
		defer c.timer.Stop()
		time.Sleep(10500 * time.Millisecond)
		c.timer.Stop()
		time.Sleep(40 * time.Second)
		synctest.Wait() // so that the writes of earlier slices are seen here
		c.pass()        // the timer fires when the process goes on
		began := time.Now()
		if at := <-over; at.Sub(began) != 19*time.Second {
			t.Errorf("over %v after the process went on", at.Sub(began))
		}
	})
}

func TestACancelledRunEndsWithoutAReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := WithTimeout(t.Context(), time.Second, errLate)
		cancel()
		time.Sleep(time.Minute)
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Error(context.Cause(ctx))
		}
	})
}
