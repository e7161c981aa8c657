package port

import (
	"net"
	"testing"
)

func TestAddressesAreFreeAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range size - 1 {
		address, err := Free()
		if err != nil {
			t.Fatal(err)
		}
		if seen[address] {
			t.Fatalf("%s is given twice", address)
		}
		seen[address] = true
	}
	taken, err := listen(block.base + 1) // which would be the next
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if address, err := Free(); err != nil || address == taken.Addr().String() {
		t.Errorf("%s is taken, and given: %v", address, err)
	}
	if l, err := net.Listen("tcp", block.owned.Addr().String()); err == nil {
		l.Close()
		t.Error("another process could have the same block")
	}
}
