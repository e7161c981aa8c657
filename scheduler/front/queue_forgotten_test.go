package front_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A push without a target is warned of if the queue had one, which it forgot when it was empty.
func TestAPushToAQueueThatForgotItsTarget(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		d.keepOf(wire.JSON, ran(queue.Station, queue.PlanID("cf"), 1, schema.StateOK, time.Now()))
		for _, c := range []struct {
			push   string
			warned bool
		}{
			{`{"key":"new","task":1}`, false},
			{`{"key":"cf","task":1}`, true},
			{`{"key":"cf","task":2}`, false}, // it is the same queue
			{`{"key":"other","task":1,"method":"POST","service":"http://a.org/"}`, false},
		} {
			if answer := d.mustAsk("queues.push", c.push); strings.Contains(answer, `"warning":"a queue of this key`) != c.warned {
				t.Errorf("%s is answered %s", c.push, answer)
			}
		}
	})
}
