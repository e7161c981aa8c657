package machine

import (
	"time"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/claiming"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/presence"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Config is what a machine needs to know once.
type Config struct {
	// Partition is this one's index among Partitions; zero of them means 1.
	Partition, Partitions int
	// Key makes nonces and jitter. It is the installation's and never changes:
	// with another key the replies to executions in flight are strangers'.
	Key [16]byte
	// Defaults stand behind what neither plan nor station says.
	Defaults schema.Defaults
	// MisfireGrace is how late the last occurrence that fell due while nobody
	// acted is run whatever the plan's catch_up says. Zero means 10 seconds; below zero
	// it is not run then.
	MisfireGrace time.Duration
	// Checkpoint is how long a row is quiet before it is handed to the bucket.
	// Zero means 500 milliseconds.
	Checkpoint time.Duration
	// InboxBytes bounds what the items of all inboxes take in their stream. Zero
	// means no bound.
	InboxBytes int64
	// Large is how many bytes a definition may have to stay in memory once the bucket
	// has it, and LargeRoom is for how many bytes of others there is room, those that
	// were used last. Zero means 4 KiB and 16 MiB.
	Large, LargeRoom int
	// TenantPlans is how many plans of a tenant the installation has at a time. Zero means
	// any number.
	TenantPlans int64
	// Probe is for tests that plant panics: it is called at the beginning and the end of
	// each step ("begin event.Heard", "end schema.ClosePlan"), at each look at a plan, hand
	// to a claim, row replayed and row sealed, with the plan that is looked at, and what it
	// panics with is a panic of the machine. Nil: nothing is called.
	Probe func(at string, plan schema.PlanName)
}

// A Partition is what is known of one partition's plans and stations, and what waits for what.
type Partition struct {
	config Config

	// The table: what the journal says.
	plans       map[schema.PlanName]*state.Plan
	sorted      *btree.BTreeG[*state.Plan]
	stations    map[string]*state.Station
	incarnation uint64
	// inboxes are the plans that have one, by their ids.
	inboxes map[string]*state.Plan
	// broken are plans whose rows make no sense. They are neither run nor
	// overwritten until a person has looked.
	broken map[schema.PlanName]error
	lately table.Tombstones

	// Derived from the table.
	handles   table.Handles
	timetable waiting.Timetable
	behind    table.DirtyRows
	larges    table.Definitions

	// What only a leader knows.
	restored    map[*state.Plan]unit.Moment // when plans came from a backup; see actsOn
	epoch       int64
	since       unit.Moment // when it began to act
	quota       quota
	hearing     hearing
	undelivered waiting.Undelivered // plans with an execution that reached nobody
	claims      claiming.Claims
	roster      *presence.Roster
	hold        holding

	suspect    suspect
	bereft     *state.Plan // its definition is lost, and what waited for that is under way; nil: none
	underWay   int64       // executions of all plans that have not ended
	inboxBytes int64       // of the items of all inboxes
	// Counts of what was ignored or refused, for metrics.
	counts Counts

	scratch []byte
	w       wire.Writer
}

// Counts are running totals of what a machine ignored or refused.
type Counts struct {
	// Strangers are replies whose nonce is wrong; Late those that changed
	// nothing because they came too late; Confirmations those that a stream gave in
	// place of a worker.
	Strangers, Late, Confirmations uint64
	// OverQuota are plans that were refused because their tenant has as many as it may.
	OverQuota uint64
}

// newPartition returns a partition with an empty table.
func newPartition(c Config) Partition {
	c.Partitions = max(c.Partitions, 1)
	if c.MisfireGrace == 0 {
		c.MisfireGrace = 10 * time.Second
	}
	if c.Checkpoint == 0 {
		c.Checkpoint = 500 * time.Millisecond
	}
	if c.Large == 0 {
		c.Large = largeFrom
	}
	if c.LargeRoom == 0 {
		c.LargeRoom = largeRoom
	}
	return Partition{
		config:   c,
		plans:    map[schema.PlanName]*state.Plan{},
		sorted:   btree.NewBTreeGOptions(state.ByName, btree.Options{NoLocks: true}),
		stations: map[string]*state.Station{},
		inboxes:  map[string]*state.Plan{},
		broken:   map[schema.PlanName]error{},
		restored: map[*state.Plan]unit.Moment{},
		lately:   table.Tombstones{Key: c.Key, Closed: map[schema.PlanName][]table.Tombstone{}},
		behind:   table.DirtyRows{Quiet: unit.Moment(c.Checkpoint / time.Microsecond)},
		larges:   table.Definitions{Of: map[*state.Plan]*table.Definition{}, Words: map[schema.PlanName]int{}},
		claims:   claiming.New(),
		roster:   presence.New(c.Partition == 0),
	}
}
