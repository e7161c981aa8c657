// Package claiming has the claims that wait for work at pull stations, and the order in which
// they and what is offered find each other.
//
// It knows claims and offers. It may not know how an execution is made or written: what it
// finds, package machine hands out.
package claiming
