package scheduler_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A request that comes to the leader after its caller has given up is not carried out, whether it
// waited for a leader in this process or was on its way from another node.
func TestLeaderDropsRequestsThatWereGivenUp(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		standby := start(t, ns, func(c *scheduler.Config) { c.Node = "n2" })
		create := command.CreatePlan{Definition: definition(t, once)}
		for _, s := range []*testbed{b, standby} {
			var refused *schema.Error
			_, err := s.ask(command.Dated{Command: create, By: time.Now().Add(-command.ClockAllowance - time.Millisecond)})
			if !errors.As(err, &refused) || refused.Code != schema.CodeUnavailable || !strings.Contains(refused.Message, "nothing was done") {
				t.Errorf("it is answered %v", err)
			}
			if _, err := s.ask(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}}); !errors.Is(err, schema.CodeNotFound) {
				t.Errorf("the plan is there: %v", err)
			}
		}
		// Within the allowance it is carried out, because the caller's clock may be behind.
		if _, err := standby.ask(command.Dated{Command: create, By: time.Now().Add(-command.ClockAllowance)}); err != nil {
			t.Error(err)
		}
	})
}
