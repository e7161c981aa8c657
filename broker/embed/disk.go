package embed

import "fmt"

// leastStore is room for what an installation reserves, however small the disk.
const leastStore = 32 << 30

// maxStore is the size of the disk unless another is wanted, and never so little
// that streams cannot be made. nats-server's own default is what is free at its
// start: one that is restarted on a full disk would then refuse all writes for as
// long as it runs, though space is free again. What the disk cannot hold, the disk
// refuses.
func (o *Options) maxStore() int64 {
	if o.MaxStore != 0 {
		return o.MaxStore
	}
	size, _ := disk(o.StoreDir)
	return max(size, leastStore)
}

// Of its disk a server leaves mostLeft bytes free, or leftShare of a small one: more than
// can be on its way into its streams at a time.
const (
	mostLeft  = 32 << 20
	leftShare = 20 // one in so many bytes
)

// Room says why nothing should be written now: there is so little room on the disk that a
// write might fail half-way. A stream of nats-server that this happens to takes no more
// writes until the server is restarted, or keeps the server waiting for ever. Nil: there
// is room, or nobody can tell.
func (s *Server) Room() error {
	size, free := disk(s.opts.StoreDir)
	return room(s.opts.StoreDir, size, free)
}

func room(dir string, size, free int64) error {
	left := min(mostLeft, size/leftShare)
	if free >= left {
		return nil
	}
	return fmt.Errorf("the disk of %s is full: %d KiB of %d are free, and nothing is written below %d; make room",
		dir, free>>10, size>>10, left>>10)
}
