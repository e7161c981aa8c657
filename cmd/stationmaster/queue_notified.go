package main

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
)

// getCommand is the command that a worker has to run when it was notified of a queue.
func getCommand(key string) string {
	return fmt.Sprintf("one has to run `stationmaster queue get %s --random NAME`, then `queue complete`", inShell(key))
}

// getsNote explains a push with --station, because a worker that ends a notification with ok has
// taken nothing by it.
func getsNote(station, key string) string {
	return fmt.Sprintf("note: workers of station %s are sent the key of the queue, not its tasks: %s", station, getCommand(key))
}

// untakenNote explains why the tasks of a queue stay, though its notifications end with ok.
func untakenNote(station, key string, notified int64) string {
	return fmt.Sprintf("%s of station %s ended with ok, and no worker got a task: %s", counted64(notified, "notification"), station, getCommand(key))
}

// lastOutcome is the outcome of a queue's last hand-over, and how often workers were notified in vain.
func lastOutcome(q *schema.Queue) string {
	if q.Notified > 0 {
		return fmt.Sprintf("%s, %s, none got", q.LastState, counted64(q.Notified, "notification"))
	}
	return string(q.LastState)
}
