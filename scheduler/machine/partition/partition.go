package partition

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
	Config Config

	// The table: what the journal says.
	Plans       map[schema.PlanName]*state.Plan
	Sorted      *btree.BTreeG[*state.Plan]
	Stations    map[string]*state.Station
	Incarnation uint64
	// InboxPlans are the plans that have one, by their ids.
	InboxPlans map[string]*state.Plan
	// Broken are plans whose rows make no sense. They are neither run nor
	// overwritten until a person has looked.
	Broken     map[schema.PlanName]error
	Tombstones table.Tombstones

	// Derived from the table.
	Handles     table.Handles
	Timetable   waiting.Timetable
	Dirty       table.DirtyRows
	Definitions table.Definitions

	// What only a leader knows.
	Restored    map[*state.Plan]unit.Moment // when plans came from a backup; see ActsOn
	Epoch       int64
	Since       unit.Moment // when it began to act
	Quota       Quota
	Hearing     hearing
	Undelivered waiting.Undelivered // plans with an execution that reached nobody
	Claims      claiming.Claims
	Roster      *presence.Roster
	Holding     holding

	Subject    Subject
	Missing    *state.Plan // its definition is lost, and what waited for that is under way; nil: none
	Executing  int64       // executions of all plans that have not ended
	InboxBytes int64       // of the items of all inboxes
	// Counts of what was ignored or refused, for metrics.
	Counts Counts

	Touched []Touch // of the turn that is under way
	undo    undo    // how that is undone

	scratch []byte
	W       wire.Writer
}

// Counts are running totals of what a machine ignored, refused or put right.
type Counts struct {
	// Strangers are replies whose nonce is wrong; Late those that changed
	// nothing because they came too late; Confirmations those that a stream gave in
	// place of a worker.
	Strangers, Late, Confirmations uint64
	// OverQuota are plans that were refused because their tenant has as many as it may.
	OverQuota uint64
	// Differences are plans that waited for something else than what follows from them.
	Differences uint64
}

// A Touch is a plan that a turn had to do with.
type Touch struct {
	P   *state.Plan
	Why Occasion
}

// New returns a partition with an empty table.
func New(c Config) Partition {
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
		Config:      c,
		Plans:       map[schema.PlanName]*state.Plan{},
		Sorted:      btree.NewBTreeGOptions(state.ByName, btree.Options{NoLocks: true}),
		Stations:    map[string]*state.Station{},
		InboxPlans:  map[string]*state.Plan{},
		Broken:      map[schema.PlanName]error{},
		Restored:    map[*state.Plan]unit.Moment{},
		Tombstones:  table.Tombstones{Key: c.Key, Closed: map[schema.PlanName][]table.Tombstone{}},
		Dirty:       table.DirtyRows{Quiet: unit.Moment(c.Checkpoint / time.Microsecond)},
		Definitions: table.Definitions{Of: map[*state.Plan]*table.Definition{}, Words: map[schema.PlanName]int{}},
		Claims:      claiming.New(),
		Roster:      presence.New(c.Partition == 0),
	}
}
