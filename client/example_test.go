package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A publisher that waits for what becomes of its plan.
func Example() {
	nc, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	c, err := client.New(nc, client.Options{Repeats: 5})
	if err != nil {
		log.Fatal(err)
	}
	results, err := c.Results("hello") // before the plan, to miss nothing
	if err != nil {
		log.Fatal(err)
	}
	defer results.Stop()

	every, times := int64(1), int64(5)
	ctx := context.Background()
	created, err := c.Create(ctx, &schema.Plan{
		Station: "hello", Command: "greet",
		PlanType: schema.TypeSecond, PlanValue: &every, PlanRepet: &times,
	})
	if err != nil {
		log.Fatal(err)
	}
	for result, err := range results.All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if result.PlanID == created.PlanID {
			fmt.Println(result.N, result.State, result.Content)
			if result.Occurrence == times && result.Final {
				return
			}
		}
	}
}

// All plans of a station, whatever number of pages they are.
func ExampleClient_Plans() {
	var c *client.Client // of client.New
	show := func(ctx context.Context) error {
		for plan, err := range c.Plans(ctx, schema.ListPlans{Station: "hello"}) {
			if err != nil {
				return err
			}
			fmt.Println(plan.State.Status, plan.State.PlanTime)
		}
		return nil
	}
	_ = show
}

// Errors of services have codes that stay.
func ExampleClient_Get() {
	var c *client.Client // of client.New
	exists := func(ctx context.Context, name schema.PlanName) (bool, error) {
		_, err := c.Get(ctx, name)
		if errors.Is(err, &schema.Error{Code: schema.CodeNotFound}) {
			return false, nil
		}
		return err == nil, err
	}
	_ = exists
}

// A plan is moved to another time of day, and runs once at once besides.
func ExampleClient_Update() {
	var c *client.Client // of client.New
	move := func(ctx context.Context, name schema.PlanName) error {
		plan, err := c.Get(ctx, name)
		if err != nil {
			return err
		}
		_, err = c.Update(ctx, name, client.Update{
			Set:      schema.Plan{Cron: "30 6 * * *"},
			Clear:    []string{"jitter"},
			Revision: plan.State.Revision, // nobody else has changed it meanwhile
		})
		if err != nil {
			return err
		}
		triggered, err := c.Trigger(ctx, name)
		if err != nil {
			return err
		}
		fmt.Println("run", triggered.N)
		return nil
	}
	_ = move
}
