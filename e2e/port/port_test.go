package port

import (
	"fmt"
	"net"
	"testing"
)

func TestAddressesAreFreeAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range size / 2 { // a few may be in use
		address, err := Free()
		if err != nil {
			t.Fatal(err)
		}
		if seen[address] {
			t.Fatalf("%s is given twice", address)
		}
		seen[address] = true
	}
	next := block.base + block.last + 1
	if taken, err := listen(next); err == nil { // else another process uses it
		defer taken.Close()
	}
	if address, err := Free(); err != nil || address == fmt.Sprintf("127.0.0.1:%d", next) {
		t.Errorf("%s is taken, and given: %v", address, err)
	}
	if l, err := net.Listen("tcp", block.owned.Addr().String()); err == nil {
		l.Close()
		t.Error("another process could have the same block")
	}
}
