package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A publisher that waits for the results of its plan.
func Example() {
	url, stop := installation() // elsewhere, as a rule
	defer stop()

	nc, err := nats.Connect(url)
	if err != nil {
		log.Panic(err)
	}
	defer nc.Close()
	c, err := client.New(nc, client.Options{Repeats: 5})
	if err != nil {
		log.Panic(err)
	}
	defer c.Close()
	results, err := c.Results().Follow("hello") // before the plan, so that none is missed
	if err != nil {
		log.Panic(err)
	}

	ctx, times := context.Background(), int64(3)
	created, err := c.Plans().Create(ctx, schema.Plan{
		Station: "hello", Command: "greet", Messages: schema.Messages("Ada"),
		Schedule: schema.Every(0).Times(times), // each as soon as the one before is settled
	})
	if err != nil {
		log.Panic(err)
	}
	for result, err := range results.All(ctx) {
		if err != nil {
			log.Panic(err)
		}
		if result.PlanID == created.PlanID {
			fmt.Println(result.N, result.State, result.Content)
			if result.Occurrence == times && result.Final {
				return
			}
		}
	}
	// Output:
	// 1 ok "hello"
	// 2 ok "hello"
	// 3 ok "hello"
}

// All plans of a station, however many pages they are.
func ExamplePlans_All() {
	c, stop := connected() // a client of New
	defer stop()
	ctx := context.Background()
	for day := 1; day <= 3; day++ {
		_, err := c.Plans().Create(ctx, schema.Plan{
			Station: "hello", PlanID: fmt.Sprint("day-", day), Command: "greet",
			Schedule: schema.At(time.Date(2100, time.January, day, 9, 0, 0, 0, time.UTC)),
		})
		if err != nil {
			log.Panic(err)
		}
	}

	for plan, err := range c.Plans().All(ctx, schema.ListPlans{Station: "hello"}) {
		if err != nil {
			log.Panic(err)
		}
		id, _ := plan.Plan.Field("plan_id").Text()
		fmt.Println(id, plan.State.Status, plan.State.PlanTime)
	}
	// Output:
	// day-1 queued 2100-01-01 09:00:00 +0000 UTC
	// day-2 queued 2100-01-02 09:00:00 +0000 UTC
	// day-3 queued 2100-01-03 09:00:00 +0000 UTC
}

// Errors have sentinels, which errors.Is finds however they are wrapped.
func ExamplePlan_Get() {
	c, stop := connected() // a client of New
	defer stop()

	_, err := c.Plan("hello", "missing").Get(context.Background())
	switch {
	case errors.Is(err, client.ErrNotFound):
		fmt.Println("there is no such plan")
	case errors.Is(err, client.ErrUnavailable):
		fmt.Println("no scheduler answers at the moment")
	case err != nil:
		log.Panic(err)
	}
	// Output: there is no such plan
}

// A plan is paused, and goes on.
func ExampleClient_Plan() {
	c, stop := connected() // a client of New
	defer stop()
	ctx := context.Background()
	_, err := c.Plans().Create(ctx, schema.Plan{
		Station: "hello", PlanID: "office", Command: "greet",
		Schedule: schema.Cron("0 9 * * mon-fri", "Europe/Berlin"),
		Policy:   schema.Policy{ExecTimeout: schema.Within(30 * time.Second), Retry: schema.RetryEvery(10*time.Second, 3)},
	})
	if err != nil {
		log.Panic(err)
	}

	office := c.Plan("hello", "office") // STATION/ID
	for _, step := range []func(context.Context) (*schema.Standing, error){office.Pause, office.Resume, office.End} {
		standing, err := step(ctx)
		if err != nil {
			log.Panic(err)
		}
		fmt.Println(standing.State)
	}
	// Output:
	// paused
	// queued
	// closed
}

// A paused plan shows who has paused it, and why.
func ExamplePlan_Explain() {
	c, stop := connected() // a client of New
	defer stop()
	ctx, report := client.WithAttribution(context.Background(), schema.Attribution{By: "bob@desk", Note: "storage is full"}), c.Plan("hello", "report")
	_, err := c.Plans().Create(ctx, schema.Plan{Station: "hello", PlanID: "report", Command: "greet", Schedule: schema.Cron("30 2 * * *", "Europe/Berlin")})
	if err != nil {
		log.Panic(err)
	}
	if _, err := report.Pause(ctx); err != nil {
		log.Panic(err)
	}

	why, err := report.Explain(ctx, schema.Explain{}) // or of an occurrence, a run or a moment
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(why.Verdict, why.Waits.For, why.Because.By)
	// Output: waits resume bob@desk
}

// A plan is moved to another time of day, and runs once at once besides.
func ExamplePlan_Update() {
	c, stop := connected() // a client of New
	defer stop()
	ctx, morning := context.Background(), c.Plan("hello", "morning")
	daily := schema.Cron("0 9 * * *", "")
	daily.Jitter = 60
	_, err := c.Plans().Create(ctx, schema.Plan{Station: "hello", PlanID: "morning", Command: "greet", Schedule: daily})
	if err != nil {
		log.Panic(err)
	}

	plan, err := morning.Get(ctx)
	if err != nil {
		log.Panic(err)
	}
	moved, err := morning.Update(ctx, client.Update{
		Set:      schema.Plan{Schedule: schema.Schedule{Cron: "30 6 * * *"}},
		Clear:    []string{"jitter"},
		Revision: plan.State.Revision, // the plan has not changed meanwhile
	})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println("due at", moved.PlanTime.Format(time.TimeOnly))
	triggered, err := morning.Trigger(ctx)
	if err != nil {
		log.Panic(err)
	}
	fmt.Println("run", triggered.N)
	// Output:
	// due at 06:30:00
	// run 1
}

// A merge queue collects tasks, and a worker locks the first ones, does and completes them.
func ExampleClient_Queue() {
	c, stop := connected() // a client of New
	defer stop()
	ctx, chores := context.Background(), c.Queue("chores")
	for _, task := range schema.Messages("wash", "iron", "fold") {
		if _, err := chores.Push(ctx, schema.QueuePush{Task: task}); err != nil {
			log.Panic(err)
		}
	}

	got, err := chores.Lock(ctx, schema.QueueGet{Number: new(int64(2)), Random: "a1b2"})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(got.Tasks)
	done, err := chores.Complete(ctx, schema.QueueComplete{Random: "a1b2"})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println("left:", done.Length)
	// Output:
	// ["wash" "iron"]
	// left: 1
}

// A task is submitted, and an agent fetches and reports it.
func ExampleClient_Tasks() {
	c, stop := connected() // a client of New
	defer stop()
	ctx := context.Background()
	if _, err := c.TaskTypes().Put(ctx, schema.TaskType{Code: "transcode"}); err != nil {
		log.Panic(err)
	}
	if _, err := c.Tasks().Submit(ctx, schema.TaskSubmit{Type: "transcode", ID: "a-mov"}); err != nil {
		log.Panic(err)
	}

	tasks, err := c.Tasks().Fetch(ctx, schema.TaskFetch{WorkerID: "agent-1", Type: "transcode", WaitMS: 10_000})
	if err != nil {
		log.Panic(err)
	}
	for _, task := range tasks {
		reported, err := c.Tasks().Report(ctx, schema.TaskReport{Type: task.Type, ID: task.ID, ExecID: task.ExecID, WorkerID: "agent-1"})
		if err != nil {
			log.Panic(err)
		}
		fmt.Println(reported.ID, reported.Status)
	}
	// Output: a-mov Success
}
