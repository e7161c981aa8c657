package state

import (
	"github.com/stationmaster-io/stationmaster/schema"
)

// MaxSpread bounds how far apart the numbers of a plan's items may be, so that an invalid row
// takes no memory.
const MaxSpread = 4 * schema.MaxItems

func (p *Plan) NoteItem(n int64, size int) {
	if p.Inbox == nil {
		p.Inbox = &Inbox{} // its record comes behind the items in the same append
	}
	s := &p.Inbox.Sizes
	if n < 0 || len(s.List) > 0 && (n-s.from >= MaxSpread || s.from-n+int64(len(s.List)) > MaxSpread) {
		return
	}
	s.Put(n, size)
}
