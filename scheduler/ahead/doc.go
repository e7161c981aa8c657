// Package ahead computes what is to come of a plan: of one that does not exist yet ([Preview]),
// and of one that does, from where its leader says that it stands ([Upcoming]).
//
// It answers in the words of the protocol, due times with their local times, notes and the
// schedule as a sentence. It is told the time, asks nobody, and knows the record of a plan by
// the bytes that a backup has.
package ahead
