package schema

import (
	"fmt"
	"time"
)

// A Damage is a loss of stored data that a scheduler has found and gone on from. Its key in
// bucket `leaders` is "damage.<kind>.<stream>". It stays there until a person acknowledges it,
// across changes of leader and restarts of nodes.
type Damage struct {
	Kind   DamageKind `json:"kind"`   // the kind of the loss
	Stream string     `json:"stream"` // the name of the stream that lost data, which may be a bucket's
	// Had is the sequence, or the epoch, that was known to be there, and Has is the one
	// found instead.
	Had uint64 `json:"had"`
	Has uint64 `json:"has"` // 0: nothing
	// Text describes the loss, and the remedy.
	Text string `json:"text"`
	// Node found it last. First and Last are when it was found, by the clocks of nodes.
	Node  string    `json:"node,omitempty"`
	First time.Time `json:"first"` // when it was found first
	Last  time.Time `json:"last"`  // when it was found last
	// Count is how often it was found with other numbers.
	Count int `json:"count"`
}

// A DamageKind is a kind of loss.
type DamageKind string

// The kinds of damage.
const (
	// DamageShort is a journal that ends below a sequence that was read from it, or that a
	// node has seen.
	DamageShort DamageKind = "short"
	// DamageGap is a journal that begins behind the last sequence that was read from it.
	DamageGap DamageKind = "gap"
	// DamageEpoch is a journal without the newest leadership, of which the streams behind it
	// know.
	DamageEpoch DamageKind = "epoch"
	// DamageEnd is a stream behind the journal whose end is gone, or bucket `leaders` without
	// the installation.
	DamageEnd DamageKind = "end"
	// DamageOlder is a journal that does not know a leadership which a worker reports to
	// have seen. It is a worker's claim, and no proof.
	DamageOlder DamageKind = "older"
)

// DamageKinds are all of them.
var DamageKinds = []DamageKind{DamageShort, DamageGap, DamageEpoch, DamageEnd, DamageOlder}

// DamageKeys begins the keys of damage in bucket `leaders`, beside the leases.
const DamageKeys = "damage."

// Name names it among all damage of an installation.
func (d *Damage) Name() string { return string(d.Kind) + "." + d.Stream }

// String is a line about it.
func (d *Damage) String() string {
	times := ""
	if d.Count > 1 {
		times = fmt.Sprintf(", %d times", d.Count)
	}
	return fmt.Sprintf("%s: %s (found by %s at %s%s)", d.Name(), d.Text, d.Node, d.Last.UTC().Format(time.RFC3339), times)
}
