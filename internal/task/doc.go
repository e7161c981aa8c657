// Package task translates task types, tasks and periodic tasks (docs/conformance/seed-001.md)
// into plans. It keeps nothing and waits for nothing. Requests of the services become stations
// and definitions of plans; plans and results become answers of the services, with their field
// names.
//
//	task type               a station, whose record holds the type
//	task                    a one-shot plan of that station, with one message: the task
//	New, Error              that plan waits for its time, or for its retry
//	Executing               an execution of it is under way
//	Pending                 it waits for a person
//	any other status        it has closed, and its last result has the status
//
//	periodic task           a cron plan of the station that its type names
//	new, offline            that plan is paused, and its label status says which
//	log of one              the results of that plan
//
// It knows the types of schema, and no NATS.
package task
