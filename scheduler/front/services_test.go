package front_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/micro"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestPreview(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(nil, errBoom))
		d.want("plans.preview", `{"plan":{"plan_type":"cron","cron":"30 8 * * MON"},"count":2}`,
			`{"occurrences":[{"occurrence":1,"plan_time":"2026-03-02T08:30:00Z","local":"2026-03-02T08:30:00Z","offset":"+00:00","notes":[]},`+
				`{"occurrence":2,"plan_time":"2026-03-09T08:30:00Z","local":"2026-03-09T08:30:00Z","offset":"+00:00","notes":[]}],"words":"At 08:30, every Monday, in UTC"}`)
		d.want("plans.preview", `{"plan":{"plan_type":"second","plan_value":10,"plan_repet":3,"station":"s"},"from":"2027-01-01T00:00:00Z"}`,
			`{"occurrences":[{"occurrence":1,"plan_time":"2027-01-01T00:00:10Z","local":"2027-01-01T00:00:10Z","offset":"+00:00","notes":[]},`+
				`{"occurrence":2,"plan_time":"2027-01-01T00:00:20Z","local":"2027-01-01T00:00:20Z","offset":"+00:00","notes":[]},`+
				`{"occurrence":3,"plan_time":"2027-01-01T00:00:30Z","local":"2027-01-01T00:00:30Z","offset":"+00:00","notes":[]}],"words":"Every 10 seconds; 3 times"}`)
		// A past occurrence runs only with no_keep.
		d.want("plans.preview", `{"plan":{"plan_type":"time","plan_time":"2026-02-01T00:00:00Z"}}`, `{"occurrences":[],"words":"Once, at 2026-02-01 00:00 in UTC"}`)
		d.want("plans.preview", `{"plan":{"plan_type":"time","plan_time":"2026-02-01T00:00:00Z","no_keep":true}}`,
			`{"occurrences":[{"occurrence":1,"plan_time":"2026-02-01T00:00:00Z","local":"2026-02-01T00:00:00Z","offset":"+00:00","notes":[]}],"words":"Once, at 2026-02-01 00:00 in UTC"}`)
		var p schema.Previewed
		d.page(wire.JSON, "plans.preview", `{"plan":{"plan_type":"cron","cron":"* * * * *"}}`, &p)
		if len(p.Occurrences) != 6 {
			t.Errorf("%d occurrences where none were asked for", len(p.Occurrences))
		}
		for _, c := range []struct{ body, field, hint string }{
			{`{}`, "plan", "missing"}, {`{"plan":7}`, "", "map"}, {`{"plan":{},"count":1001}`, "count", "1 to 1000"},
			{`{"plan":{},"zone":"berlin"}`, "zone", `did you mean "Europe/Berlin"?`}, {`{"plan":{},"lang":"fr"}`, "lang", "en, zh"},
			{`{"plan":{"plan_type":"cron","cron":"* * 31 2 *"}}`, "cron", "no day of any year"},
			{`{"plan":{"plan_type":"cron","cron":"61 * * * *"}}`, "cron", "61"},
			{`{"plan":{"plan_typ":"cron"}}`, "plan_typ", "plan_type"}, {`{"plan":{"worker_count":101}}`, "worker_count", "1 to 100"},
			{`{"plan":{},"from":"noon"}`, "from", "RFC 3339"},
		} {
			d.refuse("plans.preview", c.body, schema.CodeInvalidPlan, c.field, c.hint)
		}
	})
}

func TestImport(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &leader{script: func(partition int, c command.Command) (any, error) {
			create, ok := c.(command.CreatePlan)
			if !ok {
				return nil, &schema.Error{Code: schema.CodeNotFound, Message: "never put"}
			}
			switch p := create.Definition.Plan; {
			case !strings.HasPrefix(p.PlanID, "old"):
				return created(partition, c)
			case p.OnConflict == schema.ConflictError || p.OnConflict == "":
				return nil, &schema.Error{Code: schema.CodeAlreadyExists, Field: "plan_id", Message: "s/" + p.PlanID + " exists"}
			default:
				return schema.Created{PlanID: p.PlanID}, nil
			}
		}}
		d := openOn(t, ns, l)
		plans := `[{"plan_id":"new1","station":"s","command":"c"},{"station":"s","comand":"c"},{"plan_id":"old1","station":"s","command":"c"},` +
			`{"plan_id":"old2","station":"s","command":"c","on_conflict":"keep"},{"plan_id":"old3","station":"s","command":"c","on_conflict":"error"},` +
			`7,{"station":"s","plan_id":"new2"},{"plan_id":"new3","station":"s","command":"c"}]`
		wrong := func(more string) string {
			return `"errors":[{"index":1,"error":{"code":"invalid_plan","message":"unknown field \"comand\"; did you mean \"command\"?","field":"comand"}},` + more +
				`{"index":4,"error":{"code":"already_exists","message":"s/old3 exists","field":"plan_id"}},` +
				`{"index":5,"error":{"code":"invalid_plan","message":"the request takes a map, not a whole number"}},` +
				`{"index":6,"error":{"code":"invalid_plan","message":"command is missing; it names the work of the station's workers","field":"command"}}]}`
		}
		d.want("plans.import", `{"plans":`+plans+`}`, `{"created":2,"updated":0,"kept":1,`+
			wrong(`{"index":2,"error":{"code":"already_exists","message":"s/old1 exists","field":"plan_id"}},`))
		d.want("plans.import", `{"plans":`+plans+`,"on_conflict":"update"}`, `{"created":2,"updated":1,"kept":1,`+wrong(``))
		d.want("plans.import", `{"plans":[]}`, `{"created":0,"updated":0,"kept":0}`)

		d.refuse("plans.import", ``, schema.CodeInvalidPlan, "plans", "missing")
		d.refuse("plans.import", `{"plans":[],"on_conflict":"merge"}`, schema.CodeInvalidPlan, "on_conflict", "update")
		d.refuse("plans.import", `{"plans":[`+strings.Repeat("{},", 1000)+`{}]}`, schema.CodeInvalidPlan, "plans", "1001 items")
	})
}

// An import is held to a definition's limits plan by plan, and its answer fits into a message
// however many errors there are.
func TestImportIsBounded(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: created})
		plain := `{"station":"s","command":"c","messages":[` + strings.Repeat("1,", 200) + `1]}`
		d.want("plans.import", `{"plans":[`+strings.Repeat(plain+",", 999)+plain+`]}`, `{"created":1000,"updated":0,"kept":0}`)

		deep := `{"station":"s","command":"c","messages":[` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `]}`
		many := `{"station":"s","command":"c","messages":[` + strings.Repeat("1,", 10_000) + `1]}`
		answer, _ := d.ask(wire.JSON, "plans.import", `{"plans":[`+deep+`,`+many+`]}`)
		if !strings.Contains(answer, "nested deeper than 32") || !strings.Contains(answer, "more than 10000 items") {
			t.Error(answer)
		}

		bad := `{"` + strings.Repeat(`\u0001`, 64) + `":0}`
		for _, enc := range encodings {
			var got schema.Imported
			d.page(enc, "plans.import", `{"plans":[`+strings.Repeat(bad+",", 999)+bad+`]}`, &got)
			if len(got.Errors) != 1000 || got.Errors[999].Index != 999 || got.Errors[999].Error.Code != schema.CodeInvalidPlan {
				t.Errorf("%d errors", len(got.Errors))
			}
		}
	})
}

func TestStations(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		record := schema.Station{Station: "s", Kind: schema.KindPub, Description: "news"}
		l := &leader{script: func(_ int, c command.Command) (any, error) {
			switch c.(type) {
			case command.PutStation:
				return schema.StationPut{Station: "s", Kind: schema.KindPub, Created: true, Revision: 3}, nil
			case command.DeleteStation:
				return schema.StationDeleted{Station: "s", Deleted: true}, nil
			default:
				return record, nil
			}
		}}
		d := openOn(t, ns, l)
		d.want("stations.put", `{"station":"s","kind":"pub","description":"news"}`, `{"station":"s","kind":"pub","created":true,"revision":3}`)
		if diff := cmp.Diff(command.PutStation{Station: &record}, l.commands()[0]); diff != "" {
			t.Errorf("asked for (-want +got):\n%s", diff)
		}
		d.want("stations.get", `{"station":"s"}`, `{"station":"s","kind":"pub","description":"news"}`)
		d.want("stations.delete", `{"station":"s"}`, `{"station":"s","deleted":true}`)
		for _, c := range []struct{ body, field, hint string }{
			{``, "station", "missing"}, {`{"station":"s","kind":"queue"}`, "kind", "pull"}, {`{"station":"s","knd":"pub"}`, "knd", "kind"},
			{`{"station":"s","voters":65}`, "voters", "1 to 64"}, {`{"station":"s","voters":2,"quorum":3}`, "quorum", "1 to 2"}, {`{"station":"s","failure":"again"}`, "failure", "retry"},
			{`{"station":"s","max_concurrency":-1}`, "max_concurrency", "0 or more"},
		} {
			d.refuse("stations.put", c.body, schema.CodeInvalidRequest, c.field, c.hint)
		}
	})
}

// A change of a station is answered when all partitions have it, and one that stops half-way
// is not seen.
func TestStationsInAllPartitions(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var order []int
		broken := -1
		l := &leader{script: func(partition int, c command.Command) (any, error) {
			order = append(order, partition)
			switch _, put := c.(command.PutStation); {
			case partition == broken:
				return nil, &schema.Error{Code: schema.CodeUnavailable, Message: "no leader"}
			case put:
				return schema.StationPut{Station: "s", Created: true}, nil
			case partition == 0:
				return schema.StationDeleted{Station: "s", Deleted: true}, nil
			default:
				return nil, &schema.Error{Code: schema.CodeNotFound, Message: "deleted before"}
			}
		}}
		d := openOn(t, ns, l, func(c *front.Config) { c.Space = schema.Space{Partitions: 3} })
		for _, c := range []struct {
			broken                int
			subject, body, answer string
			order                 []int
		}{
			{-1, "stations.put", `{"station":"s","kind":"api"}`, `"created":true`, []int{2, 1, 0}},
			{-1, "stations.delete", `{"station":"s"}`, `"deleted":true`, []int{2, 1, 0}},
			{1, "stations.put", `{"station":"s","kind":"api"}`, `"unavailable"`, []int{2, 1}},
			{2, "stations.delete", `{"station":"s"}`, `"unavailable"`, []int{2}},
		} {
			order, broken = nil, c.broken
			if answer, _ := d.ask(wire.JSON, c.subject, c.body); !strings.Contains(answer, c.answer) || !slices.Equal(order, c.order) {
				t.Errorf("%s with partition %d down: %s, asked %v", c.subject, c.broken, answer, order)
			}
		}
	})
}

func TestListStations(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var all []schema.Station
		for i := range 30 {
			all = append(all, schema.Station{Station: fmt.Sprintf("s%02d", i), Kind: schema.KindAPI, Description: strings.Repeat("d", 30<<10)})
		}
		d := openOn(t, ns, &leader{script: func(_ int, c command.Command) (any, error) {
			query := c.(command.ListStations)
			i, _ := slices.BinarySearchFunc(all, query.After+"\x00", func(s schema.Station, n string) int { return strings.Compare(s.Station, n) })
			end := min(i+query.Limit, len(all))
			return command.StationSlice{Stations: all[i:end], More: end < len(all)}, nil
		}})
		for _, limit := range []int{7, 1000} { // the bytes fill a page before 1,000 do
			var got []string
			for cursor, pages := "", 0; cursor != "" || pages == 0; pages++ {
				var p schema.StationPage
				d.page(wire.MsgPack, "stations.list", fmt.Sprintf(`{"limit":%d,"cursor":%q}`, limit, cursor), &p)
				for _, s := range p.Stations {
					got = append(got, s.Station)
				}
				cursor = p.Next
			}
			if len(got) != len(all) || !slices.IsSorted(got) {
				t.Errorf("listed %v", got)
			}
		}
		d.refuse("stations.list", `{"limit":1001}`, schema.CodeInvalidRequest, "limit", "1 to 1000")
		d.refuse("stations.list", `{"cursor":"cGEvYg"}`, schema.CodeInvalidRequest, "cursor", "leave it out")
	})
}

// `nats micro ls|info|stats` show the services, whose names have no prefix, and their
// refusals.
func TestMicro(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(nil, &schema.Error{Code: schema.CodeNotFound, Message: "none"}), func(c *front.Config) {
			c.Space, c.Version = schema.Space{Prefix: "acme"}, "0.1.0"
		})
		d.refuse("acme.plans.get", `{"station":"s","plan_id":"p"}`, schema.CodeNotFound, "", "none")
		d.refuse("acme.plans.get", ``, schema.CodeInvalidPlan, "station", "empty")
		var info micro.Info
		control(t, d, micro.InfoVerb, "plans", &info)
		var subjects []string
		for _, e := range info.Endpoints {
			subjects = append(subjects, e.Subject)
		}
		want := []string{
			"acme.plans.create", "acme.plans.get", "acme.plans.list", "acme.plans.update",
			"acme.plans.pause", "acme.plans.resume", "acme.plans.trigger", "acme.plans.skip", "acme.plans.reset",
			"acme.plans.close", "acme.plans.remove", "acme.plans.cancel",
			"acme.plans.run", "acme.plans.runs", "acme.plans.push", "acme.plans.claim.>", "acme.plans.preview", "acme.plans.upcoming", "acme.plans.calendar", "acme.plans.timeline", "acme.plans.explain", "acme.plans.overview", "acme.plans.series", "acme.plans.import",
			"acme.plans.export", "acme.plans.items", "acme.plans.restore",
		}
		if diff := cmp.Diff(want, subjects); diff != "" {
			t.Errorf("subjects (-want +got):\n%s", diff)
		}
		if info.Version != "0.1.0" || info.Metadata["node"] != "n1" || info.Metadata["version"] != "0.1.0" {
			t.Errorf("version %s, metadata %v", info.Version, info.Metadata)
		}
		var get *micro.EndpointStats
		wrong := true
		for deadline := time.Now().Add(10 * time.Second); wrong && time.Now().Before(deadline); {
			var stats micro.Stats // a request is counted behind its answer
			control(t, d, micro.StatsVerb, "plans", &stats)
			get = stats.Endpoints[1]
			wrong = get.NumRequests != 4 || get.NumErrors != 0 || string(get.Data) != `{"refused":4}`
		}
		if wrong {
			t.Errorf("stats of %s: %d requests, %d errors, %s", get.Name, get.NumRequests, get.NumErrors, get.Data)
		}
		control(t, d, micro.InfoVerb, "stations", &info)
		control(t, d, micro.InfoVerb, "workers", &info)
		control(t, d, micro.InfoVerb, "queues", &info)
	})
}

func control(t *testing.T, d *harness, verb micro.Verb, service string, into any) {
	t.Helper()
	subject, err := micro.ControlSubject(verb, service, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(d.send(subject, nil).Data, into); err != nil {
		t.Fatal(err)
	}
}
