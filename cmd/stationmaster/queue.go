package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newQueue() *cobra.Command {
	var a asker
	cmd := group("queue", "Fill, look at and empty merge queues",
		newQueueList(&a), newQueueShow(&a), newQueuePeek(&a), newQueuePush(&a),
		newQueueGet(&a), newQueueComplete(&a), newQueueRelease(&a),
		newQueueRetry(&a), newQueueRemove(&a))
	cmd.Long = `A merge queue gathers the items of one key, and delivers them together when they are
due: to a service by HTTP, or to the worker that gets them.`
	a.flags(cmd)
	a.asksIn(cmd, "push", "complete", "release", "retry", "rm")
	return cmd
}

func newQueueList(a *asker) *cobra.Command {
	var limit int
	var station, text string
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the queues that have tasks",
		Args:  takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				queues := first(limit, c.Queues().All(ctx, schema.ListQueues{Station: station, Text: text}))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "queues", queues)
				}
				return printTable(cmd, []string{"KEY", "LENGTH", "LOCKED", "STATUS", "DUE", "LAST", "PLAN"}, queues, queueRow)
			})
		},
	}
	limitVar(cmd.Flags(), &limit, 100)
	cmd.Flags().StringVar(&station, "station", "", "of this station only, or of those below a prefix that ends in .>")
	cmd.Flags().StringVar(&text, "text", "", "whose keys hold this text")
	return cmd
}

func queueRow(q *schema.Queue) []string {
	due := ""
	if q.OnTime != 0 {
		due = when(time.Unix(q.OnTime, 0))
	}
	return []string{
		q.Key, strconv.FormatInt(q.Length, 10), strconv.FormatInt(q.Locked, 10), string(q.Status),
		orDash(due), orDash(lastOutcome(q)), q.Station + "/" + q.PlanID,
	}
}

func newQueuePush(a *asker) *cobra.Command {
	var q schema.QueuePush
	var at, data string
	var abandon float64
	cmd := &cobra.Command{
		Use:   "push KEY TASK [flags]",
		Short: "Put a task, a JSON value, into a queue",
		Example: `  stationmaster queue push digest-789 '{"to":789}' --at 10m --method POST --service https://example.org/digest
  stationmaster queue push digest-789 '{"to":789}' --update always --at 2030-03-01T12:00:00Z
  stationmaster queue push chores '"sweep"'                # for queue get`,
		Args: takes(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Key, q.AbandonAfter = args[0], schema.Seconds(abandon)
			var err error
			if q.Task, err = jsonArgument("TASK", args[1]); err != nil {
				return err
			}
			if data != "" {
				if q.Data, err = jsonArgument("--data", data); err != nil {
					return err
				}
			}
			if q.Service != "" && q.Method == "" {
				q.Method = http.MethodPost
			}
			if q.OnTime, err = momentArgument(at); err != nil {
				return err
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				pushed, err := c.Queue(q.Key).Push(ctx, q)
				if err != nil {
					return err
				}
				next := dueText(pushed.OnTime)
				if q.Service == "" && q.Station == "" && !a.json && isHeld(ctx, c, q.Key) {
					next = heldText(at)
					if pushed.Warning != "" {
						warnTargetless(cmd, q.Key)
					}
				}
				if q.Station != "" && !a.json && pushed.Length == 1 {
					cmd.PrintErrln(getsNote(stationKind(ctx, c, q.Station), q.Station, q.Key))
				}
				warnKept(ctx, cmd, c, &q, pushed)
				return a.answer(cmd, pushed, fmt.Sprintf("pushed to %s, length %d%s", pushed.Key, pushed.Length, next))
			})
		},
	}
	fs := cmd.Flags()
	timeVar(fs, &at, "at", "when it is handed over to --service or --station: a time, or a span from now such as 10m (now)")
	fs.StringVar((*string)(&q.Update), "update", "once", "always: set the time of a queue that has one, too; once: only that of a new one")
	fs.StringVar(&q.Method, "method", "", "the HTTP method of the call (POST)")
	fs.StringVar(&q.Service, "service", "", "the URL that gets the tasks")
	fs.StringVar(&q.Station, "station", "", "the station whose workers are notified to get them")
	fs.StringVar(&data, "data", "", "a map that is merged into the queue's")
	secondsVar(fs, &abandon, "abandon-after", "delete the queue when it is not taken for so long; 0: never. The value of the first push counts")
	return cmd
}

// heldText is the next step for a queue that is held for queue get; at is --at.
func heldText(at string) string {
	next := ", to be fetched with queue get"
	if at != "" {
		next += " at any time: nothing is handed over at --at, because the queue has neither a --service nor a --station"
	}
	return next
}

// isHeld reports whether a queue has no station to deliver to, because an earlier push may
// have named one.
func isHeld(ctx context.Context, c *client.Client, key string) bool {
	found, err := c.Queue(key).Get(ctx)
	return err == nil && found.Station == queue.HoldStation
}

// shortened is the beginning of an argument.
func shortened(text string) string {
	const most = 40
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(text)
}

// jsonArgument reads a JSON value from the command line.
func jsonArgument(what, text string) (wire.Value, error) {
	v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
	if err != nil {
		return v, usagef("%s is no JSON: %s (%s); it takes a map such as {\"a\":1}, a number, or a text in double quotes", what, shortened(text), schema.SyntaxText([]byte(text), err))
	}
	return v, nil
}

// longPast is how old a time of --at may be that is taken for now, because a script may have computed it
// a while ago.
const longPast = time.Minute

// momentArgument reads the time of --at; empty is now. One that has passed is refused, because a
// mistyped one would be now.
func momentArgument(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := moment(text, time.Now())
	if err != nil {
		return at, usagef("--at %w", err)
	}
	if time.Since(at) > longPast {
		return at, usagef("--at is %s, which has passed: leave it out, if it is to be at once", when(at))
	}
	return at.Truncate(time.Millisecond), nil
}

func dueText(seconds int64) string {
	if seconds == 0 {
		return ""
	}
	return ", due " + when(time.Unix(seconds, 0))
}

func newQueueRemove(a *asker) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "rm KEY",
		Short: "Delete a queue with all its tasks",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				var deleted schema.QueueDeleted
				handed := a.underWay(cmd, args[0])
				request := map[string]any{"key": args[0]}
				if dry {
					request["dry_run"] = true
				}
				if err := c.Do(ctx, "queues", "delete", request, &deleted); err != nil {
					return err
				}
				if deleted.Deleted == 0 {
					return &schema.Error{
						Code: schema.CodeNotFound, Field: "key",
						Message: fmt.Sprintf("queue %s holds nothing; queue ls shows those that do%s", args[0], a.nearestQueue(cmd, args[0])),
					}
				}
				if dry {
					return a.answerForeseen(cmd, &deleted, fmt.Sprintf("would remove %s, %s", args[0], counted64(deleted.Deleted, "task"))+handed)
				}
				return a.answer(cmd, &deleted, fmt.Sprintf("removed %s, %s", args[0], counted64(deleted.Deleted, "task"))+handed)
			})
		},
	}
	foreseenVar(cmd.Flags(), &dry)
	return cmd
}

func newQueueRetry(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "retry KEY",
		Short: "Deliver a queue's items now, whether or not it is due, and also when it was stopped",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				retried, err := c.Queue(args[0]).Retry(ctx)
				if err != nil {
					return err
				}
				return a.answer(cmd, retried, retriedText(args[0], retried.State))
			})
		},
	}
}

func newQueueShow(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "show KEY",
		Short: "Show the state of a queue",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				q, err := c.Queue(args[0]).Get(ctx)
				if err != nil {
					return err
				}
				if q.Notified > 0 {
					return a.show(cmd, q, [2]string{"note", untakenNote(q.Station, q.Key, q.Notified)})
				}
				return a.show(cmd, q, queueWait(ctx, c, q)...)
			})
		},
	}
}
