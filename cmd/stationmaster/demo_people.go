package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Queues and tasks of the demo, because the console has pages for them, where people act.

var demoTypes = []schema.TaskType{
	{Code: "review", Name: "Review of a page", Config: schema.TaskConfig{
		RetryStrategy: schema.RetryNone, NeedManual: new(true), Timeout: new(0.0),
	}},
	{Code: "translate", Name: "Translation of a page", Config: schema.TaskConfig{
		RetryStrategy: schema.RetryFixed, RetryInterval: new(schema.Seconds(3600)),
	}},
}

// demoTasks are tasks, and how an agent leaves each: New ones are not fetched.
var demoTasks = []struct {
	of    schema.TaskName
	left  schema.TaskStatus
	error string
}{
	{schema.TaskName{Type: "review", ID: "imprint"}, schema.TaskError, "the page has no text"}, // Pending, for a person
	{schema.TaskName{Type: "review", ID: "terms"}, schema.TaskSuccess, ""},
	{schema.TaskName{Type: "review", ID: "prices"}, schema.TaskExecuting, ""},
	{schema.TaskName{Type: "translate", ID: "terms"}, schema.TaskError, "the dictionary is not there"},
	{schema.TaskName{Type: "translate", ID: "prices"}, schema.TaskNew, ""},
}

// demoPushes are the items of the demo's queues: workers get those of chores, and those of digest
// go to a service tomorrow.
func demoPushes(now time.Time) []schema.QueuePush {
	chore := func(room string) schema.QueuePush {
		return schema.QueuePush{Key: "chores", Task: wire.Text(wire.JSON, "sweep the "+room)}
	}
	page := func(name string) schema.QueuePush {
		return schema.QueuePush{
			Key: "digest", Task: wire.Text(wire.JSON, name+" was changed"),
			OnTime: now.Add(24 * time.Hour), Method: "POST", Service: "http://127.0.0.1:9/digest",
		}
	}
	return []schema.QueuePush{chore("hall"), chore("kitchen"), chore("yard"), page("terms"), page("prices")}
}

// isDemoType reports whether a station is that of a type of the demo.
func isDemoType(record *schema.Station) bool {
	for _, t := range demoTypes {
		if record.TaskType != nil && record.Station == t.Code && record.TaskType.Name == t.Name {
			return true
		}
	}
	return false
}

// isDemoWork reports whether a plan is a task or a queue of the demo.
func isDemoWork(name schema.PlanName) bool {
	for _, t := range demoTypes {
		if name.Station == t.Code {
			return true
		}
	}
	return name.PlanID == queue.PlanID("chores") || name.PlanID == queue.PlanID("digest")
}

// demoPeople makes the queues and the tasks that are not there yet.
func demoPeople(ctx context.Context, c *client.Client) (made []undo, err error) {
	for _, key := range []string{"chores", "digest"} {
		made = append(made, func(ctx context.Context) error {
			_, err := c.Queue(key).Delete(ctx)
			return err
		})
	}
	if err := demoQueues(ctx, c); err != nil {
		return made, err
	}
	for _, t := range demoTypes {
		if _, err := c.TaskTypes().Put(ctx, t); err != nil {
			return made, err
		}
	}
	made = append(made, func(ctx context.Context) error { return endDemoTasks(ctx, c) })
	for _, t := range demoTasks {
		submitted, err := c.Tasks().Submit(ctx, schema.TaskSubmit{Type: t.of.Type, ID: t.of.ID, Creator: "demo", OnConflict: schema.ConflictKeep})
		if err != nil {
			return made, err
		}
		if submitted.Status == schema.TaskNew && t.left != schema.TaskNew {
			if err := leaveTask(ctx, c, t.of, t.left, t.error); err != nil {
				return made, err
			}
		}
	}
	return made, nil
}

func demoQueues(ctx context.Context, c *client.Client) error {
	_, err := c.Queue("chores").Get(ctx)
	if !errors.Is(err, client.ErrNotFound) {
		return err // those of an earlier demo are there
	}
	for _, push := range demoPushes(time.Now()) {
		if _, err := c.Queue(push.Key).Push(ctx, push); err != nil {
			return err
		}
	}
	_, err = c.Queue("chores").Lock(ctx, schema.QueueGet{Number: new(int64(1)), Timeout: new(schema.Seconds(24 * 60 * 60)), Random: "demo"})
	return err
}

// leaveTask has an agent fetch the task that is the next of its type, and leave it in a status.
func leaveTask(ctx context.Context, c *client.Client, of schema.TaskName, as schema.TaskStatus, because string) error {
	fetched, err := c.Tasks().Fetch(ctx, schema.TaskFetch{WorkerID: "demo-agent", Type: of.Type, WaitMS: 5000})
	if err != nil || len(fetched) == 0 || as == schema.TaskExecuting {
		return err
	}
	if fetched[0].ID != of.ID {
		return fmt.Errorf("the agent of the demo was given task %s in place of %s", fetched[0].ID, of.ID)
	}
	_, err = c.Tasks().Report(ctx, schema.TaskReport{Type: of.Type, ID: of.ID, ExecID: fetched[0].ExecID, WorkerID: "demo-agent", Status: as, ErrorInfo: because})
	return err
}

// endDemoTasks cancels the tasks that are not over, then removes their types.
func endDemoTasks(ctx context.Context, c *client.Client) (err error) {
	for _, t := range demoTypes {
		for task, lost := range c.Tasks().All(ctx, schema.ListTasks{Type: t.Code}) {
			if lost != nil {
				return lost
			}
			_, failed := c.Task(task.Type, task.ID).Cancel(ctx, "the demo has ended")
			err = errors.Join(err, failed)
		}
		_, failed := c.TaskTypes().Delete(ctx, t.Code)
		err = errors.Join(err, failed)
	}
	return err
}
