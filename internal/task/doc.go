// Package task translates seed 001 into plans. It keeps nothing and waits for nothing:
// what the services ask goes in, stations and definitions of plans come out; plans and
// results go in, what the services answer comes out, with the seed's names.
//
//	task type               a station, whose record holds the type
//	task                    a one-shot plan of that station, with one message: the task
//	New, Error              that plan waits for its time, or for its retry
//	Executing               an execution of it is under way
//	Pending                 it waits for a person
//	any other status        it has closed, and its last result says how
//
//	periodic task           a cron plan of the station that its type names
//	new, offline            that plan is paused
//	log of one              the results of that plan
//
// It knows the words of schema, and no NATS.
package task
