package worker_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node/nodetest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// installation starts one for an example, connects to it, and puts the records of
// stations.
func installation(stations ...schema.Station) (nc *nats.Conn, stop func()) {
	url, stopNode := nodetest.Start()
	nc, err := nats.Connect(url, nats.Timeout(patience))
	if err != nil {
		log.Panic(err)
	}
	for _, station := range stations {
		if _, err := publisher(nc).Stations().Put(context.Background(), station); err != nil {
			log.Panic(err)
		}
	}
	return nc, func() {
		nc.Close()
		stopNode()
	}
}

func publisher(nc *nats.Conn) *client.Client {
	c, err := client.New(nc, client.Options{Timeout: patience})
	if err != nil {
		log.Panic(err)
	}
	return c
}

// run is the publisher of an example. It makes a plan that runs once, at once, with one message
// and without retries, and returns how that ended.
func run(nc *nats.Conn, plan schema.Plan, message any) *schema.Result {
	frame, err := wire.ValueOf(wire.JSON, message)
	if err != nil {
		log.Panic(err)
	}
	plan.Messages, plan.Retry = []wire.Value{frame}, &schema.Retry{Strategy: schema.RetryNone}
	results, err := publisher(nc).Results().Follow(plan.Station)
	if err != nil {
		log.Panic(err)
	}
	defer results.Stop()
	if _, err := publisher(nc).Plans().Create(context.Background(), plan); err != nil {
		log.Panic(err)
	}
	for result, err := range results.All(context.Background()) {
		if err != nil {
			log.Panic(err)
		}
		if result.Final {
			return result
		}
	}
	panic(fmt.Sprintf("the results of station %s have ended", plan.Station))
}
