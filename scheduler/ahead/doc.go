// Package ahead computes the coming occurrences of a plan, whether it does not exist yet
// ([Preview]) or runs, in the state that its leader reports ([Upcoming]).
//
// It answers in the words of the protocol, due times with their local times, notes and the schedule
// as a sentence. The time is a parameter, no request leaves the package, and a plan's record comes
// in the bytes of a backup.
package ahead
