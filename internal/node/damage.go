package node

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

// damageEvery is the interval between two looks for damage that this node or another has
// found.
const damageEvery = 2 * time.Second

// watchDamage keeps the list of unacknowledged damage up to date, until ctx ends.
func (n *Node) watchDamage(ctx context.Context, store *broker.Store) {
	ticks := time.NewTicker(damageEvery)
	defer ticks.Stop()
	for {
		if found, err := store.Damage(ctx); err == nil { // on an error the last known list stays
			n.logDamage(found)
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

// logDamage logs new damage, and damage that has been acknowledged.
func (n *Node) logDamage(found []schema.Damage) {
	before := n.lost()
	for i := range found {
		if !hasDamage(before, &found[i]) {
			n.log.Error("stored data is lost, and the loss is not acknowledged", "damage", found[i].String(), "then", acknowledge(&found[i]))
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

// lost is the unacknowledged damage, as this node has last seen it.
func (n *Node) lost() []schema.Damage {
	if found := n.damage.Load(); found != nil {
		return *found
	}
	return nil
}

func acknowledge(d *schema.Damage) string { return "stationmaster damage acknowledge " + d.Name() }

// damageLines returns a line for each loss, with the command that acknowledges it.
func damageLines(lost []schema.Damage) string {
	var lines strings.Builder
	for i := range lost {
		fmt.Fprintf(&lines, "\ndamage %s; %q acknowledges it", lost[i].String(), acknowledge(&lost[i]))
	}
	return lines.String()
}
