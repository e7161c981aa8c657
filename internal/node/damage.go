package node

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

// damageEvery is how often a node looks for what was found to be lost, by it or another.
const damageEvery = 2 * time.Second

// watchDamage keeps what nobody has acknowledged, until ctx ends.
func (n *Node) watchDamage(ctx context.Context, store *broker.Store) {
	ticks := time.NewTicker(damageEvery)
	defer ticks.Stop()
	for {
		if found, err := store.Damage(ctx); err == nil { // otherwise what was known stays
			n.tellDamage(found)
			n.damage.Store(&found)
			n.metrics.Damaged(found)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// tellDamage logs what is new, and what is acknowledged by now.
func (n *Node) tellDamage(found []schema.Damage) {
	before := n.lost()
	for i := range found {
		if !hasDamage(before, &found[i]) {
			n.log.Error("something that was stored is lost, and nobody has acknowledged it", "damage", found[i].String(), "then", acknowledge(&found[i]))
		}
	}
	for i := range before {
		if !hasDamage(found, &before[i]) {
			n.log.Info("a loss was acknowledged", "damage", before[i].Name())
		}
	}
}

func hasDamage(all []schema.Damage, d *schema.Damage) bool {
	for i := range all {
		if all[i].Name() == d.Name() {
			return true
		}
	}
	return false
}

// lost is what is lost, as far as this node has seen, and not acknowledged.
func (n *Node) lost() []schema.Damage {
	if found := n.damage.Load(); found != nil {
		return *found
	}
	return nil
}

func acknowledge(d *schema.Damage) string { return "stationmaster damage acknowledge " + d.Name() }

// damageLines has a line for each loss, and what to do about it.
func damageLines(lost []schema.Damage) string {
	var lines strings.Builder
	for i := range lost {
		fmt.Fprintf(&lines, "\ndamage %s; %q says that you know", lost[i].String(), acknowledge(&lost[i]))
	}
	return lines.String()
}
