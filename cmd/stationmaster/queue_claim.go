package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newQueuePeek(a *asker) *cobra.Command {
	number := int64(10)
	cmd := &cobra.Command{
		Use:   "peek KEY",
		Short: "Show the first tasks of a queue, and leave them there",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.tasks(cmd, schema.QueueGet{Key: args[0], Number: &number}, client.Queue.Peek)
		},
	}
	cmd.Flags().Int64Var(&number, "number", number, "how many")
	return cmd
}

func newQueueGet(a *asker) *cobra.Command {
	number, seconds, random := int64(1), 60.0, ""
	cmd := &cobra.Command{
		Use:   "get KEY",
		Short: "Lock the first tasks of a queue, and print them, one a line",
		Long: `Lock the first tasks of a queue, and print them, one a line. A get is a delivery, also
before the queue's time, and that time is gone with it: tasks that are left go out at once
after complete, else when the lock ends, unless a push meanwhile or release --at says when.`,
		Example: `  stationmaster queue get chores --random $$ --number 5 --timeout 30
  stationmaster queue complete chores --random $$`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			timeout := schema.Seconds(seconds)
			return a.tasks(cmd, schema.QueueGet{Key: args[0], Number: &number, Timeout: &timeout, Random: random}, client.Queue.Lock)
		},
	}
	cmd.Flags().Int64Var(&number, "number", number, "how many")
	secondsVar(cmd.Flags(), &seconds, "timeout", "after how long the lock ends by itself; how long to wait for the server is --request-timeout")
	cmd.Flags().StringVar(&random, "random", "", "a unique text; it names the lock")
	return cmd
}

// tasks prints the tasks of an answer as JSON, or one a line.
func (a *asker) tasks(cmd *cobra.Command, q schema.QueueGet, get func(client.Queue, context.Context, schema.QueueGet) (*schema.QueueGot, error)) error {
	return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
		got, err := get(c.Queue(q.Key), ctx, q)
		if err != nil {
			return err
		}
		if a.json {
			return printJSON(cmd.OutOrStdout(), got)
		}
		if got.Length == 0 {
			cmd.PrintErrf("note: queue %s holds nothing%s\n", q.Key, a.nearestQueue(cmd, q.Key))
		}
		for _, task := range got.Tasks {
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), task); err != nil {
				return err
			}
		}
		return nil
	})
}

func newQueueComplete(a *asker) *cobra.Command {
	var q schema.QueueComplete
	number := int64(-1)
	cmd := &cobra.Command{
		Use:   "complete KEY",
		Short: "Remove tasks that you have locked, and end the lock",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Key = args[0]
			switch {
			case number < -1:
				return usagef("--number is %d; it is how many of the first that are locked are done, or -1 for all", number)
			case number >= 0:
				q.Number = &number
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				done, err := c.Queue(q.Key).Complete(ctx, q)
				if err != nil {
					return err
				}
				if number == 0 {
					return a.answer(cmd, done, fmt.Sprintf("completed none, %s holds %d: the lock has ended, and its tasks can be got again", q.Key, done.Length))
				}
				return a.answer(cmd, done, fmt.Sprintf("completed, %s holds %d", q.Key, done.Length))
			})
		},
	}
	cmd.Flags().Int64Var(&number, "number", number, "how many of the first; -1 for all that are locked, 0 for none, which ends the lock")
	cmd.Flags().StringVar(&q.Random, "random", "", "the text that get was given")
	return cmd
}

func newQueueRelease(a *asker) *cobra.Command {
	var q schema.QueueRelease
	at := ""
	cmd := &cobra.Command{
		Use:   "release KEY",
		Short: "End your lock and leave the tasks in the queue",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Key = args[0]
			var err error
			if q.OnTime, err = momentArgument(at); err != nil {
				return err
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				released, err := c.Queue(q.Key).Release(ctx, q)
				if err != nil {
					return err
				}
				next := dueText(released.OnTime)
				if !a.json && isHeld(ctx, c, q.Key) {
					next = heldText(at)
				}
				return a.answer(cmd, released, "released "+q.Key+next)
			})
		},
	}
	cmd.Flags().StringVar(&q.Random, "random", "", "the text that get was given")
	timeVar(cmd.Flags(), &at, "at", "when it is handed over next: a time, or a span from now (default: when the lock would have ended)")
	return cmd
}
