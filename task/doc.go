// Package task translates seed 001 into plans (DESIGN section 9). It keeps nothing and
// waits for nothing: what the services ask goes in, definitions of plans come out; plans
// and results go in, what the services answer comes out.
//
//	periodic task          a cron plan of the station that its type names
//	new, offline           that plan is paused
//	log of one             the results of that plan
//
// It knows the words of schema, and no NATS.
package task
