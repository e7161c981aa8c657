package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var quotaExceeded = client.ErrQuotaExceeded

// A patient client repeats a request after the delay of the response, and no other does.
func TestAPatientClientKeepsToItsRate(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newServices(t, ns)
		s.on("plans.create", func(try int, _ wire.Value) any {
			if try%3 != 2 {
				return &schema.Error{Code: schema.CodeQuotaExceeded, Message: "too many", RetryAfterMS: 1500, TenantID: "acme"}
			}
			return schema.Created{PlanID: "p", Created: true}
		})
		plan := &schema.Plan{Station: "s", PlanID: "p", Command: "c"}
		began := time.Now()
		if _, err := newClient(t, ns, client.Options{Patient: true}).Plans().Create(t.Context(), *plan); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it has waited for %v", took)
		}
		_, err := newClient(t, ns, client.Options{Repeats: 5}).Plans().Create(t.Context(), *plan)
		if refused := new(schema.Error); !errors.As(err, &refused) || refused.TenantID != "acme" || refused.RetryAfterMS != 1500 {
			t.Errorf("one that is not patient: %v", err)
		}
		if n := len(s.requests()); n != 4 {
			t.Errorf("%d requests", n)
		}
	})
}

// A time that is far away is none to wait for, nor is there one when plans are too many.
func TestPatienceHasAnEnd(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newServices(t, ns)
		later := []int64{0, 61_000, 1 << 60, 30_000}
		s.on("plans.create", func(try int, _ wire.Value) any {
			return &schema.Error{Code: schema.CodeQuotaExceeded, Message: "too many", RetryAfterMS: later[try]}
		})
		c := newClient(t, ns, client.Options{Patient: true})
		began := time.Now()
		for range 3 {
			if _, err := c.Plans().Create(t.Context(), schema.Plan{Station: "s", PlanID: "p", Command: "c"}); !errors.Is(err, quotaExceeded) {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it has waited for %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Plans().Create(ctx, schema.Plan{Station: "s", PlanID: "p", Command: "c"})
		if !errors.Is(err, quotaExceeded) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who gives up got %v", err)
		}
	})
}

// A request that was unavailable is repeated no sooner than the scheduler asks.
func TestARetryKeepsToTheDelayOfTheServer(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newServices(t, ns)
		later := []int64{1500, 10, 1 << 60}
		s.on("plans.create", func(try int, _ wire.Value) any {
			if try < len(later) {
				return &schema.Error{Code: schema.CodeUnavailable, Message: "results are behind", RetryAfterMS: later[try]}
			}
			return schema.Created{PlanID: "p", Created: true}
		})
		began := time.Now()
		if _, err := newClient(t, ns, client.Options{Repeats: 5}).Plans().Create(t.Context(), schema.Plan{Station: "s", Command: "c"}); err != nil {
			t.Error(err)
		}
		if took, want := time.Since(began), 1500*time.Millisecond+500*time.Millisecond+time.Minute; took != want {
			t.Errorf("it has waited for %v, want %v", took, want)
		}
	})
}
