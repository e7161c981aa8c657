// Package presence knows which workers were active within the last 30 seconds, and at which
// stations. It knows nothing of plans and executions, and of the machine only the time it
// receives. It stores nothing, because the same workers announce themselves to a new leader
// within seconds.
package presence
