package bench

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// memory measures the scheduler's memory for each idle plan, with a machine alone after all
// of its rows are written. Payload is the number of bytes of each plan's message; 0: the
// usual.
type memory struct{ Plans, Payload int }

// run returns the number of bytes of heap of one plan.
func (m memory) run(ctx context.Context) (float64, error) {
	before := heap()
	c := newClerk()
	now := time.Now()
	for i := range m.Plans {
		if i%1000 == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if err := c.create(now, i, m.Payload); err != nil {
			return 0, err
		}
		if i%1000 == 999 && m.Payload > 0 {
			if err := c.finish(now.Add(time.Minute)); err != nil {
				return 0, err
			}
		}
	}
	if err := c.finish(now.Add(time.Minute)); err != nil {
		return 0, err
	}
	after := heap()
	plans, _ := c.machine.Stats() // keeps the machine alive until here
	if plans != m.Plans {
		return 0, fmt.Errorf("the machine has %d plans; %d were created", plans, m.Plans)
	}
	return float64(after-before) / float64(m.Plans), nil
}

// heap returns the number of bytes of heap in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // the memory that the first one finalized
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// A clerk steps a machine as the scheduler does, but treats every batch as durable
// and every row as written.
type clerk struct {
	machine *machine.Machine
	batch   *batch.Batch
	number  uint64
}

// newClerk leads a machine that evicts every large definition once it is stored.
func newClerk() *clerk {
	c := &clerk{machine: machine.New(machine.Config{LargeRoom: 1}), batch: batch.New(1 << 20), number: 1}
	c.batch.Reset(c.number)
	c.machine.Lead(time.Now(), 1, time.Time{})
	return c
}

// create makes plan i, which is idle, with a message of payload bytes; 0: the usual one.
func (c *clerk) create(now time.Time, i, payload int) error {
	plan := plansOf(1, idle(now), func(_ int, p *schema.Plan) { p.PlanID = planID(i) })[0]
	if payload > 0 {
		plan.Messages = []wire.Value{wire.Text(wire.JSON, strings.Repeat("m", payload))}
	}
	v, err := wire.ValueOf(wire.JSON, plan)
	if err != nil {
		return fmt.Errorf("encode a plan: %w", err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		return fmt.Errorf("check a plan: %w", err)
	}
	ask := event.Ask{From: c, What: command.CreatePlan{Definition: d}}
	if c.machine.Step(now, ask, c.batch) == machine.Full {
		if err := c.commit(); err != nil {
			return err
		}
		c.machine.Step(now, ask, c.batch)
	}
	return nil
}

// finish commits the last batch and writes all rows. It flushes again, because large
// definitions are evicted at the Flush after the one that hands them out.
func (c *clerk) finish(now time.Time) error {
	if err := c.commit(); err != nil {
		return err
	}
	for c.machine.Unwritten() > 0 {
		before := c.machine.Unwritten()
		c.machine.Step(now, event.Flush{Max: 1000}, c.batch)
		if err := c.commit(); err != nil {
			return err
		}
		if c.machine.Unwritten() == before {
			return fmt.Errorf("%d rows are not handed out to be written", before)
		}
	}
	c.machine.Step(now, event.Flush{Max: 1}, c.batch)
	return c.commit()
}

// commit ends the batch and checks its effects.
func (c *clerk) commit() error {
	c.batch.Seal()
	for _, e := range c.batch.Effects {
		if answer, ok := e.(event.Answer); ok && answer.Err != nil {
			return fmt.Errorf("create a plan: %w", answer.Err)
		}
	}
	c.number++
	c.batch.Reset(c.number)
	return nil
}
