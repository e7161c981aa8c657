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

// A publisher that waits for what becomes of its plan.
func Example() {
	url, stop := installation() // somewhere else, as a rule
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
	results, err := c.Results().Follow("hello") // before the plan, to miss nothing
	if err != nil {
		log.Panic(err)
	}
	defer results.Stop()

	// Three times, each as soon as the one before has finished; 1 would be each second.
	every, times := int64(0), int64(3)
	ctx := context.Background()
	created, err := c.Plans().Create(ctx, schema.Plan{
		Station: "hello", Command: "greet",
		Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &every, PlanRepet: &times},
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

// All plans of a station, whatever number of pages they are.
func ExamplePlans_All() {
	c, stop := connected() // a client of New
	defer stop()
	ctx := context.Background()
	for day := 1; day <= 3; day++ {
		_, err := c.Plans().Create(ctx, schema.Plan{
			Station: "hello", PlanID: fmt.Sprint("day-", day), Command: "greet",
			Schedule: schema.Schedule{PlanType: schema.TypeTime, PlanTime: time.Date(2100, time.January, day, 9, 0, 0, 0, time.UTC)},
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

// Errors of services have codes that stay.
func ExamplePlan_Get() {
	c, stop := connected() // a client of New
	defer stop()

	_, err := c.Plan("hello", "nobody-made-it").Get(context.Background())
	switch {
	case errors.Is(err, client.ErrNotFound):
		fmt.Println("there is no such plan")
	case errors.Is(err, client.ErrUnavailable):
		fmt.Println("nobody can tell at the moment")
	case err != nil:
		log.Panic(err)
	}
	// Output: there is no such plan
}

// A plan is moved to another time of day, and runs once at once besides.
func ExamplePlan_Update() {
	c, stop := connected() // a client of New
	defer stop()
	ctx, name := context.Background(), schema.PlanName{Station: "hello", PlanID: "morning"}
	_, err := c.Plans().Create(ctx, schema.Plan{
		Station: name.Station, PlanID: name.PlanID, Command: "greet",
		Schedule: schema.Schedule{PlanType: schema.TypeCron, Cron: "0 9 * * *", Jitter: 60},
	})
	if err != nil {
		log.Panic(err)
	}

	plan, err := c.PlanNamed(name).Get(ctx)
	if err != nil {
		log.Panic(err)
	}
	moved, err := c.PlanNamed(name).Update(ctx, client.Update{
		Set:      schema.Plan{Schedule: schema.Schedule{Cron: "30 6 * * *"}},
		Clear:    []string{"jitter"},
		Revision: plan.State.Revision, // nobody else has changed it meanwhile
	})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println("due at", moved.PlanTime.Format(time.TimeOnly))
	triggered, err := c.PlanNamed(name).Trigger(ctx)
	if err != nil {
		log.Panic(err)
	}
	fmt.Println("run", triggered.N)
	// Output:
	// due at 06:30:00
	// run 1
}
