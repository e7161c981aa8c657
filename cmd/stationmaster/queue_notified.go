package main

import (
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// getCommand is the command that a worker has to run when it was notified of a queue.
func getCommand(key string) string {
	return fmt.Sprintf("one has to run `stationmaster queue get %s --random NAME`, then `queue complete`", inShell(key))
}

// stationKind is the kind of a station; empty: api, as of one without a record, or unknown.
func stationKind(ctx context.Context, c *client.Client, station string) schema.Kind {
	found, err := c.Stations().Get(ctx, station)
	if err != nil {
		return ""
	}
	return found.Kind
}

// getsNote explains a push with --station, because a worker that ends a notification with ok has
// taken nothing by it.
func getsNote(kind schema.Kind, station, key string) string {
	who := fmt.Sprintf("a worker of station %s is sent", station)
	switch kind {
	case schema.KindPull:
		who = fmt.Sprintf("a worker that claims at station %s gets", station)
	case schema.KindPub:
		who = fmt.Sprintf("all workers of station %s are sent, ever again until one gets them,", station)
	case schema.KindVote:
		who = fmt.Sprintf("all workers of station %s vote when they are sent", station)
	}
	return fmt.Sprintf("note: %s the key of the queue, not its tasks: %s", who, getCommand(key))
}

// untakenNote explains why the tasks of a queue stay, though its notifications end with ok.
func untakenNote(station, key string, notified int64) string {
	return fmt.Sprintf("%s of station %s ended with ok, and no worker got a task: %s", counted64(notified, "notification"), station, getCommand(key))
}

// lastOutcome is the outcome of a queue's last hand-over, how many in a row have failed, and how often
// workers were notified in vain.
func lastOutcome(q *schema.Queue) string {
	if q.Errors > 1 {
		return fmt.Sprintf("%s, %s in a row", q.LastState, counted64(q.Errors, "error"))
	}
	if q.Notified > 0 {
		return fmt.Sprintf("%s, %s, none got", q.LastState, counted64(q.Notified, "notification"))
	}
	return string(q.LastState)
}

// retriedText returns the sentence about the delivery that queue retry has begun.
func retriedText(key string, state schema.Status) string {
	text := fmt.Sprintf("retried %s, %s", key, state)
	if state == schema.StatusExecuting {
		return text + ": its tasks are handed over now; stationmaster queue show " + inShell(key) + " has the outcome"
	}
	return text + ": its tasks wait for their turn"
}

// queueWait returns a line about the cause for which a queue waits; none if it does not, or cannot be
// asked about.
func queueWait(ctx context.Context, c *client.Client, q *schema.Queue) (lines [][2]string) {
	view, err := c.Plan(q.Station, q.PlanID).Get(ctx)
	if err != nil || view.State.Waits == nil {
		return nil
	}
	return [][2]string{{"waits", waitsText(view.State.Waits)}}
}

// lastErrorOf returns the last error of an occurrence, or of a queue's items, that is tried again; empty:
// none has failed.
func lastErrorOf(s *schema.PlanState) (text string) {
	if s.Inbox != nil && s.Inbox.LastError != nil {
		return s.Inbox.LastError.Info
	}
	for _, o := range s.Open {
		if o.LastError != nil {
			text = o.LastError.Info
		}
	}
	return text
}
