// Package claiming has the claims that wait for work at pull stations, and the order in which
// claims and offers are matched.
//
// It knows claims and offers. It may not know how an execution is created or written, because
// package machine hands out the matches.
package claiming
