package front_test

import (
	"slices"
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

// pieces is a leader whose looks come in two pieces of each partition: one of a grid, and one of a
// schedule with a calendar. Of each, it has a hundred and twenty plans.
func pieces(partition int, c command.Command) (any, error) {
	switch c := c.(type) {
	case command.GetCalendar:
		return schema.Calendar{CalendarID: c.CalendarID, Windows: []schema.CalendarWindow{{From: "14:00", To: "15:00"}}}, nil
	case command.ListPlans:
		first := noon.Unix() + 600
		switch {
		case c.Span.Each:
			out := command.PlanSlice{Count: 120}
			for i := range 120 {
				out.Groups = append(out.Groups, command.DueGroup{Station: "s", PlanID: string(rune('a'+partition)) + string(rune('0'+i)), Plans: 1, First: first, Count: 2})
			}
			return out, nil
		case c.After.Station == "":
			return command.PlanSlice{
				Count: 3, More: true, Last: schema.PlanName{Station: "s", PlanID: "p"},
				Groups: []command.DueGroup{{Station: "s", Plans: 2, First: first, Last: first + 3*1800, Step: 1800}},
			}, nil
		}
		plan := wire.Trust(wire.JSON, []byte(`{"plan_type":"cron","cron":"30 * * * *","exclude":["lunch"]}`))
		return command.PlanSlice{Count: 4, Groups: []command.DueGroup{{Station: "t", Plans: 4, Plan: plan, Accepted: noon.AddDate(0, 0, -1)}}}, nil
	}
	return nil, &schema.Error{Code: schema.CodeInternal, Message: "asked for something else"}
}

// The calendar is that of all partitions together, with the calendars that plans name.
func TestCalendarOfAllPartitions(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: pieces}, func(c *front.Config) { c.Space = schema.Space{Partitions: 2} })
		var got schema.DueCalendar
		d.page(wire.JSON, "plans.calendar", `{"until":"2026-03-01T15:00:00Z","zone":"Asia/Kolkata"}`, &got)
		cell := func(from string, counts ...int64) schema.DueCell {
			out := schema.DueCell{From: from, Top: []schema.DueStation{}, Notes: []schema.DueNote{}}
			for i, n := range counts {
				out.Top, out.Count = append(out.Top, schema.DueStation{Station: []string{"s", "t"}[i], Count: n}), out.Count+n
			}
			return out
		}
		lunch := cell("2026-03-01T19:00:00+05:30", 4, 8)
		slices.Reverse(lunch.Top) // the most of them first
		// At 14:00 the calendar leaves out what t has; its clock is that of UTC.
		want := schema.DueCalendar{
			Zone: "Asia/Kolkata", Step: "1h", AsOf: noon, Plans: 14, Cells: []schema.DueCell{
				cell("2026-03-01T17:00:00+05:30", 4), cell("2026-03-01T18:00:00+05:30", 8, 8), lunch, cell("2026-03-01T20:00:00+05:30"),
			},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		got = schema.DueCalendar{}
		d.page(wire.MsgPack, "plans.calendar", `{"cell":"2026-03-01T12:40:00Z","step":"1d"}`, &got)
		if len(got.Cells) != 1 || got.Cells[0].From != "2026-03-01T00:00:00Z" || len(got.Items) != 100 || got.LeftOut != 140 {
			t.Errorf("%d cells, %d plans, %d left out", len(got.Cells), len(got.Items), got.LeftOut)
		}
		if i := got.Items[1]; i.PlanID != "a1" || i.Count != 2 || !i.First.Equal(noon.Add(10*time.Minute)) {
			t.Errorf("%+v", i)
		}
	})
}

// A leader of an earlier version answers with plans, which is not taken for a calendar without any.
func TestNoCalendarOfAnEarlierVersion(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: obliging})
		d.refuse("plans.calendar", `{}`, schema.CodeUnavailable, "", "earlier version")
	})
}

// A calendar that is wanted at once is made of a sample of each partition, which goes on where it stood.
func TestCalendarOfASample(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var asked []command.DueSpan
		script := func(_ int, c command.Command) (any, error) {
			q := c.(command.ListPlans)
			asked = append(asked, q.Span)
			out := command.PlanSlice{Count: 2, Every: 50, Groups: []command.DueGroup{{Station: "s", Plans: 2, First: noon.Unix() + 600, Last: noon.Unix() + 600}}}
			if q.Due.Handle == 0 {
				out.More, out.Due = true, command.DuePlace{Handle: 9}
			}
			return out, nil
		}
		d := openOn(t, ns, &leader{script: script}, func(c *front.Config) { c.Space = schema.Space{Partitions: 2} })
		var got schema.DueCalendar
		d.page(wire.JSON, "plans.calendar", `{"within_ms":200}`, &got)
		if !got.Sampled || got.Plans != 400 || got.Cells[0].Count != 400 {
			t.Errorf("%d plans, sampled %v, %d in the first hour", got.Plans, got.Sampled, got.Cells[0].Count)
		}
		if len(asked) != 4 || asked[0].Most != 10_000 || asked[0].Every != 0 || asked[1].Every != 50 || asked[2].Every != 0 {
			t.Errorf("asked for %+v", asked)
		}
		if d.page(wire.JSON, "plans.calendar", `{}`, &got); asked[4].Most != 0 {
			t.Errorf("a sample was asked for: %+v", asked[4])
		}
		d.refuse("plans.calendar", `{"within_ms":0}`, schema.CodeInvalidPlan, "within_ms", "")
	})
}
