package partition

import (
	"time"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/claiming"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/presence"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Config is the fixed configuration of a machine.
type Config struct {
	// Partition is this one's index among Partitions; zero of them means 1.
	Partition, Partitions int
	// Key derives nonces and jitter. It belongs to the installation and never changes, because
	// under another key the replies to executions in flight would be strangers'.
	Key [16]byte
	// Defaults apply where neither plan nor station sets a value.
	Defaults schema.Defaults
	// MisfireGrace is the lateness up to which the last occurrence that fell due without a
	// leader is run under every catch_up policy. Zero means 10 seconds; below zero it is not
	// run.
	MisfireGrace time.Duration
	// Checkpoint is how long a row is unchanged before it goes to the bucket. Zero means 500
	// milliseconds.
	Checkpoint time.Duration
	// InboxBytes bounds the bytes of the items of all inboxes in their stream. Zero means no
	// bound.
	InboxBytes int64
	// Large is the size up to which a definition stays in memory once the bucket has it, and
	// LargeRoom is the room for the most recently used larger ones, both in bytes. Zero means 4
	// KiB and 16 MiB.
	Large, LargeRoom int
	// TenantPlans bounds the plans of a tenant in the installation at a time. Zero means no
	// bound.
	TenantPlans int64
	// Probe is for tests that plant panics: it is called at the begin and the end of each step
	// ("begin event.ReplyReceived", "end command.ClosePlan"), at each plan that a tick visits, reconcile
	// ("look", "looked"), row of a turn, queue that is set, offer, hand to a claim and row
	// replayed, with the plan concerned, and its panic is a panic of the machine. Nil: no calls.
	Probe func(at string, plan schema.PlanName)
}

// A Partition is the state of one partition's plans and stations, and of its queues.
type Partition struct {
	Config Config

	// The table, as the journal has it.
	Plans       map[schema.PlanName]*state.Plan
	Sorted      *btree.BTreeG[*state.Plan]
	Checksum    Checksum // of Plans
	Stations    map[string]*state.Station
	Incarnation uint64
	// InboxPlans are the plans with an inbox, by their ids.
	InboxPlans map[string]*state.Plan
	// Broken are plans with unreadable rows. They are neither run nor overwritten until a
	// person has acted.
	Broken     map[schema.PlanName]error
	Tombstones table.Tombstones
	Calendars  Calendars

	// Derived from the table.
	Handles     table.Handles
	TimerQueue  waiting.TimerQueue
	DueTimes    waiting.DueTimes
	Dirty       table.DirtyRows
	Definitions table.Definitions

	// State of a leader alone.
	Restored    map[*state.Plan]unit.Moment // when plans came from a backup; see ActsOn
	Epoch       int64
	Since       unit.Moment // when it became the leader
	LedUntil    unit.Moment // until when an earlier leader acted; 0: unknown
	Quota       Quota
	ReplyWait   replyWait
	Undelivered waiting.Undelivered // plans with an execution that had no responders
	Held        waiting.Held        // plans with an execution that a worker has
	Claims      claiming.Claims
	Registry    *presence.Registry
	Holding     holding

	Subject    Subject
	Missing    *state.Plan // its definition is lost, and an event that waited for it is being handled; nil: none
	Executing  int64       // executions of all plans that have not ended
	InboxBytes int64       // of the items of all inboxes
	// Counts of ignored and refused events, for metrics.
	Counts Counts

	Touched []Touch   // plans of the turn under way
	Counted []Counted // results of the turn under way
	Book    tally.Book
	undo    undo // how that turn is undone

	scratch []byte
	workers []string // see workersOf
	W       wire.Writer
}

// Counts are running totals of events that a machine ignored, refused or corrected.
type Counts struct {
	// Strangers are replies with a wrong nonce; Late are replies without effect because they
	// came too late; Confirmations are replies of a stream in place of a worker.
	Strangers, Late, Confirmations uint64
	// OverQuota are plans that were refused because of their tenant's quota.
	OverQuota uint64
	// Differences are plans whose queues differed from their computed wants.
	Differences uint64
}

// A Touch is a plan that a turn concerned.
type Touch struct {
	P   *state.Plan
	Why Occasion
}

// A Counted is a result that counts when its turn is kept.
type Counted struct {
	P      *state.Plan
	Worker string // where its execution ended; empty: at none
	tally.Result
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
		Calendars:   Calendars{Rows: map[string]*state.Calendar{}, Plans: map[*exclude.Rule]*btree.BTreeG[*state.Plan]{}},
		Broken:      map[schema.PlanName]error{},
		Restored:    map[*state.Plan]unit.Moment{},
		Tombstones:  table.Tombstones{Key: c.Key, Closed: map[schema.PlanName][]table.Tombstone{}},
		Dirty:       table.DirtyRows{Quiet: unit.Moment(c.Checkpoint / time.Microsecond)},
		Definitions: table.Definitions{Of: map[*state.Plan]*table.Definition{}, Words: map[schema.PlanName]int{}},
		Claims:      claiming.New(),
		Registry:    presence.New(c.Partition == 0),
	}
}
