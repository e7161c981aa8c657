// Package presence knows which workers were heard of lately, and at which stations. It knows
// nothing of plans and executions, and of the machine only the time that it is told. Nothing
// in it is written down: a leader's successor hears the same workers again within seconds.
package presence
