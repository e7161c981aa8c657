package client_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestExportReadsAllPages(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.export", func(try int, request wire.Value) any {
		page := schema.ExportPage{Plans: []schema.PlanCopy{{Raw: []byte{0x80, byte(try)}, Encoding: "msgpack"}}}
		if cursor, _ := request.Field("cursor").Text(); cursor != strings.Repeat("x", try) {
			t.Errorf("page %d is asked for with cursor %q", try, cursor)
		}
		if try < 2 {
			page.Next = strings.Repeat("x", try+1)
		}
		return page
	})
	var got []byte
	for p, err := range newClient(t, ns, client.Options{}).Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Raw[1])
	}
	if diff := cmp.Diff([]byte{0, 1, 2}, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestRestoreInParts(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.restore", func(try int, request wire.Value) any {
		return schema.Imported{
			Created: int64(request.Field("plans").Len()) - 1,
			Errors:  []schema.ImportError{{Index: 0, Error: &schema.Error{Code: schema.CodeInvalidPlan, Message: "bad"}}},
		}
	})
	plans := make([]schema.PlanCopy, 1010)
	for i := range plans {
		v, err := wire.ValueOf(wire.JSON, map[string]any{"plan_id": "p"})
		if i >= 1005 { // so large that no two fit into one request
			v, err = wire.ValueOf(wire.MsgPack, map[string]any{"messages": strings.Repeat("x", 400<<10)})
		}
		if err != nil {
			t.Fatal(err)
		}
		plans[i] = schema.PlanCopy{Plan: v, Record: wire.Trust(wire.JSON, []byte(`{"n":1}`))}
	}
	got, err := newClient(t, ns, client.Options{}).Restore(t.Context(), plans, schema.ConflictKeep)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, r := range s.requests() {
		sizes = append(sizes, len(r["plans"].([]any)))
	}
	if diff := cmp.Diff([]int{1000, 5, 1, 1, 1, 1, 1}, sizes); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if len(got.Errors) != 7 || got.Created != 1010-7 || got.Errors[1].Index != 1000 || got.Errors[2].Index != 1005 {
		t.Errorf("restored %+v", got)
	}
}
