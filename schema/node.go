package schema

import "time"

// A Node is one scheduler process of an installation: key "node.<node>" of bucket
// `leaders`, put every second, and gone some seconds after the process is.
type Node struct {
	Node string `json:"node"` // its name
	// Process is a random id, because two processes may have been given one name.
	Process string    `json:"process"`
	Version string    `json:"version,omitempty"` // the program's release; may be empty
	Leads   []int     `json:"leads" wire:"set"`  // partitions
	Since   time.Time `json:"since,omitzero"`    // when the process began; zero: of an older release
	Seen    time.Time `json:"seen"`              // by the node's clock
	// Gone is set by a node that stops.
	Gone bool `json:"gone,omitempty"`
	// Results are the forms of the stream of results that the node can write. Empty: of an
	// older release, which can write the public one.
	Results []string `json:"results,omitempty" wire:"set"`
	// Partitions are those of Leads, as the node leads them. Empty: it leads none, or is of an
	// older release.
	Partitions []LedPartition `json:"partitions,omitempty" wire:"list"`
}

// A LedPartition is a partition as its leader has it.
type LedPartition struct {
	Partition int `json:"partition"` // from 0
	// Epoch is the number of this leadership; each is higher than those before.
	Epoch int64 `json:"epoch"`
	// JournalSequence is that of the newest append; 0: none was made in this leadership.
	JournalSequence uint64 `json:"journal_sequence"`
	// Checkpoint is the sequence up to which the journal is stored elsewhere, so that a successor
	// need not read it; 0: nothing is.
	Checkpoint uint64 `json:"checkpoint"`
	Plans      int64  `json:"plans"` // that are held
	// Overdue is for how long the first plan that is due has waited for its leader, in seconds;
	// 0: none does.
	Overdue Seconds `json:"overdue"`
}

// NodeKeys begins the keys of nodes in bucket `leaders`, beside the leases.
const NodeKeys = "node."
