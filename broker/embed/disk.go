package embed

import "fmt"

// leastStore holds everything that an installation reserves, on a disk of any size.
const leastStore = 32 << 30

// maxStore is the size of the disk unless MaxStore is set, and never so little that streams
// cannot be created. nats-server's own default is the free space at its start, so that a
// server which is restarted on a full disk would refuse all writes for as long as it runs,
// though space is free again. Writes beyond the disk's size fail at the disk.
func (o *Options) maxStore() int64 {
	if o.MaxStore != 0 {
		return o.MaxStore
	}
	size, _ := disk(o.StoreDir)
	return max(size, leastStore)
}

// A server leaves mostLeft bytes of its disk free, or leftShare of a small one: more than
// the writes that can be under way into its streams at a time.
const (
	mostLeft  = 32 << 20
	leftShare = 20 // one in so many bytes
)

// Room returns an error when there is so little space on the disk that a write might fail
// half-way, and nothing should be written. A stream of nats-server with such a write
// accepts no more writes until the server is restarted, or blocks the server for ever. Nil:
// there is space, or it is unknown.
func (s *Server) Room() error {
	size, free := disk(s.opts.StoreDir)
	return room(s.opts.StoreDir, size, free)
}

// A server keeps mostSpare more bytes of its disk, or spareShare of a small one, for requests
// that remove, because a removal is written, too, and a queue that filled the disk could not be
// emptied otherwise.
const (
	mostSpare  = 128 << 20
	spareShare = 8 // one in so many bytes
)

// Spare returns an error when there is so little space on the disk that nothing may be added, so
// that there is room to remove. Coming are bytes that are accepted and not written yet. Nil: there
// is space, or it is unknown.
func (s *Server) Spare(coming int64) error {
	size, free := disk(s.opts.StoreDir)
	return spare(s.opts.StoreDir, size, free-coming)
}

func spare(dir string, size, free int64) error {
	kept := min(mostLeft, size/leftShare) + min(mostSpare, size/spareShare)
	if free >= kept {
		return nil
	}
	return fmt.Errorf("the disk of %s is nearly full: %d KiB of %d are free, and nothing is added below %d, so that there is room to remove: complete or delete waiting items, or make room",
		dir, max(free, 0)>>10, size>>10, kept>>10)
}

func room(dir string, size, free int64) error {
	left := min(mostLeft, size/leftShare)
	if free >= left {
		return nil
	}
	return fmt.Errorf("the disk of %s is full: %d KiB of %d are free, and nothing is written below %d, not even removals: make room, or stop, and move the folder to a larger disk",
		dir, free>>10, size>>10, left>>10)
}
