// Package port finds addresses for the servers of tests that are stopped and started
// again on the same ones: meanwhile they go to nobody else. The system gives connections,
// and who asks for any port, those above 32768; test processes that run side by side
// have blocks of their own below.
package port

import (
	"errors"
	"fmt"
	"net"
	"sync"
)

const (
	first  = 10_000
	size   = 500 // of a block, whose first port is its owner's for as long as it runs
	blocks = 44
)

var block struct {
	sync.Mutex
	owned net.Listener // on the block's first port; nil: there is none yet
	base  int
	last  int // the one of the block that was given last
}

// Free returns an address of this machine (127.0.0.1 and a port) that nobody listens on.
// It comes again only after hundreds of others.
func Free() (string, error) {
	block.Lock()
	defer block.Unlock()
	for b := 0; block.owned == nil && b < blocks; b++ {
		block.base = first + b*size
		block.owned, _ = listen(block.base) // it is another's
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
