// Package port finds addresses for the servers of tests that are stopped and started again
// on the same ones, so that no other process gets them meanwhile. The system takes the
// ports of connections, and those of listeners on port 0, above 32768; test processes that
// run side by side have blocks of their own below.
package port

import (
	"errors"
	"fmt"
	"net"
	"sync"
)

const (
	first  = 10_000
	size   = 500 // of a block, whose first port is bound by its owner as long as it runs
	blocks = 44
)

var block struct {
	sync.Mutex
	owned net.Listener // on the block's first port; nil: there is none yet
	base  int
	last  int // the last port that was returned
}

// Free returns an address of this machine (127.0.0.1 and a port) without a listener. It
// returns the same one again only after hundreds of others.
func Free() (string, error) {
	block.Lock()
	defer block.Unlock()
	for b := 0; block.owned == nil && b < blocks; b++ {
		block.base = first + b*size
		block.owned, _ = listen(block.base) // another process has the block
	}
	if block.owned == nil {
		return "", errors.New("all blocks of ports are taken")
	}
	for range size - 1 {
		block.last = block.last%(size-1) + 1
		if l, err := listen(block.base + block.last); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", fmt.Errorf("all ports from %d on are taken", block.base)
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
}
