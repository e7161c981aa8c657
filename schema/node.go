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
	Seen    time.Time `json:"seen"`              // by the node's clock
	// Gone is set by a node that stops.
	Gone bool `json:"gone,omitempty"`
	// Results are the forms of the stream of results that the node can write. Empty: of an
	// older release, which can write the public one.
	Results []string `json:"results,omitempty" wire:"set"`
}

// NodeKeys begins the keys of nodes in bucket `leaders`, beside the leases.
const NodeKeys = "node."
