package process_test

import (
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
	"github.com/stationmaster-io/stationmaster/worker/process"
)

func ExampleHandler() {
	upper := process.Handler([]string{"tr", "a-z", "A-Z"})

	// A worker calls it with an execution from NATS.
	content, err := upper(context.Background(), &worker.Execution{Execution: schema.Execution{
		Messages: []wire.Value{wire.Text(wire.JSON, "hello")},
	}})
	fmt.Println(content, err)
	// Output: HELLO <nil>
}
