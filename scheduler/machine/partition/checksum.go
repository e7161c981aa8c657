package partition

import (
	"fmt"
	"hash/fnv"
	"io"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Checksum identifies the set of the plans of a table by their names. It does not depend on their
// order, and is moved at each plan that comes or goes, because it is written with each append.
type Checksum struct {
	Plans int    // their number
	Names uint64 // the exclusive or of the hashes of their names
}

// String is the form in which checksums travel and are compared.
func (c Checksum) String() string { return fmt.Sprintf("%d-%016x", c.Plans, c.Names) }

// move adds a plan (by 1), or removes one (by -1).
func (c *Checksum) move(name schema.PlanName, by int) {
	h := fnv.New64a()
	io.WriteString(h, name.Station) // a hash takes all that is written
	h.Write([]byte{0})              // which no name contains
	io.WriteString(h, name.PlanID)
	c.Plans += by
	c.Names ^= h.Sum64()
}
