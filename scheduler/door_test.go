package scheduler

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// A flood of strangers is cut off; who was asked to reply always gets in.
func TestADoorKeepsAFloodOut(t *testing.T) {
	var log strings.Builder
	refused := 0
	d := newDoor(slog.New(slog.NewTextHandler(&log, nil)), func() { refused++ })
	const asked = "plan.reply.0.s.*p.1-0123456789abcdef"
	d.expect(asked)
	const strangers = 100 * strangersAtOnce
	in := 0
	for i := range strangers {
		if d.admits(fmt.Sprintf("plan.reply.0.s.*p.%d-junk", i), 1) {
			in++
		}
		if !d.admits(asked, 1) {
			t.Fatalf("turned away after %d strangers", i)
		}
	}
	if in < strangersAtOnce || in > strangers/2 {
		t.Errorf("%d of %d strangers got in", in, strangers)
	}
	if refused != strangers-in {
		t.Errorf("it counts %d that it refused, and refused %d", refused, strangers-in)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 1 {
		t.Errorf("it logged %d lines", lines)
	}
}

func BenchmarkDoorTurnsAway(b *testing.B) {
	d := newDoor(slog.New(slog.NewTextHandler(io.Discard, nil)), func() {})
	for b.Loop() {
		d.admits("plan.reply.0.station.*01J00000000000000000000000.1-0123456789abcdef", 1)
	}
}
