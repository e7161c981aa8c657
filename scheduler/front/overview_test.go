package front_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// partitionCounters are leaders of partitions that have counted.
type partitionCounters []command.Counters

func (l partitionCounters) Ask(partition int, c command.Command, done func(any, error)) {
	out := l[partition]
	if c.(command.ReadCounters).Points > 0 {
		out.Overview = nil
	} else {
		out.Points = nil
	}
	done(out, nil)
}

// countersOf are those of a partition in which n of everything happened, and more than can be shown.
func countersOf(n int64) command.Counters {
	o := &schema.Overviewed{
		AsOf: noon, Plans: schema.PlanCounts{Total: n, ByStatus: map[schema.Status]int64{schema.StatusQueued: n}, ByType: map[schema.PlanType]int64{schema.TypeCron: n}},
		Executions: schema.ExecutionCounts{UnderWay: n, Waiting: map[schema.WaitFor]int64{schema.WaitRoom: n}},
		Results:    map[string]schema.ResultCounts{"1m": {States: map[schema.State]int64{schema.StateOK: n}}},
		Lateness:   map[string]schema.LatenessCounts{"1m": {Count: n, MaxMS: n, Buckets: []int64{0, n}}},
		Trouble:    []schema.Trouble{{Kind: schema.TroubleNoWorker, Station: "lonely", Since: noon.Add(time.Duration(-n) * time.Second), Count: n}},
	}
	for i := range 20 {
		o.NextDue = append(o.NextDue, schema.DuePlan{Station: "s", PlanID: string(rune('a' + i)), PlanTime: noon.Add(time.Duration(int64(i)*n) * time.Second)})
		o.Trouble = append(o.Trouble, schema.Trouble{Kind: schema.TroubleStopped, Station: "s", PlanID: string(rune('a' + i)), Since: noon, Count: 1})
	}
	at := noon.Unix() / 60 * 60
	return command.Counters{Since: noon.Add(-time.Hour), Overview: o, Points: []command.CounterPoint{
		{T: at - 60, States: map[schema.State]int64{schema.StateOK: n}, Lateness: schema.LatenessCounts{Count: n, MaxMS: 3, Buckets: []int64{0, 0, n}}},
		{T: at - 7200, States: map[schema.State]int64{schema.StateOK: n}},
	}, Versions: []command.NewVersion{
		{At: noon.Add(-3 * time.Hour), Station: "mail", Version: "v1"},
		{At: noon.Add(time.Duration(n)*time.Second - 40*time.Minute), Station: "mail", Version: "v2"},
		{At: noon.Add(time.Duration(n)*time.Second - 5*time.Minute), Station: []string{"", "mail", "print"}[n], Version: "v3"},
	}}
}

// The overview and the series are those of all partitions together.
func TestCountersOfAllPlansAreAdded(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, partitionCounters{countersOf(1), countersOf(2)}, func(c *front.Config) { c.Space = schema.Space{Partitions: 2} })
		var o schema.Overviewed
		d.page(wire.JSON, "plans.overview", `{}`, &o)
		if o.Plans.Total != 3 || o.Plans.ByStatus[schema.StatusQueued] != 3 || o.Plans.ByType[schema.TypeCron] != 3 || o.Executions.UnderWay != 3 || o.Executions.Waiting[schema.WaitRoom] != 3 {
			t.Errorf("plans: %+v, executions: %+v", o.Plans, o.Executions)
		}
		if l := o.Lateness["1m"]; o.Results["1m"].States[schema.StateOK] != 3 || l.Count != 3 || l.MaxMS != 2 || l.P50MS != 2 || l.P99MS != 2 {
			t.Errorf("results: %+v, lateness: %+v", o.Results, l)
		}
		if len(o.NextDue) != 20 || !o.NextDue[1].PlanTime.Equal(noon) || o.NextDue[19].PlanTime.Before(o.NextDue[18].PlanTime) {
			t.Errorf("due next: %+v", o.NextDue)
		}
		kinds := map[schema.TroubleKind]int{}
		for _, one := range o.Trouble {
			kinds[one.Kind]++
			if one.Kind == schema.TroubleNoWorker && (one.Count != 3 || !one.Since.Equal(noon.Add(-2*time.Second)) || !strings.Contains(one.Text, "station lonely")) {
				t.Errorf("trouble: %+v", one)
			}
		}
		if kinds[schema.TroubleNoWorker] != 1 || kinds[schema.TroubleStopped] != 19 {
			t.Errorf("trouble: %v", kinds)
		}
		d.page(wire.JSON, "plans.overview", `{"lang":"zh"}`, &o)
		if !strings.Contains(o.Trouble[0].Text, "已停止") {
			t.Errorf("in Chinese: %s", o.Trouble[0].Text)
		}
		var p schema.StatsPoints
		d.page(wire.JSON, "plans.series", `{"of":"results","step":"1m"}`, &p)
		if len(p.T) != 60 || len(p.Series["ok"]) != 60 || p.Series["ok"][58] != 3 || p.From.Unix() != p.T[0] {
			t.Errorf("results: %+v", p)
		}
		marks := []schema.Mark{
			{T: noon.Unix() - 2399, Kind: "version", Text: "Workers of station mail have version v2."},
			{T: noon.Unix() - 299, Kind: "version", Text: "Workers of station mail and others have version v3."},
		}
		if diff := cmp.Diff(marks, p.Marks); diff != "" {
			t.Errorf("marks (-want +got):\n%s", diff)
		}
		d.page(wire.JSON, "plans.series", `{"of":"results","step":"1h","lang":"zh"}`, &p)
		if text := p.Marks[1].Text; len(p.Marks) != 5 || text != "分区 0 换了领导者。" {
			t.Errorf("in Chinese: %+v", p.Marks)
		}
		p = schema.StatsPoints{}
		d.page(wire.JSON, "plans.series", `{"of":"lateness","step":"1m","from":"`+noon.Add(-2*time.Minute).Format(time.RFC3339)+`"}`, &p)
		if len(p.T) != 3 || p.Series["count"][1] != 3 || p.Series["p99_ms"][1] != 3 || p.Series["max_ms"][0] != 0 {
			t.Errorf("lateness: %+v", p)
		}
		for field, body := range map[string]string{
			"of": `{"of":"result","step":"1m"}`, "step": `{"of":"results","step":"2m"}`, "station": `{"of":"results","step":"1m","station":"s.>"}`, "lag": `{"of":"results","step":"1m","lag":1}`,
		} {
			code := schema.CodeInvalidPlan
			d.refuse("plans.series", body, code, field, "")
		}
		d.refuse("plans.overview", `{"lang":"de"}`, schema.CodeInvalidPlan, "lang", "")
		d.refuse("plans.series", `{"of":"results","step":"1m","lang":"de"}`, schema.CodeInvalidPlan, "lang", "")
	})
}
