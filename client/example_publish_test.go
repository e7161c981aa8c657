package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// Thumbnail is declared once, in a package that publisher and worker share.
var Thumbnail = schema.Job[ThumbnailArgs]{Station: "images", Command: "thumbnail"}

type ThumbnailArgs struct {
	Picture string `json:"picture"`
	Width   int    `json:"width"`
}

// Arguments of another type than the job's do not compile, on either side.
func ExamplePublish() {
	url, stop := installation() // elsewhere, as a rule
	defer stop()
	nc, err := nats.Connect(url)
	if err != nil {
		log.Panic(err)
	}
	defer nc.Close()

	w, err := worker.New(nc, worker.Options{}) // in another program, as a rule
	if err != nil {
		log.Panic(err)
	}
	worker.HandleJob(w, Thumbnail, func(_ context.Context, args ThumbnailArgs) (string, error) {
		return fmt.Sprintf("%s, %d wide", args.Picture, args.Width), nil
	})
	if err := w.Start(); err != nil {
		log.Panic(err)
	}
	defer w.Stop()

	c, err := client.New(nc, client.Options{})
	if err != nil {
		log.Panic(err)
	}
	defer c.Close()
	results, err := c.Results().Follow(Thumbnail.Station)
	if err != nil {
		log.Panic(err)
	}
	ctx := context.Background()
	_, err = client.Publish(ctx, c, Thumbnail, ThumbnailArgs{Picture: "cat.png", Width: 120},
		schema.Plan{PlanID: "cat", Policy: schema.Policy{Retry: schema.NoRetry()}})
	if err != nil {
		log.Panic(err)
	}
	for result, err := range results.All(ctx) {
		if err != nil {
			log.Panic(err)
		}
		fmt.Println(result.PlanID, result.State, result.Content)
		return
	}
	// Output: cat ok "cat.png, 120 wide"
}
