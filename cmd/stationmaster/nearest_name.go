package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A naming is the place of a name in a request: the service, without its verb, and the field of
// which a refusal says that nothing has the name. It finds the name that may be meant.
type naming struct{ service, field string }

// A finder returns the nearest name to the one in an argument, as a part of a sentence; empty: none is near.
type finder func(ctx context.Context, c *client.Client, arg string) string

// finders lists the names that are looked for by refusals. Plans have their own, because
// an argument may be several of their names, and queues and calendars are found by others.
var finders = map[naming]finder{
	{"periodic_tasks", "id"}: func(ctx context.Context, c *client.Client, arg string) string {
		return nearestOf(arg, c.Periodic().All(ctx, schema.ListPeriodic{}), func(t schema.PeriodicTask) string { return t.ID })
	},
	{"task_types", "code"}: nearestType,
	{"tasks", "type"}:      nearestType,
	{"tasks", "id"}:        nearestTask,
	{"secrets", "name"}: func(ctx context.Context, c *client.Client, arg string) string {
		return nearestOf(arg, c.Secrets().All(ctx), func(s schema.NamedSecret) string { return s.Name })
	},
	{"stations", "station"}: func(ctx context.Context, c *client.Client, arg string) string {
		return nearestOf(arg, c.Stations().All(ctx), func(s schema.Station) string { return s.Station })
	},
	{"workers", "worker_id"}: func(ctx context.Context, c *client.Client, arg string) string {
		return nearestOf(arg, c.Workers().All(ctx, ""), func(w schema.Worker) string { return w.WorkerID })
	},
}

// nearestTask suggests a task, or the type, because no task is of a type that there is not.
func nearestTask(ctx context.Context, c *client.Client, arg string) string {
	code, id, _ := strings.Cut(arg, "/")
	if _, err := c.TaskTypes().Get(ctx, code); errors.Is(err, client.ErrNotFound) {
		return "; there is no task type " + code + nearestType(ctx, c, code)
	}
	return nearestOf(code+"/"+id, c.Tasks().All(ctx, schema.ListTasks{Type: code}), func(t schema.Task) string { return code + "/" + t.ID })
}

// withNearest adds the name that may be meant to a refusal because nothing has the name of the
// command's first argument.
func (conn *connection) withNearest(cmd *cobra.Command, err error) error {
	refused, is := errors.AsType[*schema.Error](err)
	args := cmd.Flags().Args()
	if !is || refused.Code != schema.CodeNotFound || len(args) == 0 || strings.Contains(err.Error(), "did you mean") {
		return err
	}
	before, whole := strings.CutSuffix(err.Error(), refused.Error())
	if !whole {
		return err
	}
	find := finders[naming{serviceOf(before), refused.Field}]
	if find == nil {
		return err
	}
	said := *refused
	conn.beside(cmd, func(ctx context.Context, c *client.Client) { said.Message += find(ctx, c, args[0]) })
	return fmt.Errorf("%s%w", before, &said)
}

// serviceOf is the service in the subject of a request that ends what stands before a refusal, as in
// "list them: prefix.tasks.list: ".
func serviceOf(before string) string {
	subject := strings.TrimSuffix(before, ": ")
	parts := strings.Split(subject[strings.LastIndexByte(subject, ' ')+1:], ".")
	if len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-2]
}
