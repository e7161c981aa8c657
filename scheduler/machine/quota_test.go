package machine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// quotaOf leads from now on, in a partition of so many, under a quota.
func (x *bench) quotaOf(most int64, partition, partitions int) {
	c := config
	c.TenantPlans, c.Partition, c.Partitions = most, partition, partitions
	x.m = New(c)
	x.m.Lead(x.now, 1, time.Time{})
}

// ownPlan makes a plan of a tenant.
func (x *bench) ownPlan(id, tenant string) error {
	x.Helper()
	d := parse(x, fmt.Sprintf(`{"plan_id":%q,"station":"s","command":"c","tenant_id":%q,"plan_type":"day","plan_value":1,"plan_repet":-1}`, id, tenant))
	return x.last(x.step(event.Ask{From: "user", What: command.CreatePlan{Definition: d}})).(event.Answer).Err
}

// The quota of an installation is divided among its partitions, each of which takes one at
// least, because no leader knows of the plans of another.
func TestAQuotaIsDividedAmongPartitions(t *testing.T) {
	for _, c := range []struct {
		most                  int64
		partition, partitions int
		takes                 int
	}{{7, 0, 1, 7}, {7, 0, 4, 2}, {7, 2, 4, 2}, {7, 3, 4, 1}, {2, 3, 4, 1}} {
		x := newBench(t)
		x.quotaOf(c.most, c.partition, c.partitions)
		var refused *schema.Error
		took := 0
		for ; took < 10 && refused == nil; took++ {
			if err := x.ownPlan(fmt.Sprint("p", took), "acme"); err != nil && !errors.As(err, &refused) {
				t.Fatal(err)
			}
		}
		if took -= 1; took != c.takes || refused.Code != schema.CodeQuotaExceeded || refused.TenantID != "acme" || refused.RetryAfterMS != 0 {
			t.Errorf("partition %d of %d takes %d of %d plans, and %d are its part: %v", c.partition, c.partitions, took, c.most, c.takes, refused)
		}
		if mentions := strings.Contains(refused.Message, fmt.Sprintf("one of %d partitions", c.partitions)); mentions != (c.partitions > 1) {
			t.Errorf("%d partitions: %s", c.partitions, refused.Message)
		}
		if err := x.ownPlan("q", "other"); err != nil {
			t.Errorf("another tenant: %v", err)
		}
		if _, counts := x.m.Stats(); counts.OverQuota != 1 {
			t.Errorf("%d refusals are counted", counts.OverQuota)
		}
	}
}

// The names of tenants have no bound in plans, but the kept and shown part of a long name has,
// so that names that begin alike count as one.
func TestALongTenantCountsByItsBeginning(t *testing.T) {
	x := newBench(t)
	x.quotaOf(2, 0, 1)
	long := strings.Repeat("ü", 10_000)
	for i, tenant := range []string{long + "a", long + "b"} {
		if err := x.ownPlan(fmt.Sprint("p", i), tenant); err != nil {
			t.Fatal(err)
		}
	}
	var refused *schema.Error
	if err := x.ownPlan("p2", long+"c"); !errors.As(err, &refused) || len(refused.TenantID) != 256 || len(refused.Message) > 500 {
		t.Errorf("%.600v", err)
	}
}

// A definition that leaves memory, with all that comes behind the tenant, is still its.
func TestEvictedPlanCountsForItsTenant(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		x := newBench(t)
		x.quotaOf(1, 0, 1)
		v, err := wire.ValueOf(enc, map[string]any{
			"plan_id": "p", "station": "s", "command": "c", "caller": "web", "tenant_id": 7, "description": strings.Repeat("d", 100),
			"plan_type": "day", "plan_value": 1, "plan_repet": -1, "ext": strings.Repeat("e", 100<<10), "messages": []any{strings.Repeat("m", 100<<10)},
		})
		if err != nil {
			t.Fatal(err)
		}
		d, err := schema.ParsePlan(v, schema.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x.step(event.Ask{From: "user", What: command.CreatePlan{Definition: d}})
		x.m.part.Config.LargeRoom = 0
		x.step(event.Flush{Max: 100, Force: true})
		x.step(event.Flush{Max: 100, Force: true})
		p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
		if !p.Evicted || p.Tenant() != (schema.Tenant{ID: "7"}) {
			t.Errorf("%s: evicted is %t, of %s", enc, p.Evicted, p.Tenant())
		}
		if err := x.ownPlan("q", "7"); !errors.Is(err, schema.CodeQuotaExceeded) {
			t.Errorf("%s: a second: %v", enc, err)
		}
		x.step(event.Ask{From: "user", What: command.RemovePlan{Name: p.Name}})
		if err := x.ownPlan("q", "7"); err != nil {
			t.Errorf("%s: when it is gone: %v", enc, err)
		}
	}
}
