package protocol_test

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// at is a moment, in milliseconds after the writer's last renewal was stored.
func at(ms int) time.Time { return time.UnixMilli(1_000_000 + int64(ms)) }

// An append that was stored when its writer could not trust its lease any more was never performed,
// nor the ones behind it; the fate of all others is unknown.
func TestUnperformed(t *testing.T) {
	const trust, apart = 900 * time.Millisecond, 600 * time.Millisecond
	renewed := protocol.Gone{Renewed: at(0), Trust: trust, Apart: apart}
	silent := func(g protocol.Gone, from uint64) protocol.Gone {
		g.Silent = from
		return g
	}
	for name, c := range map[string]struct {
		gone   protocol.Gone
		before time.Time
		tail   []protocol.Stored
		want   uint64
	}{
		"nothing is left":          {renewed, at(-100), nil, 0},
		"confirmed with trust":     {renewed, at(-100), []protocol.Stored{{5, at(100)}}, 0},
		"sent with the last trust": {renewed, at(-100), []protocol.Stored{{5, at(1799)}}, 0},
		"but for clocks":           {renewed, at(-100), []protocol.Stored{{5, at(2399)}}, 0},
		"too late":                 {renewed, at(-100), []protocol.Stored{{5, at(2400)}}, 5},
		"only the last":            {renewed, at(-100), []protocol.Stored{{5, at(100)}, {6, at(2500)}, {7, at(2501)}}, 6},
		"an append gives trust":    {renewed, at(-100), []protocol.Stored{{5, at(800)}, {6, at(3000)}}, 0},
		"as long as it would":      {renewed, at(-100), []protocol.Stored{{5, at(800)}, {6, at(3200)}}, 6},
		"one before the tail, too": {renewed, at(1000), []protocol.Stored{{5, at(3399)}}, 0},
		"renewals are not known":   {protocol.Gone{Trust: trust, Apart: apart}, at(-100), []protocol.Stored{{5, at(9000)}}, 0},
		"nor what was before":      {renewed, time.Time{}, []protocol.Stored{{5, at(9000)}}, 0},
		"it says so":               {silent(renewed, 6), at(-100), []protocol.Stored{{5, at(1)}, {6, at(2)}}, 6},
		"it was reported, no more": {silent(protocol.Gone{}, 6), time.Time{}, []protocol.Stored{{5, at(1)}, {7, at(2)}}, 7},
		"none of all was reported": {silent(renewed, 8), at(-100), []protocol.Stored{{5, at(1)}, {6, at(2)}}, 0},
	} {
		if got := c.gone.Unperformed(c.before, c.tail); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
