// Package listener bounds the connections of a listener, so that a client which opens more
// neither takes open files from the stores nor keeps other clients out.
//
// It takes a net.Listener and returns one whose connections have places. When all are taken,
// an idle connection is closed for the next that comes: of the address that has the most of
// those, the one that has waited for the longest. The server reports the state of each
// connection ([Conn.Is]); the package does not know its protocol.
package listener
