// Package listener bounds the connections of a listener, so that whoever opens more takes
// no open files from the stores, and keeps nobody else out.
//
// It takes a net.Listener and gives one whose connections have places. When all are taken,
// one that only waits is closed for the next that comes: of the address that has the most
// of those, the one that has waited for the longest. Who accepts a connection says how far
// it is ([Conn.Is]); the package knows nothing of what is said on it.
package listener
