package listen

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A flood of unknown subjects is cut off for as long as it lasts; replies to executions always
// get in.
func TestADoorKeepsAFloodOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		refused := 0
		d := newReplyFilter(slog.New(slog.NewTextHandler(&log, nil)), func() { refused++ })
		const asked = "plan.reply.0.s.*p.1-0123456789abcdef"
		d.expect(asked)
		const strangers = 3 * strangersAtOnce
		flood := func() (in int) {
			for i := range strangers {
				if d.admits(fmt.Sprintf("plan.reply.0.s.*p.%d-junk", i), 1) {
					in++
				}
				if !d.admits(asked, 1) {
					t.Fatalf("refused after %d strangers", i)
				}
			}
			return in
		}
		if in := flood(); in != strangersAtOnce {
			t.Errorf("%d of %d strangers got in at once", in, strangers)
		}
		time.Sleep(time.Second / 2)
		if in := flood(); in != strangersPerSecond/2 {
			t.Errorf("%d of %d strangers got in half a second later", in, strangers)
		}
		if want := 2*strangers - strangersAtOnce - strangersPerSecond/2; refused != want {
			t.Errorf("it counts %d that it refused, and refused %d", refused, want)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 1 {
			t.Errorf("it logged %d lines", lines)
		}
	})
}

func BenchmarkFilterRejects(b *testing.B) {
	d := newReplyFilter(slog.New(slog.NewTextHandler(io.Discard, nil)), func() {})
	for b.Loop() {
		d.admits("plan.reply.0.station.*01J00000000000000000000000.1-0123456789abcdef", 1)
	}
}
